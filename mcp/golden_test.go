package mcp_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agentd/gh-agentd/inbox"
	"github.com/agentd/gh-agentd/mcp"
)

var update = flag.Bool("update", false, "write the golden files anew")

// steps are those in which agents work, and the read-only set.
var steps = []string{
	"", "clarify", "proposal-gen", "proposal-review", "spec-gen-auth", "spec-review-auth", "tasks-gen", "tasks-review",
	"validate", "challenge", "reproposal", "implement", "review", "resolve", "pair",
}

// TestServe_toolsList_MC22 compares what clients see with golden files: a changed tool is a visible difference.
func TestServe_toolsList_MC22(t *testing.T) {
	for _, step := range steps {
		t.Run("step "+step, func(t *testing.T) {
			c := start(t, mcp.Options{Box: box(t, step)})
			c.initialize("2025-11-25")
			c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
			var list struct {
				Tools []struct {
					Name        string
					Annotations map[string]any
				}
			}
			answer := c.receive()
			if err := json.Unmarshal(answer.Result, &list); err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, tool := range list.Tools {
				names = append(names, tool.Name)
				if !regexp.MustCompile(`^[a-z_]{1,64}$`).MatchString(tool.Name) {
					t.Errorf("%q is no name for every client", tool.Name)
				}
				readOnly := tool.Annotations["readOnlyHint"] == true
				harmless := tool.Annotations["destructiveHint"] == false && tool.Annotations["openWorldHint"] == false
				if described, _ := inbox.Describe(tool.Name); readOnly != described.ReadOnly || !harmless {
					t.Errorf("%s is annotated %v", tool.Name, tool.Annotations)
				}
			}
			if want := slices.Sorted(slices.Values(inbox.ToolsFor(step))); !slices.Equal(names, want) {
				t.Errorf("tools are %v, want %v", names, want)
			}
			compareGolden(t, "tools-"+cmpOr(step, "none")+".json", answer.Result)
		})
	}
}

func cmpOr(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

func compareGolden(t *testing.T, name string, raw json.RawMessage) {
	t.Helper()
	var got bytes.Buffer
	if err := json.Indent(&got, raw, "", "  "); err != nil {
		t.Fatal(err)
	}
	got.WriteByte('\n')
	path := filepath.Join("testdata", "golden", name)
	if *update {
		if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

// TestServe_sdkClient asks the SDK's own client for a second opinion, over two pipes.
func TestServe_sdkClient(t *testing.T) {
	b := box(t, "proposal-gen")
	server, transport := sdkPipes(t, b)
	client := sdk.NewClient(&sdk.Implementation{Name: "second-opinion", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	tools, err := session.ListTools(t.Context(), nil)
	if err != nil || len(tools.Tools) != 2 {
		t.Fatalf("tools are %+v, %v", tools, err)
	}
	result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "create_proposal", Arguments: map[string]any{
		"summary": "Sign in with OAuth.", "why": "Passwords.", "what_changes": []string{"A page"},
		"impact": map[string]any{"scope": "minor", "affected_specs": []string{"auth"}},
	}})
	if err != nil || result.IsError {
		t.Fatalf("create_proposal: %+v, %v", result, err)
	}
	if structured, ok := result.StructuredContent.(map[string]any); !ok || structured["path"] != "proposal.md" {
		t.Errorf("structured content is %+v", result.StructuredContent)
	}
	result, err = session.CallTool(t.Context(), &sdk.CallToolParams{Name: "create_proposal", Arguments: map[string]any{}})
	if err != nil || !result.IsError {
		t.Errorf("create_proposal without arguments: %+v, %v", result, err)
	}
	if err := session.Close(); err != nil {
		t.Error(err)
	}
	if err := <-server; err != nil {
		t.Error(err)
	}
}
