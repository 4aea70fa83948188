// Package gitopstest makes real repositories for tests: temporary, with fixed author and time,
// and blind to the configuration of whoever runs the tests.
//
// It is imported by tests only.
//
//	repo := gitopstest.New(t, `
//	-- README.md --
//	# hello
//	`)
//	watch := gitopstest.Watch(t, repo)
//	... // what is tested
//	watch.Check(gitopstest.Moved("refs/heads/main"))
package gitopstest
