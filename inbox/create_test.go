package inbox_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/agentd/gh-agentd/inbox"
	"github.com/agentd/gh-agentd/specs"
)

func TestBox_Call_createProposal(t *testing.T) {
	b := boxOf(t, inbox.Run{Change: "add-oauth", Step: "proposal-gen", Author: "gemini", Created: created}, nil)
	reply := call(t, b, "create_proposal", proposal())
	wantText(t, reply.Text, "wrote proposal.md", hashOf(t, b, "proposal.md"))

	got, problems, err := specs.ParseProposal("proposal.md", []byte(file(t, b, "proposal.md")))
	if err != nil || problems.HasHigh() {
		t.Fatalf("%v, %v", err, problems)
	}
	if got.ID != "add-oauth" || got.Author != "gemini" || !got.CreatedAt.Equal(created) || got.Why != "Passwords are asked for too often." {
		t.Errorf("proposal is %+v", got)
	}
	if len(got.AffectedSpecs) != 2 || got.AffectedSpecs[1].ID != "tokens" {
		t.Errorf("affected specs are %+v", got.AffectedSpecs)
	}

	// Creating again replaces.
	again := proposal()
	again["why"] = "Sessions are lost."
	call(t, b, "create_proposal", again)
	got, _, err = specs.ParseProposal("proposal.md", []byte(file(t, b, "proposal.md")))
	if err != nil || got.Why != "Sessions are lost." {
		t.Errorf("why is %q, %v", got.Why, err)
	}
}

func TestBox_Call_refusesSpecIDs(t *testing.T) {
	b := box(t, "proposal-gen")
	for _, id := range []string{"../x", "Auth", "au th", "con", "é", "", "a/b"} {
		args := proposal()
		args["impact"].(object)["affected_specs"] = []string{"auth", id}
		wantText(t, refused(t, b, "create_proposal", args), "affected_specs")
	}
	args := proposal()
	args["impact"].(object)["affected_specs"] = []string{"auth", "auth"}
	wantText(t, refused(t, b, "create_proposal", args), "affected_specs")
	unchanged(t, b, files())
}

func TestBox_Call_createSpec(t *testing.T) {
	b := box(t, "spec-gen-tokens")
	wantText(t, refused(t, b, "create_spec", spec("auth")), `step "spec-gen-tokens" writes the spec "tokens", not "auth"`)
	wantText(t, refused(t, b, "create_spec", spec("../auth")), "spec_id")
	call(t, b, "create_spec", spec("tokens"))

	got, problems, err := specs.ParseSpec("specs/tokens.md", []byte(file(t, b, "specs/tokens.md")))
	if err != nil || problems.HasHigh() {
		t.Fatalf("%v, %v", err, problems)
	}
	if got.Title != "Sign in" || len(got.Requirements) != 1 || len(got.Scenarios) != 1 || got.Scenarios[0].Then[0] != "the provider is asked" {
		t.Errorf("spec is %+v", got)
	}
}

func TestBox_Call_createSpecOnlyOfTheProposal(t *testing.T) {
	wantText(t, refused(t, box(t, "reproposal"), "create_spec", spec("billing")),
		`"billing" is not one of the proposal's affected specs (auth, tokens)`)
	wantText(t, refused(t, box(t, "spec-gen-billing"), "create_spec", spec("billing")), "is not one of the proposal's affected specs")

	empty := boxOf(t, inbox.Run{Change: "add-oauth", Step: "reproposal", Created: created}, nil)
	wantText(t, refused(t, empty, "create_spec", spec("auth")), "there is no proposal yet")
}

func TestBox_Call_createTasks(t *testing.T) {
	b := box(t, "tasks-gen")
	args := tasks(2)
	args["tasks"].([]object)[1]["depends"] = []string{"logic.1"}
	call(t, b, "create_tasks", args)
	got, problems, err := specs.ParseTasks("tasks.md", []byte(file(t, b, "tasks.md")))
	if err != nil || problems.HasHigh() {
		t.Fatalf("%v, %v", err, problems)
	}
	if len(got.Tasks) != 2 || got.Tasks[0].Files[0].Path != "internal/auth/handler.go" || len(got.Tasks[1].Depends) != 1 {
		t.Errorf("tasks are %+v", got.Tasks)
	}

	args["tasks"].([]object)[0]["file"] = object{"path": "../../etc/passwd", "action": "MODIFY"}
	refused(t, b, "create_tasks", args)
}

func TestBox_Call_anotherChange_MC17(t *testing.T) {
	b := box(t, "proposal-gen")
	args := proposal()
	args["change_id"] = "other"
	wantText(t, refused(t, b, "create_proposal", args), `this server serves change "add-oauth", not "other"`)
	wantText(t, refused(t, b, "read_file", object{"path": "proposal.md", "change_id": "other"}), `this server serves change "add-oauth"`)
	unchanged(t, b, files())

	delete(args, "change_id")
	call(t, b, "create_proposal", args)
}

func TestBox_Call_replacesWhatCannotBeRead(t *testing.T) {
	broken := map[string][]byte{"proposal.md": []byte("---\nid: [\n---\n")}
	b := boxOf(t, inbox.Run{Change: "add-oauth", Step: "proposal-gen", Created: created}, broken)
	call(t, b, "create_proposal", proposal())
}

func TestCreate(t *testing.T) {
	run := inbox.Run{Change: "add-oauth", Step: "challenge", Role: "challenger", Round: 2, Created: created, KnownFindings: []string{"F-3f2a9c"}}
	b := boxOf(t, run, files())
	unchanged(t, b, files())

	opened, err := inbox.Open(b.Dir())
	if err != nil {
		t.Fatal(err)
	}
	if got := opened.Run(); got.Change != run.Change || got.Round != 2 || !got.Created.Equal(created) || got.KnownFindings[0] != "F-3f2a9c" {
		t.Errorf("run is %+v", got)
	}
	if _, err := inbox.Create(b.Dir(), run, nil); err == nil {
		t.Error("a folder was used for a second run")
	}
}

func TestCreate_refusals(t *testing.T) {
	for name, run := range map[string]inbox.Run{
		"no change":  {Step: "challenge"},
		"bad change": {Change: "../x", Step: "challenge"},
		"bad step":   {Change: "add-oauth", Step: "dance"},
	} {
		if _, err := inbox.Create(filepath.Join(t.TempDir(), "run"), run, nil); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
	if _, err := inbox.Create(filepath.Join(t.TempDir(), "run"), inbox.Run{Change: "a"}, map[string][]byte{"../x": nil}); err == nil {
		t.Error("a file outside was accepted")
	}
}

func TestOpen_refusesWhatIsNoRun(t *testing.T) {
	dir := t.TempDir()
	if _, err := inbox.Open(dir); err == nil {
		t.Error("an empty folder opened")
	}
	for _, text := range []string{"", "{", `{"change":"../x"}`, `{"change":"x","step":"dance"}`} {
		if err := os.WriteFile(filepath.Join(dir, "run.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := inbox.Open(dir); err == nil {
			t.Errorf("run.json %q opened", text)
		}
	}
}
