package gitops

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Edit is one change to a tree.
//
// Exactly one of three: Delete takes away what Path names, a file or a whole folder, and is no error where there is nothing;
// ID puts an object there that exists already, a whole folder where Mode is [ModeTree];
// otherwise Content becomes the file's content. Mode defaults to [ModeFile].
type Edit struct {
	Path    string // from the top, with slashes
	Delete  bool
	Replace bool // whatever stands there goes: a link, a submodule, a folder where a file comes
	Mode    Mode
	ID      ID
	Content []byte
}

// WriteTree is [Objects.WriteTree] for a caller without a reader at hand.
func (r *Repo) WriteTree(ctx context.Context, base ID, edits []Edit) (tree ID, err error) {
	objects, err := r.Objects(ctx)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, objects.Close()) }()
	return objects.WriteTree(ctx, base, edits)
}

// WriteTree makes the tree that base becomes by edits, and writes what of it does not exist yet
// with one further process, whatever the number of files.
// The zero base is the empty tree. Neither index nor worktree is touched.
//
// A path that leads over a symbolic link is a [*SymlinkError], one that leads into a submodule a [*NestedRepositoryError].
// Folders without files vanish.
func (o *Objects) WriteTree(ctx context.Context, base ID, edits []Edit) (ID, error) {
	plan := &plan{}
	for i := range edits {
		if err := plan.add(&edits[i]); err != nil {
			return "", err
		}
	}
	w := treeWriter{objects: o, repo: o.repo}
	if base.IsZero() {
		base = o.repo.emptyTree()
	}
	tree, err := w.apply(base, plan, "")
	if err != nil {
		return "", err
	}
	if tree.IsZero() {
		if tree, err = w.keep("tree", nil); err != nil {
			return "", err
		}
	}
	return tree, o.repo.writeObjects(ctx, w.made)
}

// plan is the edits as a tree: an inner node has children, a leaf has an edit.
type plan struct {
	edit     *Edit
	children map[string]*plan
}

// add takes in one edit. What is deleted may be the folder of new files,
// and what was below a path goes where a file takes its place.
func (p *plan) add(edit *Edit) error {
	node := p
	for name := range strings.SplitSeq(edit.Path, "/") {
		if node.edit != nil && !node.edit.Delete {
			if edit.Delete {
				return nil
			}
			return fmt.Errorf("edits of %q and of %q exclude each other", node.edit.Path, edit.Path)
		}
		if node.children == nil {
			node.children = map[string]*plan{}
		}
		if node.children[name] == nil {
			node.children[name] = &plan{}
		}
		node = node.children[name]
	}
	switch {
	case node.edit != nil:
		return fmt.Errorf("more than one edit of %q", edit.Path)
	case !edit.Delete && node.children != nil && !node.onlyDeletes():
		return fmt.Errorf("edits of %q and of what is below it exclude each other", edit.Path)
	case !edit.Delete:
		node.children = nil
	}
	node.edit = edit
	return nil
}

// treeWriter names objects in process and collects those that are new.
type treeWriter struct {
	objects *Objects
	repo    *Repo
	made    []newObject
}

// apply returns the tree that base becomes, or the zero ID if nothing is left in it.
func (w *treeWriter) apply(base ID, p *plan, at string) (ID, error) {
	var entries []Entry
	if !base.IsZero() {
		var err error
		if entries, err = w.objects.Tree(base); err != nil {
			return "", fmt.Errorf("read tree %q: %w", at, err)
		}
	}
	changed := false
	for _, name := range slices.Sorted(maps.Keys(p.children)) {
		path := join(at, name)
		i := slices.IndexFunc(entries, func(e Entry) bool { return e.Name == name })
		var old Entry
		if i >= 0 {
			old = entries[i]
		}
		next, err := w.replace(old, p.children[name], name, path)
		if err != nil {
			return "", err
		}
		switch {
		case next == old || next.ID.IsZero() && i < 0:
			continue
		case next.ID.IsZero():
			entries = slices.Delete(entries, i, i+1)
		case i < 0:
			entries = append(entries, next)
		default:
			entries[i] = next
		}
		changed = true
	}
	switch {
	case len(entries) == 0:
		return "", nil
	case !changed:
		return base, nil
	}
	content, err := w.repo.encodeTree(entries)
	if err != nil {
		return "", fmt.Errorf("write tree %q: %w", at, err)
	}
	return w.keep("tree", content)
}

// replace returns the entry that stands at path after the edits; its ID is zero if none does.
func (w *treeWriter) replace(old Entry, p *plan, name, path string) (Entry, error) {
	if p.edit != nil && p.edit.Replace {
		old = Entry{}
	}
	switch {
	case old.Mode == ModeSymlink:
		return Entry{}, &SymlinkError{Path: path}
	case old.Mode == ModeGitlink:
		return Entry{}, &NestedRepositoryError{Path: path}
	case p.edit != nil && p.edit.Delete && len(p.children) == 0:
		return Entry{}, nil
	case p.edit != nil && !p.edit.Delete:
		return w.put(old, *p.edit, name)
	case p.edit != nil: // deleted, and files come below it
		old = Entry{}
	case old.Mode.IsFile() && !p.onlyDeletes():
		return Entry{}, fmt.Errorf("%s is a file, not a folder", path)
	case old.Mode.IsFile():
		return old, nil
	}
	id, err := w.apply(old.ID, p, path)
	return Entry{Name: name, Mode: ModeTree, ID: id}, err
}

func (p *plan) onlyDeletes() bool {
	if p.edit != nil && !p.edit.Delete {
		return false
	}
	for _, child := range p.children {
		if !child.onlyDeletes() {
			return false
		}
	}
	return true
}

func (w *treeWriter) put(old Entry, edit Edit, name string) (Entry, error) {
	next := Entry{Name: name, Mode: cmp.Or(edit.Mode, ModeFile), ID: edit.ID}
	if old.Mode != 0 && (old.Mode == ModeTree) != (next.Mode == ModeTree) {
		return Entry{}, fmt.Errorf("%s is a %s, not a %s", edit.Path, old.Mode.kind(), next.Mode.kind())
	}
	var err error
	if next.ID.IsZero() {
		if next.Mode == ModeTree || next.Mode == ModeGitlink {
			return Entry{}, fmt.Errorf("edit of %q: a %s needs an id", edit.Path, next.Mode.kind())
		}
		next.ID, err = w.keep("blob", edit.Content)
		return next, err
	}
	if next.Mode == ModeGitlink || next.ID == old.ID {
		return next, nil
	}
	_, kind, _, err := w.objects.Kind(string(next.ID))
	if err == nil && kind != next.Mode.kind() {
		err = fmt.Errorf("%s is a %s", next.ID.Short(), kind)
	}
	if err != nil {
		return Entry{}, fmt.Errorf("edit of %q: %w", edit.Path, err)
	}
	return next, nil
}

func (w *treeWriter) keep(kind string, content []byte) (ID, error) {
	id, err := w.repo.name(kind, content)
	if err == nil && !slices.ContainsFunc(w.made, func(o newObject) bool { return o.id == id }) {
		w.made = append(w.made, newObject{id: id, kind: kind, content: content})
	}
	return id, err
}

func join(at, name string) string {
	if at == "" {
		return name
	}
	return at + "/" + name
}
