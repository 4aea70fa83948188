package githubtest

import (
	"errors"
	"fmt"
	"strings"
)

// Method is what GitHub's merge button does.
type Method string

// The methods.
const (
	MergeCommit Method = "merge"
	Squash      Method = "squash"
)

// errNotMergeable is what GitHub answers where a pull request cannot be merged.
var errNotMergeable = errors.New("405 Pull Request is not mergeable")

// Merge does what a person's merge button does. Drafts, closed ones and conflicts are refused,
// and a head that lacks a status which the base branch requires.
func (r *Repo) Merge(number int, how Method) error {
	s := r.server
	s.mu.Lock()
	defer s.mu.Unlock()
	r.refresh()
	p := r.pulls[number-1]
	if p.closed || p.draft {
		return errNotMergeable
	}
	for _, context := range r.required[p.base] {
		if state, _ := r.status(p.head, context); state != "success" {
			return fmt.Errorf("405 Required status check %q is expected", context)
		}
	}
	base := s.git.rev(r.Dir, "refs/heads/"+p.base)
	tree, err := s.git.run(r.Dir, "", "merge-tree", "--write-tree", base, p.head)
	if err != nil {
		return fmt.Errorf("%w: %w", errNotMergeable, err)
	}
	made := []string{"commit-tree", tree, "-p", base}
	switch how {
	case MergeCommit:
		made = append(made, "-p", p.head, "-m", fmt.Sprintf("Merge pull request #%d from %s/%s", number, p.from.Owner, p.branch), "-m", p.title)
	case Squash:
		messages, err := s.git.run(r.Dir, "", "log", "--reverse", "--no-merges", "--format=* %B", base+".."+p.head)
		if err != nil {
			return err
		}
		made = append(made, "-m", fmt.Sprintf("%s (#%d)", p.title, number), "-m", strings.TrimSpace(messages))
	default:
		return fmt.Errorf("there is no merge method %q", how)
	}
	merged, err := s.git.run(r.Dir, "", made...)
	if err != nil {
		return err
	}
	if _, err := s.git.run(r.Dir, "", "update-ref", "refs/heads/"+p.base, merged, base); err != nil {
		return err
	}
	p.closed, p.merged, p.mergedAt = true, true, s.now()
	return nil
}

// Require lets a pull request be merged into a branch only where its head has the status with success.
func (r *Repo) Require(branch, context string) {
	r.server.mu.Lock()
	defer r.server.mu.Unlock()
	if r.required == nil {
		r.required = map[string][]string{}
	}
	r.required[branch] = append(r.required[branch], context)
}
