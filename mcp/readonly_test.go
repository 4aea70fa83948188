package mcp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/agentd/gh-agentd/mcp"
)

type reader struct {
	files   func(ctx context.Context) (map[string][]byte, error)
	changed []string
}

func (r reader) Files(ctx context.Context) (map[string][]byte, error) { return r.files(ctx) }

func (r reader) ChangedFiles(context.Context) ([]string, error) { return r.changed, nil }

func sampleFiles(context.Context) (map[string][]byte, error) {
	return map[string][]byte{"proposal.md": []byte(proposalMD), "specs/auth.md": []byte(authMD)}, nil
}

func TestServe_readOnly(t *testing.T) {
	c := start(t, mcp.Options{Change: "add-oauth", Reader: reader{sampleFiles, []string{"b.go", "a.go"}}})
	c.initialize("2025-06-18")
	for _, row := range []struct{ tool, args, want string }{
		{"list_specs", `{}`, "auth: Sign in"},
		{"read_all_requirements", `{}`, "auth#R1"},
		{"read_file", `{"path":"specs/auth.md"}`, "### R1: Start"},
		{"list_changed_files", `{}`, "a.go\nb.go"},
		{"validate_change", `{}`, "HIGH"},
	} {
		if text, isError := c.call(row.tool, row.args); isError || !strings.Contains(text, row.want) {
			t.Errorf("%s: %v %q", row.tool, isError, text)
		}
	}
	for path, want := range map[string]string{"../x": "outside the change folder", "none.md": "does not exist", ".env": "not a document"} {
		if text, isError := c.call("read_file", fmt.Sprintf(`{"path":%q}`, path)); !isError || !strings.Contains(text, want) {
			t.Errorf("read_file %q: %v %q", path, isError, text)
		}
	}
	id := c.sendCall("edit_file", "{}")
	wantError(t, c.receive(), fmt.Sprint(id), -32602, "belongs to a step")
	if text, isError := c.call("list_specs", `{"change_id":"other"}`); !isError || !strings.Contains(text, `serves change "add-oauth"`) {
		t.Errorf("%v %q", isError, text)
	}
}

func TestServe_readerFails(t *testing.T) {
	broken := func(context.Context) (map[string][]byte, error) { return nil, errors.New("the repository is gone") }
	c := start(t, mcp.Options{Change: "add-oauth", Reader: reader{files: broken}})
	c.initialize("2025-06-18")
	if text, isError := c.call("list_specs", "{}"); !isError || text != "the repository is gone" {
		t.Errorf("%v %q", isError, text)
	}
}

func TestServe_needsSomethingToServe(t *testing.T) {
	err := mcp.Serve(t.Context(), mcp.Options{In: strings.NewReader(""), Out: io.Discard})
	if err == nil {
		t.Error("a server of nothing was started")
	}
}
