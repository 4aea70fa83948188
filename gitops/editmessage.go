package gitops

import (
	"context"
	"errors"
)

// AddTrailer lets git add a trailer to the message in a file that is not a commit yet, comments and scissors in it included.
// A key that stands there already is left as it is.
func (r *Repo) AddTrailer(ctx context.Context, file, key, value string) error {
	_, err := r.git(ctx, call{args: []string{
		"interpret-trailers", "--in-place", "--where", "end", "--if-exists", "doNothing", "--if-missing", "add",
		"--trailer", key + ": " + value, file,
	}})
	return err
}

// Replayed is the raw message of the commit that a rebase or a cherry-pick under way is making again, or "".
func (r *Repo) Replayed(ctx context.Context) (string, error) {
	objects, err := r.Objects(ctx)
	if err != nil {
		return "", err
	}
	defer objects.Close() //nolint:errcheck // only read
	for _, name := range []string{"CHERRY_PICK_HEAD", "REBASE_HEAD"} {
		commit, err := objects.CommitAt(name)
		if errors.Is(err, ErrNotFound) {
			continue
		}
		return commit.Message, err
	}
	return "", nil
}
