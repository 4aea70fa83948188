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
	out, err := p.place.git(ctx, call{args: []string{"hash-object", "--stdin-paths"}, in: []byte(input.String()), voice: hooked})
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
