package gitops

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ProjectOptions narrow a projection.
type ProjectOptions struct {
	Under []string // only these files, or what is below these folders; nil: everything
}

// Project brings the worktrees that have branchRef checked out from old to new, after the reference has moved.
//
// Index entries that equal old get the new content by name; files that equal old are replaced by rename, as git would check them out.
// Whatever a person has staged or edited stays as it is, and its full path is returned in left.
// Nothing else in index or worktree is looked at. Doing it again, or after a crash, does what is missing.
//
// It waits up to 5 s for a locked index, then returns a [*LockFileError]; the reference has moved all the same.
func (r *Repo) Project(ctx context.Context, branchRef string, old, new ID, opts ProjectOptions) (left []string, err error) {
	places, err := r.placesOf(ctx, branchRef)
	if err != nil {
		return nil, err
	}
	return r.projectAt(ctx, places, old, new, opts)
}

func (r *Repo) projectAt(ctx context.Context, places []*Repo, old, new ID, opts ProjectOptions) (left []string, err error) {
	if len(places) == 0 {
		return nil, nil
	}
	changes, err := r.DiffTrees(ctx, old, new)
	if err != nil {
		return nil, err
	}
	changes = slices.DeleteFunc(changes, func(c FileChange) bool { return !under(c.Path, opts.Under) })
	if len(changes) == 0 {
		return nil, nil
	}
	var errs []error
	for _, place := range places {
		p, err := place.prepare(ctx, changes)
		if err == nil {
			err = p.finish()
		}
		errs = append(errs, err)
		left = append(left, p.leftOver()...)
	}
	slices.Sort(left)
	return left, errors.Join(errs...)
}

// placesOf is the repository as seen from each worktree that has the branch checked out and is there.
func (r *Repo) placesOf(ctx context.Context, branchRef string) ([]*Repo, error) {
	all, err := r.Worktrees(ctx)
	if err != nil {
		return nil, err
	}
	var places []*Repo
	for _, w := range all {
		if w.Branch != branchRef || w.Bare || w.Prunable {
			continue
		}
		if r.workTree != "" && samePath(w.Path, r.workTree) {
			places = append(places, r)
			continue
		}
		place := r.At(w.Path)
		if _, err := os.Stat(place.gitDir); err == nil {
			places = append(places, place)
		}
	}
	return places, nil
}

func under(path string, folders []string) bool {
	return folders == nil || slices.ContainsFunc(folders, func(folder string) bool {
		return path == folder || strings.HasPrefix(path, strings.TrimSuffix(folder, "/")+"/")
	})
}

// projection is the work in one worktree.
type projection struct {
	place   *Repo
	changes []FileChange
	index   *indexHold
	left    []string
	put     []FileChange // index entries to write
	hidden  []string     // of these, the ones that a sparse checkout leaves out
	remove  []string
	write   []string
	done    bool
}

// prepare does everything that can fail: it takes the index, decides, and writes the new index and the new files
// beside the old ones. What is left for finish are renames.
// The projection is never nil; after an error it holds nothing.
func (r *Repo) prepare(ctx context.Context, changes []FileChange) (*projection, error) {
	p := &projection{place: r, changes: changes}
	index, err := r.holdIndex(ctx)
	if err != nil {
		return p, err
	}
	p.index = index
	err = p.plan(ctx)
	if err == nil {
		err = p.stage(ctx)
	}
	if err != nil {
		return p, errors.Join(err, index.release())
	}
	return p, nil
}

// leftOver is the full paths of what finish did not bring to the new state.
func (p *projection) leftOver() []string {
	names := p.left
	if !p.done {
		names = pathsOf(p.changes)
	}
	full := make([]string, len(names))
	for i, name := range names {
		full[i] = filepath.Join(p.place.workTree, filepath.FromSlash(name))
	}
	return full
}

func pathsOf(changes []FileChange) []string {
	paths := make([]string, len(changes))
	for i, c := range changes {
		paths[i] = c.Path
	}
	return paths
}

// side says which of the two trees something agrees with.
type side uint8

const (
	foreign side = iota // neither: a person's
	atOld
	atNew
	undecided // perhaps either, behind a filter
	behind    // a folder stands there, whose files may all be going away
)

// plan decides for each path by what index and file hold now. It writes nothing.
func (p *projection) plan(ctx context.Context) error {
	entries, err := p.index.entries(ctx, pathsOf(p.changes))
	if err != nil {
		return err
	}
	sparse, err := p.place.sparse(ctx)
	if err != nil {
		return err
	}
	var filtered, folders []FileChange
	for _, c := range p.changes {
		have := entries[c.Path]
		where := indexSide(have, c)
		if where == foreign {
			p.left = append(p.left, c.Path)
			continue
		}
		if where == atOld {
			p.put = append(p.put, c)
		}
		hidden := len(have) == 1 && have[0].sparse
		if !hidden && sparse && len(have) == 0 {
			if hidden, err = p.leftOut(ctx, c.Path); err != nil {
				return err
			}
		}
		if hidden {
			if where == atOld && c.NewMode != 0 {
				p.hidden = append(p.hidden, c.Path)
			}
			continue
		}
		where, err := p.fileSide(c)
		if err != nil {
			return err
		}
		switch where {
		case undecided:
			filtered = append(filtered, c)
		case behind:
			folders = append(folders, c)
		default:
			p.act(c, where)
		}
	}
	if err := p.decide(ctx, filtered); err != nil {
		return err
	}
	return p.clear(folders)
}

// clear decides about files that come where folders are: they may if everything in the folder is going away.
func (p *projection) clear(changes []FileChange) error {
	for _, c := range changes {
		where := atOld
		top := filepath.Join(p.place.workTree, filepath.FromSlash(c.Path))
		err := filepath.WalkDir(top, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			name, err := filepath.Rel(p.place.workTree, path)
			if !slices.Contains(p.remove, filepath.ToSlash(name)) {
				where = foreign
			}
			return err
		})
		if err != nil {
			return err
		}
		p.act(c, where)
	}
	return nil
}

func indexSide(have []staged, c FileChange) side {
	switch {
	case len(have) == 0 && c.OldMode == 0, len(have) == 1 && have[0].is(c.OldMode, c.OldID):
		return atOld
	case len(have) == 0 && c.NewMode == 0, len(have) == 1 && have[0].is(c.NewMode, c.NewID):
		return atNew
	}
	return foreign
}

func (s staged) is(mode Mode, id ID) bool { return s.stage == "0" && s.mode == mode && s.id == id }

// fileSide compares a file with both trees without git: what has the name of a blob is that blob.
func (p *projection) fileSide(c FileChange) (side, error) {
	if c.OldMode == ModeGitlink || c.NewMode == ModeGitlink {
		return atNew, nil // a submodule's files are the user's to move
	}
	content, kind, err := p.read(c.Path)
	if err != nil {
		return foreign, err
	}
	if kind == missing {
		switch {
		case c.OldMode == 0:
			return atOld, nil
		case c.NewMode == 0:
			return atNew, nil
		}
		return foreign, nil // a person deleted it
	}
	if kind == folder && c.OldMode == 0 && c.NewMode != 0 {
		return behind, nil
	}
	if kind == folder || kind == otherKind || kind == link && c.OldMode != ModeSymlink && c.NewMode != ModeSymlink {
		return foreign, nil
	}
	id, err := p.place.HashBlob(content)
	switch {
	case err != nil:
		return foreign, err
	case id == c.OldID:
		return atOld, nil
	case id == c.NewID:
		return atNew, nil
	case kind == link:
		return foreign, nil
	}
	return undecided, nil
}

// decide asks git to read files through their filters, and compares the names that it gives them.
func (p *projection) decide(ctx context.Context, changes []FileChange) error {
	if len(changes) == 0 {
		return nil
	}
	var input strings.Builder
	for _, c := range changes {
		input.WriteString(quotePath(c.Path) + "\n")
	}
	out, err := p.place.git(ctx, call{args: []string{"hash-object", "--stdin-paths"}, in: []byte(input.String())})
	if err != nil {
		return err
	}
	ids := strings.Fields(string(out))
	for i, c := range changes {
		where := foreign
		if i < len(ids) && ID(ids[i]) == c.OldID {
			where = atOld
		} else if i < len(ids) && ID(ids[i]) == c.NewID {
			where = atNew
		}
		p.act(c, where)
	}
	return nil
}

func (p *projection) act(c FileChange, where side) {
	switch {
	case where == foreign:
		p.left = append(p.left, c.Path)
	case where == atOld && c.NewMode == 0:
		p.remove = append(p.remove, c.Path)
	case where == atOld:
		p.write = append(p.write, c.Path)
	}
}

// fileKind is what stands at a path of the worktree.
type fileKind uint8

const (
	missing fileKind = iota
	regular
	link
	folder
	otherKind // a device, or anything reached over a symbolic link
)

// read returns a file's content, or a link's target. No symbolic link is followed.
func (p *projection) read(path string) ([]byte, fileKind, error) {
	at := p.place.workTree
	names := strings.Split(path, "/")
	for i, name := range names {
		at = filepath.Join(at, name)
		info, err := os.Lstat(at)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, missing, nil
		case err != nil:
			return nil, otherKind, err
		case i < len(names)-1 && info.IsDir():
			continue
		case i < len(names)-1 && info.Mode().IsRegular():
			return nil, missing, nil // a file where the folder will be
		case i < len(names)-1:
			return nil, otherKind, nil
		case info.Mode()&fs.ModeSymlink != 0:
			target, err := os.Readlink(at)
			return []byte(filepath.ToSlash(target)), link, err
		case info.IsDir():
			return nil, folder, nil
		case !info.Mode().IsRegular():
			return nil, otherKind, nil
		}
	}
	content, err := os.ReadFile(at)
	return content, regular, err
}
