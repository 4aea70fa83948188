package specs

import (
	"fmt"
	"path"
	"strings"

	"github.com/agentd/gh-agentd/phases"
)

// SpecID names one spec, in a change and on main: the file specs/<id>.md.
// It obeys the rule of change ids, so that it can be a file name everywhere.
type SpecID string

// ParseSpecID is the only way from text to a SpecID.
func ParseSpecID(s string) (SpecID, error) {
	if err := phases.CheckName(s); err != nil {
		return "", err
	}
	return SpecID(s), nil
}

// Path returns the path of the spec inside a change folder, and inside agentd/: specs/<id>.md.
func (id SpecID) Path() string { return "specs/" + string(id) + ".md" }

// specIDFromPath returns the id of the spec that lives at a path relative to the change folder.
func specIDFromPath(name string) (SpecID, error) {
	base, ok := strings.CutSuffix(path.Base(name), ".md")
	if !ok || path.Dir(name) != "specs" {
		return "", fmt.Errorf("%q is not the path of a spec, want specs/<id>.md", name)
	}
	return ParseSpecID(base)
}
