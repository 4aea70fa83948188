package workflow

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentd/gh-agentd/config"
	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/internal/confine"
	"github.com/agentd/gh-agentd/templates"
)

// Init makes the folder agentd/ with a commented configuration, and the skills of the agents that people use here.
// It writes down what it wrote, replaces or removes only what is still that, and commits nothing.
type Init struct{ Bench *Bench }

// InitRequest says whether to set up or to take away, and for which agents.
type InitRequest struct {
	Remove bool // take away what init wrote and nobody changed
	// Agents are names of InitAgents. Nil sets up those that are used here, and takes away everything;
	// empty is none of them.
	Agents []string
	// Workflows are written, or taken away. Taking away with neither Agents nor Workflows takes everything.
	Workflows bool
	Action    ActionPin // what the workflows run, where they are written
}

// InitResult names the files.
type InitResult struct {
	Written []string    `json:"written"`
	Updated []string    `json:"updated"` // ours and unchanged, so replaced by the text of this version
	Present []string    `json:"present"` // there already
	Removed []string    `json:"removed"`
	Kept    []KeptFile  `json:"kept"`
	Agents  []InitAgent `json:"agents"`
	Secrets []string    `json:"secrets"` // names that the workflows expect in the repository's settings
	Next    string      `json:"next,omitempty"`
}

// KeptFile is something that was left as it is, although it is not what init would write or because it is not its own.
type KeptFile struct {
	Path   string `json:"path"`
	Reason string `json:"reason"` // the end of a sentence about the path
	Next   string `json:"next"`   // what a person can do about it
}

// InitAgent is an agent that got skills.
type InitAgent struct {
	Name string `json:"name"`
	Call string `json:"call"` // how a person calls the skill of planning there
}

// Run writes what is missing and replaces what is its own and old. Running it again changes nothing.
func (i *Init) Run(ctx context.Context, req InitRequest) (result InitResult, err error) {
	result = InitResult{
		Written: []string{}, Updated: []string{}, Present: []string{}, Removed: []string{}, Kept: []KeptFile{}, Agents: []InitAgent{}, Secrets: []string{},
	}
	top := i.Bench.Repo.WorkTree()
	if top == "" {
		return result, &GateError{Gate: "init", Reason: "a bare repository has no files to write", Next: "run it in a clone"}
	}
	named, err := hostsNamed(req.Agents)
	if err != nil {
		return result, err
	}
	root, err := confine.Open(top)
	if err != nil {
		return result, err
	}
	defer root.Close()
	have, err := openInstallation(root)
	if err != nil {
		return result, err
	}
	for _, path := range have.foreign {
		i.Bench.Say.Warn(fmt.Sprintf("%s names %s, which init does not write: left alone", installedName, path))
	}
	if req.Remove {
		err = i.remove(have, req, named, &result)
	} else {
		err = i.setUp(ctx, have, req, named, &result)
	}
	// What was done is written down also where the rest went wrong.
	return result, errors.Join(err, unwritable(have.save()))
}

func (i *Init) setUp(ctx context.Context, have *installation, req InitRequest, named []host, result *InitResult) error {
	top := i.Bench.Repo.WorkTree()
	if req.Agents == nil {
		named = i.Bench.hostsHere(top, have)
	}
	files := i.seeds()
	if way := have.blocked(files); way != nil {
		return blockedError(way, "put a folder in its place")
	}
	if ignored, err := i.Bench.Repo.Ignored(ctx, config.FileName); err != nil {
		return err
	} else if ignored {
		return &GateError{
			Gate: "init", Reason: ".gitignore ignores agentd/, so nothing in it could be committed",
			Next: "git check-ignore -v " + config.FileName,
		}
	}
	for _, h := range named {
		skills := h.files()
		if way := have.blocked(skills); way != nil {
			if req.Agents != nil {
				return blockedError(way, "put a folder in its place, or leave "+h.name+" out of --agents")
			}
			result.Kept = append(result.Kept, KeptFile{
				Path: way.Name, Reason: way.Reason + ", so " + h.name + " gets no skills", Next: "put a folder in its place, then `gh agentd init`",
			})
			continue
		}
		files = append(files, skills...)
		result.Agents = append(result.Agents, InitAgent{Name: h.name, Call: h.call})
	}
	if req.Workflows {
		flows, secrets, err := i.workflows(ctx, req.Action)
		if err != nil {
			return err
		}
		if way := have.blocked(flows); way != nil {
			return blockedError(way, "put a folder in its place, or leave --github out")
		}
		files, result.Secrets = append(files, flows...), secrets
	}
	for _, file := range once(files) {
		if err := have.put(file, result); err != nil {
			return unwritable(err)
		}
	}
	result.Next = `gh agentd plan <id> "<what should change and why>"`
	return nil
}

func (i *Init) remove(have *installation, req InitRequest, named []host, result *InitResult) error {
	var files []initFile
	everything := req.Agents == nil && !req.Workflows
	if everything {
		named, files = hosts(), i.seeds()
	}
	if everything || req.Workflows {
		for _, name := range workflowFiles() {
			files = append(files, initFile{path: name})
		}
	}
	for _, h := range named {
		files = append(files, h.files()...)
	}
	for _, file := range once(files) {
		if err := have.take(file, result); err != nil {
			return unwritable(err)
		}
	}
	return unwritable(have.tidy())
}

func blockedError(way *confine.FileError, next string) error {
	return &GateError{Gate: "init", Reason: way.Name + " " + way.Reason, Next: next}
}

// UnwritableError says that the file system let init do only a part.
type UnwritableError struct{ Err error }

func (e *UnwritableError) Error() string { return e.Err.Error() }
func (e *UnwritableError) Unwrap() error { return e.Err }

// Hint names the next step.
func (e *UnwritableError) Hint() string {
	return "see to it that it can be written, then run the command again: it goes on where it stopped"
}

// unwritable gives an error of the file system its way out.
func unwritable(err error) error {
	if err == nil {
		return nil
	}
	return &UnwritableError{Err: err}
}

// initFile is a file as init writes it.
type initFile struct {
	path    string // below the top of the worktree, slash-separated
	content []byte // nil where it is only to be taken away, and only what was written down tells that it is ours
	seed    bool   // a beginning that is the person's from then on: never updated, and told where it stays
	flag    string // of init, that asks for it; "" where none does
}

// again is the command that writes the file once nothing is in its way.
func (f initFile) again() string {
	if f.flag == "" {
		return "`gh agentd init`"
	}
	return "`gh agentd init " + f.flag + "`"
}

const projectFile = "agentd/project.md"

// seeds are the files of the folder agentd/.
func (i *Init) seeds() []initFile {
	name := filepath.Base(i.Bench.Repo.WorkTree())
	return []initFile{
		{path: config.FileName, content: config.Starter(name), seed: true},
		{path: projectFile, content: []byte(templates.ProjectMD(name)), seed: true},
	}
}

// initPaths are all that init may ever write, and the folders on the way: nothing else is its own.
func initPaths() map[string]bool {
	paths := map[string]bool{config.FileName: true, projectFile: true}
	for _, name := range workflowFiles() {
		paths[name] = true
	}
	for _, h := range hosts() {
		for _, file := range h.files() {
			paths[file.path] = true
		}
	}
	for file := range maps.Clone(paths) {
		for dir := path.Dir(file); dir != "."; dir = path.Dir(dir) {
			paths[dir] = true
		}
	}
	return paths
}

// once leaves out what stands there already: agents share folders.
func once(files []initFile) []initFile {
	seen := map[string]bool{}
	return slices.DeleteFunc(files, func(f initFile) bool {
		again := seen[f.path]
		seen[f.path] = true
		return again
	})
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
