package changes_test

import (
	"strings"
	"testing"

	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/gitops/gitopstest"
	"github.com/agentd/gh-agentd/phases"
)

const token = "canary-4f9a1c77"

func TestChange_Append_refusesASecretWithNothingMoved(t *testing.T) {
	t.Parallel()
	holds := []byte("deploy with " + token + "\n")
	for _, tt := range []struct {
		name   string
		record changes.Record
		says   string
	}{
		{"in a document", changes.Record{Subject: "tasks", Transition: phases.Transition{Step: phases.StepTasksGen}, Files: map[string][]byte{"tasks.md": holds}},
			"agentd/changes/add-oauth/tasks.md holds the value of DEPLOY_TOKEN: nothing was committed"},
		{"in code", changes.Record{Subject: "tasks", Transition: phases.Transition{Step: phases.StepTasksGen}, Code: []gitops.Edit{{Path: "src/main.txt", Content: holds}}},
			"src/main.txt holds the value of DEPLOY_TOKEN"},
		{"in a file's name", changes.Record{Subject: "tasks", Transition: phases.Transition{Step: phases.StepTasksGen}, Code: []gitops.Edit{{Path: "src/" + token + ".txt"}}},
			"the path of a file holds the value of DEPLOY_TOKEN"},
		{"in a folder's name", changes.Record{Subject: "tasks", Transition: phases.Transition{Step: phases.StepTasksGen}, Code: []gitops.Edit{{Path: "src/" + token + "/main.txt"}}},
			"the path of a file holds the value of DEPLOY_TOKEN"},
		{"in the subject", changes.Record{Subject: "tasks " + token, Transition: phases.Transition{Step: phases.StepTasksGen}},
			"the commit's message holds the value of DEPLOY_TOKEN"},
		{"in the body", changes.Record{Subject: "tasks", Body: "I found " + token, Transition: phases.Transition{Step: phases.StepTasksGen}},
			"the commit's message holds the value of DEPLOY_TOKEN"},
		{"in a trailer", changes.Record{Subject: "tasks", Transition: phases.Transition{Step: phases.StepTasksGen, Agent: "codex/" + token}},
			"holds the value of DEPLOY_TOKEN"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.store.Secrets = []changes.Secret{{Name: "OTHER", Value: "not-in-there"}, {Name: "DEPLOY_TOKEN", Value: token}}
			c := w.begin(w.lock("add-oauth"), "add-oauth")
			watch := gitopstest.Watch(t, w.Repo)
			_, _, err := c.Append(t.Context(), tt.record)
			wantError[*changes.LeakError](t, err, tt.says, "unset DEPLOY_TOKEN")
			if strings.Contains(err.Error(), token) {
				t.Errorf("the error tells the secret: %v", err)
			}
			watch.Check()
		})
	}
}

// A blob that an agent's worktree already wrote is named by its id alone: it is read all the same.
func TestChange_Append_refusesASecretInABlobThatExists(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.store.Secrets = []changes.Secret{{Name: "DEPLOY_TOKEN", Value: token}}
	c := w.at(w.lock("add-oauth"), "add-oauth", phases.Challenged)
	blob := gitops.ID(w.Feed(token+"\n", "hash-object", "-w", "--stdin"))
	watch := gitopstest.Watch(t, w.Repo)
	rec := implemented()
	rec.Code = []gitops.Edit{{Path: "src/env.txt", Mode: gitops.ModeFile, ID: blob}}
	_, _, err := c.Append(t.Context(), rec)
	wantError[*changes.LeakError](t, err, "src/env.txt holds the value of DEPLOY_TOKEN", "take it out")
	watch.Check()
}

func TestStore_Begin_refusesASecretWithNothingMoved(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.store.Secrets = []changes.Secret{{Name: "DEPLOY_TOKEN", Value: token}}
	store := w.lock("add-oauth")
	watch := gitopstest.Watch(t, w.Repo)
	b := w.beginning("add-oauth")
	b.Record.Files["proposal.md"] = []byte("use " + token)
	_, err := store.Begin(t.Context(), b)
	wantError[*changes.LeakError](t, err, "agentd/changes/add-oauth/proposal.md holds the value of DEPLOY_TOKEN", "take it out")
	b = w.beginning("add-oauth")
	b.Record.Body = "use " + token
	_, err = store.Begin(t.Context(), b)
	wantError[*changes.LeakError](t, err, "the commit's message holds", "take it out")
	watch.Check()
}

// What stood in a file before is not the step's doing, and taking it out must be possible.
func TestChange_Append_lastYearsSecretIsNoLeakOfToday(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Write("src/main.txt", token+"\n")
	w.Commit("long ago")
	w.store.Secrets = []changes.Secret{{Name: "DEPLOY_TOKEN", Value: token}}
	c := w.at(w.lock("add-oauth"), "add-oauth", phases.Challenged)
	for _, content := range []string{"more\n" + token + "\n", "none\n"} {
		rec := implemented()
		rec.Code = []gitops.Edit{{Path: "src/main.txt", Content: []byte(content)}}
		c = w.append(c, rec)
	}
	rec := implemented()
	rec.Code = []gitops.Edit{{Path: "src/main.txt", Delete: true}}
	w.append(c, rec)
}
