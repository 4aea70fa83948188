package arch

import (
	"slices"
	"strings"
	"testing"
)

// layer is the height of a package; imports go down.
type layer int

const (
	plumbing layer = iota
	words
	world
	work
	surface
	top1
	tool // programs and tests about the house: import what they like, imported by nobody
)

// layers names every package that there is. A new one is entered here, with a reason in docs/decisions.md.
var layers = map[string]layer{
	"internal/confine": plumbing,
	"internal/proc":    plumbing,

	"foreign":   words,
	"phases":    words,
	"specs":     words,
	"templates": words,

	"agents": world,
	"config": world,
	"gitops": world,
	"github": world,
	"hooks":  world,

	"changes":  work,
	"inbox":    work,
	"workflow": work,

	"mcp":  surface,
	"view": surface,
	"cli":  surface,

	"": top1,

	"internal/arch":     tool,
	"internal/bench":    tool,
	"internal/campaign": tool,
	"internal/clis":     tool,
	"internal/gen":      tool,
}

// sideways are the arrows inside a layer.
var sideways = map[string][]string{
	"specs":    {"phases"},
	"foreign":  {"phases", "specs"},
	"workflow": {"changes", "inbox"},
	"cli":      {"mcp", "view"},
}

// plumbers are who may use the plumbing.
// workflow runs the project's checks; init and hooks write into folders of other programs; cli shows what programs said, cleaned for terminals.
var plumbers = map[string][]string{
	"internal/proc":    {"agents", "cli", "gitops", "workflow"},
	"internal/confine": {"agents", "hooks", "inbox", "mcp", "view", "workflow"},
}

// onlyMain are surfaces' surfaces: the process border knows the command line and nothing else.
var onlyMain = []string{"cli"}

func isTestHelper(name string) bool { return strings.HasSuffix(name, "test") && name != "" }

func TestLaw1_importsGoDown(t *testing.T) {
	for _, p := range packages(t) {
		if isTestHelper(p.Name) {
			continue
		}
		mine, known := layers[p.Name]
		if !known {
			t.Errorf("package %q has no layer: enter it into layers", p.Name)
			continue
		}
		if mine == tool {
			continue
		}
		for _, f := range p.Files {
			if f.Test {
				continue
			}
			for _, path := range f.imports() {
				if name, ok := ours(path); ok && !allowed(p.Name, mine, name) {
					t.Errorf("%s imports %s: not a lower layer", f.Path, name)
				}
			}
		}
	}
}

func allowed(from string, mine layer, to string) bool {
	theirs, known := layers[to]
	switch {
	case !known || theirs == tool:
		return false
	case mine == top1:
		return slices.Contains(onlyMain, to)
	case theirs == plumbing:
		return slices.Contains(plumbers[to], from)
	case theirs == mine:
		return slices.Contains(sideways[from], to)
	}
	return theirs < mine
}

// owners say who speaks to a neighbour. Longest prefix first: go-gh's parts have different owners.
var owners = []struct {
	path string
	by   []string
}{
	{"os/exec", []string{"internal/proc", "internal/bench"}}, // the bench needs the kernel's account of a process
	{"github.com/go-git", []string{"gitops"}},
	{"github.com/google/go-github", []string{"github"}},
	{"github.com/cli/go-gh/v2/pkg/api", []string{"github"}},
	{"github.com/cli/go-gh/v2/pkg/auth", []string{"github"}},
	{"github.com/cli/go-gh/v2/pkg/repository", []string{"github"}},
	{"github.com/cli/go-gh", []string{"cli"}},
	{"golang.org/x/term", []string{"cli"}},
	{"golang.org/x/sync", []string{"gitops", "workflow"}}, // a helper like the standard library's: whoever waits for several
	{"github.com/spf13", []string{"cli"}},
	{"gopkg.in/yaml.v3", []string{"specs", "agents"}},
	{"github.com/BurntSushi/toml", []string{"config", "agents"}}, // agents reads what codex would merge
	{"github.com/modelcontextprotocol/go-sdk", []string{"mcp", "agents"}},
	{"github.com/gofrs/flock", []string{"inbox"}},
	{"github.com/yuin/goldmark", []string{"specs", "view"}},
	{"github.com/charmbracelet/x/ansi", []string{"internal/proc", "cli"}},
}

func TestLaw2_oneOwnerPerNeighbour(t *testing.T) {
	for _, p := range packages(t) {
		if isTestHelper(p.Name) {
			continue
		}
		for _, f := range p.Files {
			if f.Test {
				continue
			}
			for _, path := range f.imports() {
				if by := ownersOf(path); by != nil && !slices.Contains(by, p.Name) {
					t.Errorf("%s imports %s, which belongs to %s", f.Path, path, strings.Join(by, " and "))
				}
			}
		}
	}
}

// A library that nobody has been given has no place yet.
func TestLaw2_everyLibraryHasAnOwner(t *testing.T) {
	for _, p := range packages(t) {
		if isTestHelper(p.Name) || layers[p.Name] == plumbing {
			continue
		}
		for _, f := range p.Files {
			if f.Test {
				continue
			}
			for _, path := range f.imports() {
				domain, _, _ := strings.Cut(path, "/")
				if _, ok := ours(path); ok || !strings.Contains(domain, ".") || within(path, "golang.org/x/sys") {
					continue
				}
				if ownersOf(path) == nil {
					t.Errorf("%s imports %s, which nobody owns: enter it into owners", f.Path, path)
				}
			}
		}
	}
}

func ownersOf(path string) []string {
	for _, o := range owners {
		if within(path, o.path) {
			return o.by
		}
	}
	return nil
}

func TestLaw3_testHelpersAreForTests(t *testing.T) {
	for _, p := range packages(t) {
		for _, f := range p.Files {
			if f.Test {
				continue
			}
			for _, path := range f.imports() {
				name, ok := ours(path)
				if ok && isTestHelper(name) && !isTestHelper(p.Name) {
					t.Errorf("%s imports %s, which is for tests", f.Path, name)
				}
				if within(path, "testing") && !isTestHelper(p.Name) {
					t.Errorf("%s imports %s and is not a test", f.Path, path)
				}
			}
		}
	}
}
