package foreign

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
)

// Options say how the tree lies to the repository that imports it.
type Options struct {
	// InPlace says that the tree is the repository's own: what lies in its folder agentd/ belongs to it already.
	InPlace bool
	// Odd are files of the tree that could not be read, and why, as the end of a sentence: "is larger than 262144 bytes".
	Odd map[string]string
}

// Folders are where the tools keep their trees, below the top of a project.
func Folders() []string { return []string{"agentd", "openspec", "specs", ".specify"} }

// Wanted reports whether a file of such a folder says anything about changes.
func Wanted(file string) bool {
	folder, rest, _ := strings.Cut(file, "/")
	first, _, deeper := strings.Cut(rest, "/")
	switch folder {
	case "agentd":
		return deeper && (first == "changes" || first == "archive" || first == "specs") || rest == "config.toml"
	case "openspec":
		return deeper && (first == "changes" || first == "specs") || rest == "config.yaml" || rest == "project.md" || rest == "AGENTS.md"
	case "specs":
		return deeper && featureName().MatchString(first)
	}
	return file == constitution
}

// Read finds what the tree holds: a project with one or more of the folders that tools use, or such a folder itself.
// A tree without any of them has no changes.
func Read(t Tree, o Options) Collection {
	var c Collection
	switch {
	case len(t.below("agentd")) > 0:
		c.agentd(t, "agentd", o)
	case isAgentd(t):
		c.agentd(t, "", Options{})
	}
	switch {
	case len(t.below("openspec")) > 0:
		c.openSpec(t, "openspec")
	case isOpenSpec(t) && !isAgentd(t):
		c.openSpec(t, "")
	}
	switch {
	case isSpecKit(t.below("specs")):
		c.specKit(t, "specs")
	case isSpecKit(t):
		c.specKit(t, "")
	}
	c.odd(maps.Clone(o.Odd))
	c.sort()
	return c
}

// odd tells the changes which of their files could not be read. A plan with one of its documents missing is none.
func (c *Collection) odd(files map[string]string) {
	for _, file := range slices.Sorted(maps.Keys(files)) {
		for i := range c.Changes {
			change := &c.Changes[i]
			rest, ok := strings.CutPrefix(file, change.Path+"/")
			if !ok || change.ID == change.Format.HomeChange() {
				continue
			}
			if change.Err == nil && path.Ext(rest) == ".md" && change.Phase != phases.None {
				change.Err, change.Files = fmt.Errorf("%s %s", file, files[file]), nil
			} else {
				change.note("%s %s: left out", file, files[file])
			}
			delete(files, file)
		}
	}
	for _, file := range slices.Sorted(maps.Keys(files)) {
		c.Notes = append(c.Notes, fmt.Sprintf("%s %s: left out", file, files[file]))
	}
}

// sort puts what others rest on first, and history last.
func (c *Collection) sort() {
	rank := func(c Change) int {
		switch {
		case c.ID == c.Format.HomeChange():
			return 0
		case c.Phase != phases.None:
			return 1
		}
		return 2
	}
	slices.SortStableFunc(c.Changes, func(a, b Change) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.Path, b.Path))
	})
}

// isAgentd knows a folder of agentd by its configuration, or by what lies in changes/ and archive/.
func isAgentd(t Tree) bool {
	if t.has("config.toml") {
		return true
	}
	for name := range t {
		folder, file := path.Split(name)
		parts := strings.Split(strings.TrimSuffix(folder, "/"), "/")
		switch {
		case len(parts) < 2:
		case parts[0] == "archive" && len(parts) <= 3 && file == specs.StateFile,
			parts[0] == "changes" && len(parts) == 2 && (file == specs.StateFile || file == specs.ClarificationsPath):
			return true
		}
	}
	return false
}

// hasBelow reports whether the tree has a file whose path begins and ends so, with something in between.
func (t Tree) hasBelow(prefix, suffix string) bool {
	for name := range t {
		if strings.HasPrefix(name, prefix) && strings.HasSuffix(name, suffix) && len(name) > len(prefix)+len(suffix) {
			return true
		}
	}
	return false
}

// isOpenSpec knows the folder of OpenSpec by its two folders, the specs of which are folders themselves.
func isOpenSpec(t Tree) bool {
	if t.has("config.yaml") || t.has("project.md") && t.has("AGENTS.md") || t.has("changes/archive/.gitkeep") {
		return len(t.below("changes")) > 0 || len(t.below("specs")) > 0
	}
	return t.hasBelow("specs/", "/spec.md") && len(t.below("changes")) > 0 || t.hasBelow("changes/", "/.openspec.yaml") ||
		t.hasBelow("changes/", "/spec.md")
}

// isSpecKit knows spec-kit's folder of features: 001-photo-albums/spec.md.
func isSpecKit(t Tree) bool {
	return slices.ContainsFunc(t.folders(), func(name string) bool { return isFeature(t, name) })
}

func isFeature(t Tree, name string) bool {
	return featureName().MatchString(name) && t.has(name+"/spec.md")
}

// featureName is a number or a time, and then the name of the feature.
var featureName = lazy(`^(?:\d{3,4}|\d{8}-\d{6})-(.+)$`)

// lazy is a regular expression that is compiled at its first use: a command that imports nothing starts without paying for one.
func lazy(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
