// Package clis plays the real agent CLIs against scripted providers of models:
// the program that users have, the agents that users have, and nothing but the model made up.
//
// It owns the proof that plan and impl work with the CLIs of the pinned versions (agents/testdata/clis),
// that each way in which they fail is told as it should be, and that they leave behind nothing but what is theirs.
// It holds tests only.
//
// .ci/run installs the CLIs and plays the suite. Without AGENTD_CLIS its tests are skipped,
// except where CI is true: there they fail. By hand, with the CLIs in any folder outside the repository:
//
//	npm ci --prefix DIR        # with both files of agents/testdata/clis in DIR
//	AGENTD_CLIS=DIR go test ./internal/clis
package clis
