package workflow

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/phases"
)

// takeSide settles a diverged branch. The side that is not taken is kept under refs/agentd/saved/.
func (b *Bench) takeSide(ctx context.Context, id phases.ChangeID, side string) error {
	if id.IsZero() {
		return errors.New("--take needs the id of a change")
	}
	if side != "remote" && side != "local" {
		return fmt.Errorf("--take is %q, want remote or local", side)
	}
	return b.exclusively(ctx, id, "doctor", func(b *Bench) error {
		refs, err := b.Repo.Refs(ctx, id.Ref(), "refs/remotes/", "refs/agentd/saved/"+id.String()+"/")
		if err != nil {
			return err
		}
		var here, there gitops.ID
		saved := 0
		for _, ref := range refs {
			switch {
			case ref.Name == id.Ref():
				here = ref.ID
			case strings.HasPrefix(ref.Name, "refs/agentd/saved/"):
				saved++
			case strings.HasSuffix(ref.Name, "/"+id.Branch()):
				there = ref.ID
			}
		}
		if here == "" || there == "" {
			return fmt.Errorf("change %q has not two sides here: nothing to take", id)
		}
		other := there
		if side == "remote" {
			other = here
		}
		keep := gitops.RefUpdate{Name: fmt.Sprintf("refs/agentd/saved/%s/%d", id, saved+1), New: other}
		if err := b.Repo.UpdateRefs(ctx, "agentd: save the other side of "+id.String(), keep); err != nil {
			return err
		}
		b.Say.Done(fmt.Sprintf("the other side of %s is kept as %s", id, keep.Name))
		if side == "local" {
			b.Say.Note(fmt.Sprintf("publish yours with `git push --force-with-lease origin %s`", id.Branch()))
			return nil
		}
		_, err = b.Store.Move(ctx, id, here, there, "take the remote side")
		return err
	})
}
