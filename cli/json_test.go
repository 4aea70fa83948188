package cli

import (
	"bytes"
	"encoding"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/agentd/gh-agentd/workflow"
)

// sampleRow has what field lists must cope with: an empty field, a renamed one, a private one.
type sampleRow struct {
	Change string    `json:"change"`
	Round  int       `json:"round"`
	Note   string    `json:"note,omitempty"`
	At     time.Time `json:"at"`
	Hidden string    `json:"-"`
}

// runJSON runs a command whose answer is two rows.
func runJSON(t *testing.T, args ...string) said {
	t.Helper()
	env := testEnv(t, append([]string{"gh-agentd"}, args...)...)
	a := newApp(env)
	root := &cobra.Command{Use: "gh-agentd", SilenceErrors: true, SilenceUsage: true}
	root.SetFlagErrorFunc(a.flagError)
	rows := &cobra.Command{Use: "rows"}
	j := addJSON(rows, []sampleRow{})
	rows.RunE = func(*cobra.Command, []string) error {
		return j.write(a.streams, []sampleRow{{Change: "add-oauth", Round: 2, Note: "a <b> & c"}, {Change: "fix-login"}})
	}
	root.AddCommand(rows)
	root.SetArgs(append([]string{"rows"}, args...))
	root.SetOut(env.Out)
	root.SetErr(env.Err)
	cmd, err := root.ExecuteContextC(t.Context())
	code := a.report(t.Context(), cmd, err)
	return said{out: env.Out.(*bytes.Buffer).String(), err: env.Err.(*bytes.Buffer).String(), code: code}
}

func TestJSON(t *testing.T) {
	tests := []struct {
		name, want string
		args       []string
	}{
		{"chosen fields", `[{"change":"add-oauth","round":2},{"change":"fix-login","round":0}]`, []string{"--json", "change,round"}},
		{"an empty field is null", `[{"note":"a <b> & c"},{"note":null}]`, []string{"--json", "note"}},
		{"jq", "add-oauth\nfix-login", []string{"--json", "change", "--jq", ".[].change"}},
		{"template", "add-oauth,fix-login,", []string{"--json", "change", "--template", `{{range .}}{{.change}},{{end}}`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			run := runJSON(t, tt.args...)
			if run.code != ExitOK || strings.TrimRight(run.out, "\n") != tt.want {
				t.Errorf("exit code %d, got %q, want %q, stderr %q", run.code, run.out, tt.want, run.err)
			}
		})
	}
}

func TestJSON_refusals(t *testing.T) {
	tests := []struct {
		name, says string
		args       []string
	}{
		{"without a value it lists the fields", "Fields:\n  change\n  round\n  note\n  at\n", []string{"--json"}},
		{"unknown field lists the fields", `unknown JSON field "phase"`, []string{"--json", "phase"}},
		{"jq without json", "without `--json`", []string{"--jq", "."}},
		{"jq and template", "exclude each other", []string{"--json", "change", "--jq", ".", "--template", "x"}},
		{"broken jq", "--jq: ", []string{"--json", "change", "--jq", ".["}},
		{"broken template", "--template: ", []string{"--json", "change", "--template", "{{"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			checkRefusal(t, runJSON(t, tt.args...), ExitError, tt.says)
		})
	}
}

// The names of fields are part of the interface: a change here breaks somebody's script.
func TestJSON_fieldsAreGolden(t *testing.T) {
	var b strings.Builder
	for _, cmd := range everyCommand(testTree(t)) {
		if fields := cmd.Annotations[annotationFields]; fields != "" {
			b.WriteString(cmd.CommandPath() + "\n  " + strings.ReplaceAll(fields, ",", "\n  ") + "\n")
		}
	}
	golden(t, filepath.Join("testdata", "json-fields.txt"), b.String())
}

// Every name at any depth is written the same way.
func TestJSON_namesAreSnakeCase(t *testing.T) {
	name := regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)
	seen := map[reflect.Type]bool{}
	text := reflect.TypeFor[encoding.TextMarshaler]()
	var walk func(t reflect.Type, path string)
	walk = func(typ reflect.Type, path string) {
		switch {
		case typ.Kind() == reflect.Pointer, typ.Kind() == reflect.Slice:
			walk(typ.Elem(), path)
			return
		case typ.Kind() != reflect.Struct, typ.Implements(text), reflect.PointerTo(typ).Implements(text), seen[typ]:
			return
		}
		seen[typ] = true
		for _, f := range reflect.VisibleFields(typ) {
			tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if !f.IsExported() || tag == "-" || f.Anonymous {
				continue
			}
			if !name.MatchString(tag) {
				t.Errorf("%s.%s has the JSON name %q (as part of %s)", typ, f.Name, tag, path)
			}
			walk(f.Type, path+"."+tag)
		}
	}
	for _, answer := range []any{
		workflow.ActionResult{}, workflow.ListItem{}, workflow.StatusResult{}, workflow.ShowResult{}, workflow.ChangeProblems{},
		workflow.UsageRow{}, workflow.ClarifyResult{}, workflow.DoctorResult{}, workflow.InitResult{}, workflow.SyncResult{}, workflow.ConflictsResult{}, fileRow{},
	} {
		typ := reflect.TypeOf(answer)
		walk(typ, typ.Name())
	}
}

func TestJSON_onEveryReadingCommand(t *testing.T) {
	root := testTree(t)
	for _, name := range []string{
		"plan", "impl", "archive", "list", "status", "show", "validate", "usage", "approve", "reopen", "abandon", "clarify", "init", "doctor",
		"challenge", "review",
	} {
		cmd, _, err := root.Find([]string{name})
		if err != nil || cmd.Annotations[annotationFields] == "" {
			t.Errorf("%s has no --json", name)
		}
	}
}
