package workflow

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/inbox"
)

// places are where a finding may stand: files that the change touches or that are its own, and the lines they have.
type places struct {
	objects *gitops.Objects
	fork    gitops.ID
	tip     gitops.ID
	known   map[string]bool
}

// placesOf reads what the change touches. The caller closes it.
func (b *Bench) placesOf(ctx context.Context, c *changes.Change) (*places, error) {
	fork, err := c.Fork(ctx)
	if err != nil {
		return nil, err
	}
	touched, err := b.Repo.DiffTrees(ctx, fork, c.Tip)
	if err != nil {
		return nil, err
	}
	own, err := c.Files(ctx)
	if err != nil {
		return nil, err
	}
	p := &places{fork: fork, tip: c.Tip, known: map[string]bool{}}
	for _, f := range touched {
		p.known[f.Path] = true
	}
	for name := range own {
		p.known[c.ID.Dir()+"/"+name] = true
	}
	p.objects, err = b.Repo.Objects(ctx)
	return p, err
}

func (p *places) close() { _ = p.objects.Close() }

// has says whether a finding may stand there; a line of 0 is the whole file.
func (p *places) has(file string, line int) (bool, error) {
	if !p.known[file] {
		return false, nil
	}
	if line == 0 {
		return true, nil
	}
	for _, side := range []gitops.ID{p.tip, p.fork} {
		_, kind, content, err := p.objects.Lookup(string(side) + ":" + file)
		if errors.Is(err, gitops.ErrNotFound) {
			continue
		}
		if err != nil {
			return false, err
		}
		lines := bytes.Count(content, []byte("\n"))
		if len(content) > 0 && !bytes.HasSuffix(content, []byte("\n")) {
			lines++
		}
		if kind == "blob" && line <= lines {
			return true, nil
		}
	}
	return false, nil
}

// spot is the place of one finding.
type spot struct {
	file *string
	line *int
	text *string
}

func spotsOf(v *inbox.Verdict) []spot {
	var spots []spot
	if v.Challenge != nil {
		for i := range v.Challenge.Findings {
			f := &v.Challenge.Findings[i]
			spots = append(spots, spot{&f.File, &f.Line, &f.Description})
		}
	}
	if v.Review != nil {
		for i := range v.Review.Findings {
			f := &v.Review.Findings[i]
			spots = append(spots, spot{&f.File, &f.Line, &f.Description})
		}
	}
	return spots
}

func (s spot) String() string {
	if *s.line > 0 {
		return fmt.Sprintf("%s:%d", *s.file, *s.line)
	}
	return *s.file
}

// settle moves places that are not in the pull request into the words of their findings, and returns them.
func (p *places) settle(v *inbox.Verdict) (moved []string) {
	for _, s := range spotsOf(v) {
		if *s.file == "" {
			continue
		}
		if there, err := p.has(*s.file, *s.line); err == nil && there {
			continue
		}
		moved = append(moved, s.String())
		*s.text += "\n\nAt " + s.String() + "."
		*s.file, *s.line = "", 0
	}
	return moved
}

// admit refuses a verdict with a finding that stands nowhere in the pull request.
func (p *places) admit(v *inbox.Verdict) error {
	for _, s := range spotsOf(v) {
		if *s.file == "" {
			continue
		}
		there, err := p.has(*s.file, *s.line)
		if err != nil {
			return err
		}
		if !there {
			return refuseResult("a finding is about %q, which is not in the pull request", shortened(s.String()))
		}
	}
	return nil
}
