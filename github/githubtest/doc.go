// Package githubtest is a GitHub for tests: it speaks REST, GraphQL and git over HTTP as GitHub does,
// and refuses what GitHub refuses, with the same status and nearly the same words.
//
// Its repositories are real bare ones. What a branch, a head or a diff is, is asked of git each time;
// a push, over HTTP or to the folder, is what moves a pull request. In memory is only what git does not keep.
//
// It cannot drift: every request that it gets and every answer that it gives is held against the part of GitHub's own
// OpenAPI description in testdata, and against GitHub's GraphQL schema there. Whatever does not fit is a [Server.Problems].
// Where nobody knows GitHub's exact words, the source says so with "words:".
//
// Faults come on demand: [Server.Fail]. All requests are kept: [Server.Requests].
//
//	server := githubtest.Start(t)
//	repo := server.NewRepo("octo", "hello", map[string]string{"README.md": "# hello\n"})
//	token := server.NewUser("ada")
//	repo.Allow("ada", "write")
//	... // push to repo.GitURL() or repo.Dir, ask server.APIURL() with the token
package githubtest
