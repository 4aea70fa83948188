package workflow

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/templates"
)

// How much of the control files of a change a judge is shown. The rest stands in the commit.
const (
	mostControls    = 20
	mostControlText = 4 << 10 // bytes of one file
)

// quotedControls are what the change makes of the files that tell agents what to do, for whoever judges it.
// They are material and not in force: nil where no other commit is trusted, for then those of the change are.
func (b *Bench) quotedControls(ctx context.Context, c *changes.Change) ([]templates.ControlFile, error) {
	if b.trusted.IsZero() {
		return nil, nil
	}
	fork, err := c.Fork(ctx)
	if err != nil {
		return nil, err
	}
	touched, err := b.controlsChanged(ctx, fork, c.Tip)
	if err != nil || len(touched) == 0 {
		return nil, err
	}
	objects, err := b.Repo.Objects(ctx)
	if err != nil {
		return nil, err
	}
	defer objects.Close()
	var quoted []templates.ControlFile
	for i, f := range touched {
		if i == mostControls {
			quoted = append(quoted, templates.ControlFile{Path: plural(len(touched)-i, "file") + " more"})
			break
		}
		text, err := controlText(objects, f)
		if err != nil {
			return nil, err
		}
		quoted = append(quoted, templates.ControlFile{Path: f.Path, Text: text})
	}
	return quoted, nil
}

// controlText is what a file says after the change.
func controlText(objects *gitops.Objects, f gitops.FileChange) (string, error) {
	switch {
	case f.NewID.IsZero():
		return "(deleted)", nil
	case f.NewMode == gitops.ModeGitlink:
		return "(another repository)", nil
	}
	content, err := objects.Blob(f.NewID)
	if tooLarge, ok := errors.AsType[*gitops.TooLargeError](err); ok {
		return fmt.Sprintf("(%v)", tooLarge), nil
	}
	switch {
	case err != nil:
		return "", err
	case f.NewMode == gitops.ModeSymlink:
		return "(a link to " + string(content) + ")", nil
	case bytes.IndexByte(content, 0) >= 0 || !utf8.Valid(content):
		return fmt.Sprintf("(%d bytes that are no text)", len(content)), nil
	case len(content) > mostControlText:
		return strings.ToValidUTF8(string(content[:mostControlText]), "") + fmt.Sprintf("\n(cut: it has %d bytes)", len(content)), nil
	}
	return string(content), nil
}
