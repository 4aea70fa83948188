package workflow

import (
	"context"
	"fmt"
	"slices"

	"github.com/agentd/gh-agentd/agents"
	"github.com/agentd/gh-agentd/config"
	"github.com/agentd/gh-agentd/github"
	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
)

// Job is what a job of a GitHub workflow does for the pull request of a change.
//
// Judging and writing are two jobs. The first has a model's key and may read: an agent gives a verdict, and nothing is kept.
// The second has no model and may write: it believes nothing of what the first hands over,
// records the verdict as the same commit that the step would have made, and publishes.
// A third records what people said in reviews. It may write, asks no model, and runs nothing of the pull request.
// Configuration, policy and what tells agents what to do come from the base of the pull request, never from its head.
type Job struct {
	Bench *Bench // without configuration and agents
	// Agents makes the agents that a configuration describes.
	Agents func(config.Config) func(name string) (agents.Agent, error)
}

// JobMode is what the job is for.
type JobMode string

// The modes.
const (
	JobChallenge JobMode = "challenge" // have the plan challenged
	JobReview    JobMode = "review"    // have judged what wants it now: the plan or the code
	JobPublish   JobMode = "publish"   // record a verdict, and show it
	JobSync      JobMode = "sync"      // record what people said in reviews, and show it
	JobList      JobMode = "list"      // which pull requests want a verdict now
)

// JobModes are all of them, in the order of a change's life.
func JobModes() []JobMode { return []JobMode{JobChallenge, JobReview, JobPublish, JobSync, JobList} }

// JobRequest says what to do, and what the workflow run knows.
type JobRequest struct {
	Mode           JobMode
	Event          JobEvent
	PullRequest    int       // 0 takes that of the event
	Head           gitops.ID // the commit that it must stand at; zero takes that of the event
	Result         string    // of the job that judged; "" publishes what the history has
	PublishSigns   bool      // the job that publishes signs, as the policy wants it
	AllowUntrusted string    // [Understood] lets events in that others than writers can bring about
	Bots           []string  // logins of apps that may start it
}

// JobResult is what came of it. It counts also where an error comes with it.
type JobResult struct {
	Change      string
	PullRequest int
	Phase       phases.Phase
	Step        phases.Step // challenge or review, "" where neither was taken
	Round       int
	Verdict     phases.Verdict
	Summary     string // a model's words, as the ones of the findings
	Findings    []specs.Finding
	Evidence    []string
	Usage       UsageTotals
	Result      string // one line of JSON for the job that publishes
	ReviewURL   string
	Recorded    string // of sync: what people said, in one sentence
	Skipped     string // why nothing was to be done, "" where something was
	Unposted    string // why the verdict could not be shown on the pull request, "" where it could
	Warnings    []string
	Changes     []JobChange // of list
	Violations  *CheckResult

	// Words are what a model's words go through; nil where nothing of a model is in the result.
	Words *github.Sanitizer
}

// JobChange is one entry of a matrix.
type JobChange struct {
	Change      string  `json:"change"`
	PullRequest int     `json:"pull_request"`
	HeadSHA     string  `json:"head_sha"`
	Mode        JobMode `json:"mode"`
}

// Blocks says whether the verdict asks for something.
func (r JobResult) Blocks() bool {
	return slices.Contains([]phases.Verdict{
		phases.NeedsRevision, phases.VerdictRejected, phases.NeedsChanges, phases.MajorIssues, phases.Unknown,
	}, r.Verdict)
}

// Run does the job.
func (j *Job) Run(ctx context.Context, req JobRequest) (JobResult, error) {
	result := JobResult{Warnings: []string{}, Changes: []JobChange{}}
	bench := *j.Bench
	run := &jobbing{Bench: &bench, agents: j.Agents, req: req, result: &result}
	return result, run.run(ctx)
}

// jobbing is one job.
type jobbing struct {
	*Bench
	agents func(config.Config) func(string) (agents.Agent, error)
	req    JobRequest
	result *JobResult

	remote  string
	target  github.Target
	client  *github.Client
	hosted  github.Repository
	pull    github.PullRequest
	id      phases.ChangeID
	head    gitops.ID // of the pull request, now
	pinned  gitops.ID // that the job was started for
	stepped JobMode   // challenge or review
}

func (j *jobbing) run(ctx context.Context) error {
	wanted, err := j.wanted()
	if err != nil || j.result.Skipped != "" {
		return err
	}
	if err := j.connect(ctx); err != nil {
		return err
	}
	if j.req.Mode == JobList {
		return j.list(ctx)
	}
	if err := j.find(ctx, wanted); err != nil || j.result.Skipped != "" {
		return err
	}
	if err := j.started(ctx); err != nil || j.result.Skipped != "" {
		return err
	}
	if err := j.unmoved(); err != nil {
		return err
	}
	if err := j.fetch(ctx); err != nil {
		return err
	}
	if err := j.notNewer(ctx, wanted); err != nil {
		return err
	}
	if err := j.configure(ctx); err != nil {
		return err
	}
	switch j.req.Mode {
	case JobPublish:
		return j.publish(ctx)
	case JobSync:
		return j.takeReviews(ctx)
	}
	return j.analyse(ctx)
}

// skip ends the job in good order, for there is nothing to do.
func (j *jobbing) skip(format string, args ...any) { j.result.Skipped = fmt.Sprintf(format, args...) }

// warn is told in the log, and again in the summary.
func (j *jobbing) warn(sentence string) {
	j.result.Warnings = append(j.result.Warnings, sentence)
	j.Say.Warn(sentence)
}

// connect finds the repository on GitHub, and signs in to it: the API and git alike.
func (j *jobbing) connect(ctx context.Context) error {
	remotes, err := j.Repo.Remotes(ctx)
	if err != nil {
		return err
	}
	if len(remotes) == 0 {
		return &NoRemoteError{}
	}
	j.remote = mainRemote(remotes)
	if j.target, err = j.repository("", remotes); err != nil {
		return err
	}
	token, err := github.FindToken(j.target, j.getenv)
	if err != nil {
		return err
	}
	if j.client, err = j.signIn(j.target, github.Options{Accounts: []string{actionsAccount}}); err != nil {
		return err
	}
	j.use(j.Repo.SignedIn(j.target.ServerURL, token.Value))
	words := j.client.Sanitizer()
	j.result.Words = &words
	if j.hosted, err = j.client.Repository(ctx); err != nil {
		return err
	}
	if j.getenv("RUNNER_ENVIRONMENT") == "self-hosted" && !j.hosted.Private {
		j.warn("this runner is self-hosted and the repository is public: whoever opens a pull request may run code on it")
	}
	return nil
}

// use works on the repository in another guise.
func (j *jobbing) use(repo *gitops.Repo) {
	store := *j.Store
	store.Repo = repo
	j.Repo, j.Store = repo, &store
}
