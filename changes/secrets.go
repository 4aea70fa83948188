package changes

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/agentd/gh-agentd/gitops"
)

// Secret is a value that must never be committed, and the name of the variable that holds it.
type Secret struct{ Name, Value string }

// LeakError says that a step would have put a secret into the history.
type LeakError struct {
	Name string // of the variable that holds it
	Path string // the file, "" for the commit's message

	InPath bool // the path of a file holds it, which is not told then
}

func (e *LeakError) Error() string {
	where := e.Path
	switch {
	case e.InPath:
		where = "the path of a file"
	case where == "":
		where = "the commit's message"
	}
	return fmt.Sprintf("%s holds the value of %s: nothing was committed", where, e.Name)
}

// Hint names the way out.
func (e *LeakError) Hint() string {
	return fmt.Sprintf("take it out, or unset %s, and run the same command again; whoever saw it may have kept it", e.Name)
}

// writeTree is the base with the edits, unless one of them brings a secret in.
func (s *Store) writeTree(ctx context.Context, base gitops.ID, edits []gitops.Edit) (tree gitops.ID, err error) {
	objects, err := s.Repo.Objects(ctx)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, objects.Close()) }()
	if err := s.keepsSecrets(objects, base, edits); err != nil {
		return "", err
	}
	return objects.WriteTree(ctx, base, edits)
}

// keepsSecrets reads what the edits bring. A file that held the value before is nobody's leak of today.
func (s *Store) keepsSecrets(objects *gitops.Objects, base gitops.ID, edits []gitops.Edit) error {
	if len(s.Secrets) == 0 {
		return nil
	}
	for _, e := range edits {
		if e.Delete {
			continue
		}
		if err := s.namesSecret(objects, base, e.Path); err != nil {
			return err
		}
		if e.Mode == gitops.ModeTree || e.Mode == gitops.ModeGitlink {
			continue
		}
		content := e.Content
		if e.ID != "" {
			var err error
			if content, err = objects.Blob(e.ID); err != nil {
				return fmt.Errorf("look for secrets in %s: %w", e.Path, err)
			}
		}
		for _, secret := range s.Secrets {
			if !bytes.Contains(content, []byte(secret.Value)) {
				continue
			}
			_, _, before, err := objects.Lookup(string(base) + ":" + e.Path)
			if err != nil && !isNotFound(err) {
				return err
			}
			if !bytes.Contains(before, []byte(secret.Value)) {
				return &LeakError{Name: secret.Name, Path: e.Path}
			}
		}
	}
	return nil
}

// namesSecret says that an edit brings in a file whose path holds a secret.
func (s *Store) namesSecret(objects *gitops.Objects, base gitops.ID, path string) error {
	for _, secret := range s.Secrets {
		if !strings.Contains(path, secret.Value) {
			continue
		}
		_, _, _, err := objects.Lookup(string(base) + ":" + path)
		if isNotFound(err) {
			return &LeakError{Name: secret.Name, InPath: true}
		}
		return err
	}
	return nil
}

// tellsSecret says that a commit's message holds a secret.
func (s *Store) tellsSecret(message string) error {
	for _, secret := range s.Secrets {
		if strings.Contains(message, secret.Value) {
			return &LeakError{Name: secret.Name}
		}
	}
	return nil
}
