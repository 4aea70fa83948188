package workflow

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentd/gh-agentd/foreign"
	"github.com/agentd/gh-agentd/internal/confine"
	"github.com/agentd/gh-agentd/specs"
)

// The limits of a source.
const (
	mostImportFiles = 20_000
	mostImportBytes = 64 << 20
)

// importSource is a folder on disk that changes are read from. It is only ever read.
type importSource struct {
	dir    string // the top of the project: the folder that holds agentd/, openspec/ or specs/
	folder string // the only one of them that was asked for, "" for all
	prefix string // in front of paths as people read them: relative to the top of the repository, or a folder's name
	own    bool   // the project is this repository
}

// source finds the top of the project that a folder belongs to.
func (i *Import) source(folder string) (importSource, error) {
	top := i.Bench.Repo.WorkTree()
	if folder == "" {
		if top == "" {
			return importSource{}, &NothingToImportError{Source: "a bare repository"}
		}
		return importSource{dir: top, own: true}, nil
	}
	info, err := os.Stat(folder)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && !info.IsDir():
		return importSource{}, &NothingToImportError{Source: filepath.Base(folder)}
	case err != nil:
		return importSource{}, fmt.Errorf("%s: %w", filepath.Base(folder), err)
	}
	if folder, err = filepath.EvalSymlinks(folder); err != nil {
		return importSource{}, err
	}
	s := importSource{dir: folder}
	if name := filepath.Base(folder); slices.Contains(foreign.Folders(), name) {
		s.dir, s.folder = filepath.Dir(folder), name
	}
	s.prefix = filepath.Base(s.dir)
	if top != "" {
		if real, err := filepath.EvalSymlinks(top); err == nil {
			if rel, err := filepath.Rel(real, s.dir); err == nil && filepath.IsLocal(rel) {
				s.prefix, s.own = filepath.ToSlash(rel), rel == "."
			}
		}
	}
	if s.own {
		s.prefix = ""
	}
	return s, nil
}

// name is the source as people read it.
func (s importSource) name() string {
	if name := path.Join(s.prefix, s.folder); name != "" {
		return name
	}
	return "."
}

// path is a path of the tree as people read it.
func (s importSource) path(name string) string { return path.Join(s.prefix, name) }

// read reads what the source says of changes, without following a link out of it.
func (s importSource) read() (foreign.Collection, error) {
	root, err := confine.Open(s.dir)
	if err != nil {
		return foreign.Collection{}, err
	}
	defer root.Close()
	tree, odd := foreign.Tree{}, map[string]string{}
	total, left := 0, mostImportFiles
	for _, folder := range foreign.Folders() {
		if s.folder != "" && s.folder != folder {
			continue
		}
		files, strange, err := root.Look(folder, left)
		if err != nil {
			return foreign.Collection{}, err
		}
		left -= len(files)
		for _, fault := range strange {
			if foreign.Wanted(fault.Name) {
				odd[fault.Name] = fault.Reason
			}
		}
		for _, name := range files {
			if !foreign.Wanted(name) {
				continue
			}
			content, err := root.ReadFile(name, specs.MaxDocument)
			if err != nil {
				odd[name] = reasonOf(err)
				continue
			}
			if total += len(content); total > mostImportBytes {
				return foreign.Collection{}, fmt.Errorf("%s holds more than %d MiB of documents", s.name(), mostImportBytes>>20)
			}
			tree[name] = content
		}
	}
	return foreign.Read(tree, foreign.Options{InPlace: s.own, Odd: odd}), nil
}

// reasonOf is why a file cannot be read, as the end of a sentence about it.
func reasonOf(err error) string {
	if fault, ok := errors.AsType[*confine.FileError](err); ok {
		return fault.Reason
	}
	if fault, ok := errors.AsType[*confine.NameError](err); ok {
		return fault.Reason
	}
	_, reason, ok := strings.Cut(err.Error(), ": ")
	if !ok {
		reason = err.Error()
	}
	return "cannot be read: " + reason
}
