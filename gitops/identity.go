package gitops

import (
	"context"
	"errors"
	"strings"
)

// Identity is who git would write into a commit made now.
// A missing one is an [*IdentityError]; ask before anything is spent.
func (r *Repo) Identity(ctx context.Context) (name, email string, err error) {
	for _, role := range []string{"GIT_COMMITTER_IDENT", "GIT_AUTHOR_IDENT"} {
		out, err := r.git(ctx, call{args: []string{"var", role}})
		if git, ok := errors.AsType[*GitError](err); ok {
			return "", "", &IdentityError{Detail: firstComplaint(strings.TrimSpace(git.Stderr))}
		}
		if err != nil {
			return "", "", err
		}
		name, email = splitIdentity(line(out))
	}
	return name, email, nil
}

// splitIdentity reads `A U Thor <author@example.com> 1234567890 +0000`.
func splitIdentity(ident string) (name, email string) {
	open, end := strings.LastIndex(ident, "<"), strings.LastIndex(ident, ">")
	if open < 0 || end < open {
		return ident, ""
	}
	return strings.TrimSpace(ident[:open]), ident[open+1 : end]
}
