// Package campaign is a test campaign against crashes: the real program in real repositories, with real git.
//
// It owns the proof that the program may die at any instant. Its tests let recorded agents play a whole change,
// from the answers before the plan to the archive, kill the program, its process group, or one of its git commands,
// type the same command again, and compare what is there with a run that nobody disturbed:
// the same trees, the same steps, one commit for each, a repository without a trace of the accident,
// and a person's own files as they were.
//
// It also plays what no single run shows: two people's clones of one remote, in which changes are planned and archived
// in random orders, with the same specs in the end, and no conflict that was not forecast.
//
// It holds no code of the product, and nothing of the product knows about it.
// The one seam that it uses is [github.com/agentd/gh-agentd/cli.Env]'s AtCommit, by which it stops a process
// right before or after a commit becomes visible.
//
// The sample that runs with all other tests is small. The whole campaign, and one failure again:
//
//	AGENTD_CAMPAIGN=full go test ./internal/campaign -timeout 20m
//	AGENTD_CAMPAIGN_SEED=1234 go test ./internal/campaign -run TestKill
package campaign
