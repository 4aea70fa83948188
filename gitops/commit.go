package gitops

import (
	"context"
	"errors"
	"strings"
)

// CommitRequest is a commit to be made. No reference moves.
type CommitRequest struct {
	Tree    ID // required
	Parents []ID
	Message string // raw; a line break is added at the end if there is none

	// Keep judges the message after the user's commit-msg hook, which may rewrite it.
	// Its error ends the commit. Nil accepts what the hook made of it.
	Keep func(after string) error
}

// CommitTree makes a commit with the user's identity, signed where commit.gpgSign asks for it,
// after the user's commit-msg hook has seen the message.
//
// Errors: [*HookError] where the hook refuses, what Keep says, [*SigningError], [*IdentityError].
func (r *Repo) CommitTree(ctx context.Context, req CommitRequest) (ID, error) {
	if strings.ContainsRune(req.Message, 0) {
		return "", errors.New("commit message with a NUL character")
	}
	message, err := r.throughHook(ctx, req.Message)
	if err != nil {
		return "", err
	}
	if req.Keep != nil {
		if err := req.Keep(message); err != nil {
			return "", err
		}
	}
	sign, err := r.ConfigBool(ctx, "commit.gpgSign")
	if err != nil {
		return "", err
	}
	// The message is UTF-8, whatever encoding the user writes commits in.
	c := call{args: []string{"-c", "i18n.commitEncoding=UTF-8", "commit-tree"}, in: []byte(message)}
	for _, parent := range req.Parents {
		c.args = append(c.args, "-p", string(parent))
	}
	if sign {
		// commit-tree signs only when it is told to, and whoever unlocks the key needs the user's terminal.
		c.args = append(c.args, "-S")
		c.voice = personal
	}
	c.args = append(c.args, "-F", "-", string(req.Tree))
	out, err := r.git(ctx, c)
	if err != nil {
		return "", commitError(err, sign)
	}
	return parseID(line(out))
}

// SigningError says that the commit could not be signed, and was therefore not made.
type SigningError struct{ Detail string }

func (e *SigningError) Error() string { return "sign the commit: " + e.Detail }

// Hint is how to try the key alone.
func (e *SigningError) Hint() string {
	return `git commit --allow-empty -S -m "try the key"; git config commit.gpgSign tells whether signing is on`
}

func commitError(err error, sign bool) error {
	git, ok := errors.AsType[*GitError](err)
	switch {
	case !ok:
		return err
	case strings.Contains(git.Stderr, "identity unknown"), strings.Contains(git.Stderr, "empty ident name"):
		return &IdentityError{Detail: firstComplaint(strings.TrimSpace(git.Stderr))}
	case sign && strings.Contains(git.Stderr, "sign"):
		return &SigningError{Detail: strings.TrimSpace(git.Stderr)}
	}
	return err
}
