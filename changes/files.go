package changes

import (
	"context"
	"fmt"
	"iter"

	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
)

// folderLimit bounds how many files a change's folder may hold.
const folderLimit = 1_000

// Files reads the change's folder at its tip: contents by path relative to the folder.
// Symbolic links and nested repositories are refused with *OddFileError: nothing follows or repairs them.
// The map is shared: callers must not change it.
func (c *Change) Files(ctx context.Context) (map[string][]byte, error) {
	if c.files != nil {
		return c.files, nil
	}
	if c.odd != nil {
		return nil, c.odd
	}
	files := map[string][]byte{}
	if c.folder == "" {
		return files, nil
	}
	objects, err := c.store.Repo.Objects(ctx)
	if err != nil {
		return nil, err
	}
	defer objects.Close()
	entries, err := objects.Tree(c.folder)
	if err != nil {
		return nil, err
	}
	every := func(string) bool { return true }
	if err := readFiles(objects, files, c.ID, entries, every); err != nil {
		return nil, err
	}
	c.files = files
	return files, nil
}

// readFiles reads those files of a change's folder that are wanted, all of them at once.
// The folder must be in order as a whole: what is not wanted is counted and looked at like the rest.
func readFiles(objects *gitops.Objects, files map[string][]byte, id phases.ChangeID, entries []gitops.Entry, wanted func(path string) bool) error {
	list := listing{objects: objects, id: id}
	if err := list.add(entries, ""); err != nil {
		return err
	}
	var paths []string
	var blobs []gitops.ID
	for _, f := range list.found {
		if wanted(f.Name) {
			paths, blobs = append(paths, f.Name), append(blobs, f.ID)
		}
	}
	contents, err := objects.Blobs(blobs)
	if err != nil {
		return err
	}
	for i, path := range paths {
		files[path] = contents[i]
	}
	return nil
}

// listing collects the files of a change's folder and of the folders in it, each under its path.
type listing struct {
	objects *gitops.Objects
	id      phases.ChangeID
	found   []gitops.Entry
}

func (l *listing) add(entries []gitops.Entry, prefix string) error {
	for _, e := range entries {
		path := prefix + e.Name
		switch {
		case e.Mode == gitops.ModeTree:
			below, err := l.objects.Tree(e.ID)
			if err != nil {
				return err
			}
			if err := l.add(below, path+"/"); err != nil {
				return err
			}
		case !e.Mode.IsFile():
			return &OddFileError{Path: l.id.Dir() + "/" + path, Kind: kindOf(e.Mode)}
		case len(l.found) >= folderLimit:
			return fmt.Errorf("%s holds more than %d files", l.id.Dir(), folderLimit)
		default:
			l.found = append(l.found, gitops.Entry{Name: path, Mode: e.Mode, ID: e.ID})
		}
	}
	return nil
}

// Docs are the change's documents at its tip, ready for validation.
func (c *Change) Docs(ctx context.Context) (specs.ChangeDocs, error) {
	files, err := c.Files(ctx)
	return specs.ChangeDocs{ID: c.ID.String(), Files: files}, err
}

// CodeChanges lists what the change did outside agentd/ since it left the base, sorted by path.
func (c *Change) CodeChanges(ctx context.Context) ([]gitops.FileChange, error) {
	fork, err := c.Fork(ctx)
	if err != nil {
		return nil, err
	}
	return codeChanges(ctx, c.store.Repo, fork, c.Tip)
}

// Fork is the newest commit of the base branch that the change contains.
func (c *Change) Fork(ctx context.Context) (gitops.ID, error) {
	return (&differ{ctx: ctx, repo: c.store.Repo, base: c.State.Base.Branch}).fork(c.Tip)
}

// Diff is the Agentd-Diff of the change's tip (DESIGN section 4).
func (c *Change) Diff(ctx context.Context) (string, error) {
	return (&differ{ctx: ctx, repo: c.store.Repo, base: c.State.Base.Branch}).Diff(string(c.Tip))
}

// Folder is the tree of the change's folder at its tip, "" when there is none.
func (c *Change) Folder() gitops.ID { return c.folder }

// Tree is the root tree at the change's tip.
func (c *Change) Tree() gitops.ID { return c.tree }

func kindOf(m gitops.Mode) string {
	switch m {
	case gitops.ModeSymlink:
		return "symbolic link"
	case gitops.ModeGitlink:
		return "nested git repository"
	}
	return "file of mode " + m.String()
}

// OddFileError names something in a change's folder that is no ordinary file.
type OddFileError struct{ Path, Kind string }

func (e *OddFileError) Error() string { return fmt.Sprintf("%s is a %s", e.Path, e.Kind) }

// Hint names the next command.
func (e *OddFileError) Hint() string {
	return fmt.Sprintf("remove it: `git rm %[1]s`, or `rm %[1]s` where git does not have it", e.Path)
}

// AllDocs reads the plan of every change that has a branch, and the record of its import, through one git process.
// It replays nothing.
func (s *Store) AllDocs(ctx context.Context) iter.Seq2[specs.ChangeDocs, error] {
	return func(yield func(specs.ChangeDocs, error) bool) {
		refs, err := s.Repo.Refs(ctx, "refs/heads/agentd/")
		if err != nil {
			yield(specs.ChangeDocs{}, err)
			return
		}
		objects, err := s.Repo.Objects(ctx)
		if err != nil {
			yield(specs.ChangeDocs{}, err)
			return
		}
		defer objects.Close()
		for _, ref := range refs {
			id, ok := phases.ChangeIDFromBranch(ref.Name)
			if !ok {
				continue
			}
			files := map[string][]byte{}
			_, entries, err := objects.TreeAt(string(ref.ID) + ":" + id.Dir())
			if err == nil {
				err = readFiles(objects, files, id, entries, func(path string) bool {
					return specs.PlanPaths(path) || path == specs.ImportFile
				})
			} else if isNotFound(err) {
				err = nil
			}
			if !yield(specs.ChangeDocs{ID: id.String(), Files: files}, err) {
				return
			}
		}
	}
}
