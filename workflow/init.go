package workflow

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/agentd/gh-agentd/config"
	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/templates"
)

// Init makes the folder agentd/ with a commented configuration. It never overwrites a file and commits nothing.
type Init struct{ Bench *Bench }

// InitRequest says whether to set up or to take away.
type InitRequest struct {
	Remove bool // take away what init wrote and nobody changed
}

// InitResult names the files.
type InitResult struct {
	Written []string `json:"written"`
	Kept    []string `json:"kept"` // there already, or changed since
	Removed []string `json:"removed"`
}

// Run writes what is missing. Running it again changes nothing.
func (i *Init) Run(ctx context.Context, req InitRequest) (InitResult, error) {
	result := InitResult{Written: []string{}, Kept: []string{}, Removed: []string{}}
	top := i.Bench.Repo.WorkTree()
	if top == "" {
		return result, &GateError{Gate: "init", Reason: "a bare repository has no files to write", Next: "run it in a clone"}
	}
	if ignored, err := i.Bench.Repo.Ignored(ctx, config.FileName); err != nil {
		return result, err
	} else if ignored {
		return result, &GateError{
			Gate: "init", Reason: ".gitignore ignores agentd/, so nothing in it could be committed",
			Next: "git check-ignore -v " + config.FileName,
		}
	}
	for _, file := range i.files(top) {
		path := filepath.Join(top, filepath.FromSlash(file.path))
		if req.Remove {
			if err := file.remove(path, &result); err != nil {
				return result, err
			}
			continue
		}
		if err := file.write(path, &result); err != nil {
			return result, err
		}
	}
	return result, nil
}

type initFile struct {
	path    string
	content []byte
}

func (i *Init) files(top string) []initFile {
	name := filepath.Base(top)
	return []initFile{
		{config.FileName, config.Starter(name)},
		{"agentd/project.md", []byte(templates.ProjectMD(name))},
	}
}

func (f initFile) write(path string, result *InitResult) error {
	for parent := filepath.Dir(path); filepath.Base(parent) == "agentd"; parent = filepath.Dir(parent) {
		if info, err := os.Lstat(parent); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return &GateError{Gate: "init", Reason: parent + " is a symbolic link", Next: "remove the link"}
		}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		result.Kept = append(result.Kept, f.path)
		return nil
	}
	if err != nil {
		return err
	}
	if _, err := file.Write(f.content); err != nil {
		return errors.Join(fmt.Errorf("write %s: %w", f.path, err), file.Close(), os.Remove(path))
	}
	result.Written = append(result.Written, f.path)
	return file.Close()
}

func (f initFile) remove(path string, result *InitResult) error {
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if string(content) != string(f.content) {
		result.Kept = append(result.Kept, f.path)
		return nil
	}
	if err := os.Remove(path); err != nil {
		return err
	}
	result.Removed = append(result.Removed, f.path)
	_ = os.Remove(filepath.Dir(path)) // only when nothing else is in it
	return nil
}

// LoadConfig reads the configuration of a repository: the file in the checkout,
// or, in a bare repository, the one on the default branch. No file means the defaults.
func LoadConfig(ctx context.Context, repo *gitops.Repo) (config.Config, []config.Warning, error) {
	src, err := readConfig(ctx, repo)
	if err != nil || src == nil {
		return config.Default(), nil, err
	}
	return config.Load(config.FileName, src)
}

func readConfig(ctx context.Context, repo *gitops.Repo) ([]byte, error) {
	if top := repo.WorkTree(); top != "" {
		return readEdit(filepath.Join(top, filepath.FromSlash(config.FileName)))
	}
	branch, err := repo.DefaultBranch(ctx)
	if err != nil {
		return nil, nil //nolint:nilerr // an empty repository has no configuration
	}
	objects, err := repo.Objects(ctx)
	if err != nil {
		return nil, err
	}
	defer objects.Close()
	_, _, src, err := objects.Lookup("refs/heads/" + strings.TrimPrefix(branch, "refs/heads/") + ":" + config.FileName)
	if errors.Is(err, gitops.ErrNotFound) {
		return nil, nil
	}
	return src, err
}
