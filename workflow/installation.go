package workflow

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/agentd/gh-agentd/internal/confine"
)

// installedName is the file in which init writes down what it wrote. It is committed with the rest.
const installedName = "agentd/.installed.json"

// manifest is what stands in it.
type manifest struct {
	Version int `json:"version"` // 1
	// Files are the SHA-256 of what was written, by path; line ends count as LF, for git may turn them.
	Files map[string]string `json:"files"`
	// Folders were not there before.
	Folders []string `json:"folders"`
}

// installation is what init wrote into a worktree, as far as it is known.
type installation struct {
	root    *confine.Root
	was     []byte // the manifest as it was read
	now     manifest
	foreign []string // paths in the manifest that init does not write
}

// openInstallation reads the manifest.
// It is a file like any other, which a stranger's commit may have changed:
// paths that init never writes are not believed.
func openInstallation(root *confine.Root) (*installation, error) {
	in := &installation{root: root, now: manifest{Version: 1, Files: map[string]string{}, Folders: []string{}}}
	data, err := root.ReadFile(installedName, maxInstalled)
	bad, isBad := errors.AsType[*confine.FileError](err)
	if errors.Is(err, fs.ErrNotExist) || isBad && bad.Name != installedName {
		return in, nil
	}
	unreadable := func(why string) error {
		return &GateError{
			Gate: "init", Reason: installedName + " " + why,
			Next: "`git checkout -- " + installedName + "`, or delete it: then only what is exactly as init writes it counts as its own",
		}
	}
	if isBad {
		return nil, unreadable(bad.Reason)
	}
	if err != nil {
		return nil, err
	}
	var have manifest
	if err := json.Unmarshal(data, &have); err != nil {
		return nil, unreadable("cannot be read: " + err.Error())
	}
	if have.Version != 1 {
		return nil, unreadable(fmt.Sprintf("is of version %d, and this program knows only 1", have.Version))
	}
	in.was = data
	known := initPaths()
	for file, sum := range have.Files {
		if known[file] {
			in.now.Files[file] = sum
		} else {
			in.foreign = append(in.foreign, file)
		}
	}
	for _, folder := range have.Folders {
		if known[folder] {
			in.now.Folders = append(in.now.Folders, folder)
		} else {
			in.foreign = append(in.foreign, folder)
		}
	}
	slices.Sort(in.foreign)
	return in, nil
}

// wrote says whether init wrote a file here, whatever became of it.
func (in *installation) wrote(path string) bool { return in.now.Files[path] != "" }

// blocked is what stands in the way to a file where a folder should be: a link, or a file. Nil for none.
func (in *installation) blocked(files []initFile) *confine.FileError {
	for _, file := range files {
		_, err := in.root.ReadFile(file.path, maxInstalled)
		if bad, ok := errors.AsType[*confine.FileError](err); ok && bad.Name != file.path {
			return bad
		}
	}
	return nil
}

// maxInstalled is far above every file that init writes.
const maxInstalled = 1 << 20

// put writes a file where there is none, or where there is an old one of ours.
func (in *installation) put(file initFile, result *InitResult) error {
	have, err := in.root.ReadFile(file.path, maxInstalled)
	switch bad, isBad := errors.AsType[*confine.FileError](err); {
	case errors.Is(err, fs.ErrNotExist):
		return in.create(file, result)
	case isBad:
		result.Kept = append(result.Kept, KeptFile{Path: file.path, Reason: inTheWay(file.path, bad), Next: "move it away, then " + file.again()})
		return nil
	case err != nil:
		return err
	case same(have, file.content):
		in.now.Files[file.path] = sum(file.content)
		result.Present = append(result.Present, file.path)
		return nil
	case file.seed:
		result.Present = append(result.Present, file.path)
		return nil
	case !in.wrote(file.path):
		result.Kept = append(result.Kept, KeptFile{
			Path: file.path, Reason: "was not written by init", Next: "move it away, then " + file.again(),
		})
		return nil
	case in.now.Files[file.path] != sum(have):
		result.Kept = append(result.Kept, KeptFile{
			Path: file.path, Reason: "was changed since init wrote it", Next: "to have the text of this version, delete it, then " + file.again(),
		})
		return nil
	}
	if err := in.root.WriteFile(file.path, file.content); err != nil {
		return err
	}
	in.now.Files[file.path] = sum(file.content)
	result.Updated = append(result.Updated, file.path)
	return nil
}

func (in *installation) create(file initFile, result *InitResult) error {
	folders, err := in.root.Create(file.path, file.content)
	for _, folder := range folders {
		if !slices.Contains(in.now.Folders, folder) {
			in.now.Folders = append(in.now.Folders, folder)
		}
	}
	if err != nil {
		return err
	}
	in.now.Files[file.path] = sum(file.content)
	result.Written = append(result.Written, file.path)
	return nil
}

// take removes a file that is still as init wrote it. What a person changed is theirs from now on.
func (in *installation) take(file initFile, result *InitResult) error {
	wrote := in.wrote(file.path)
	have, err := in.root.ReadFile(file.path, maxInstalled)
	bad, isBad := errors.AsType[*confine.FileError](err)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case isBad && wrote:
		result.Kept = append(result.Kept, KeptFile{Path: file.path, Reason: inTheWay(file.path, bad), Next: "look at it, and delete it yourself"})
	case isBad:
	case err != nil:
		return err
	case in.now.Files[file.path] == sum(have), !wrote && file.content != nil && same(have, file.content):
		if err := in.root.Remove(file.path); err != nil {
			return err
		}
		result.Removed = append(result.Removed, file.path)
	case wrote, file.seed:
		result.Kept = append(result.Kept, KeptFile{Path: file.path, Reason: "was changed since init wrote it", Next: "keep it, or delete it yourself"})
	}
	delete(in.now.Files, file.path)
	return nil
}

// inTheWay is the end of a sentence about a path that is no file, or whose way leads through what is no folder.
func inTheWay(path string, bad *confine.FileError) string {
	if bad.Name == path {
		return bad.Reason
	}
	return "cannot be reached: " + bad.Name + " " + bad.Reason
}

// tidy removes the folders that init made and that are empty now, and the manifest once nothing is left to say.
// The folder agentd/ is ours, whoever made it.
func (in *installation) tidy() error {
	var folders []string
	if len(in.now.Files) == 0 {
		if in.was != nil {
			if err := in.root.Remove(installedName); err != nil {
				return err
			}
		}
		folders = []string{"agentd"}
	}
	folders = append(folders, in.now.Folders...)
	slices.SortFunc(folders, func(a, b string) int { return cmp.Compare(strings.Count(b, "/"), strings.Count(a, "/")) })
	for _, folder := range folders {
		gone, err := in.root.RemoveFolder(folder)
		if _, moved := errors.AsType[*confine.FileError](err); err != nil && !moved {
			return err
		}
		if gone {
			in.now.Folders = slices.DeleteFunc(in.now.Folders, func(f string) bool { return f == folder })
		}
	}
	return nil
}

// save writes the manifest where it says something new.
func (in *installation) save() error {
	if len(in.now.Files) == 0 {
		return nil
	}
	slices.Sort(in.now.Folders)
	data, err := json.MarshalIndent(in.now, "", "  ")
	if err != nil {
		return err
	}
	data = append(data, '\n')
	if same(in.was, data) {
		return nil
	}
	return in.root.WriteFile(installedName, data)
}

// sum is the SHA-256 of a text as git keeps it.
func sum(content []byte) string {
	digest := sha256.Sum256(lf(content))
	return hex.EncodeToString(digest[:])
}

func same(a, b []byte) bool { return bytes.Equal(lf(a), lf(b)) }

func lf(content []byte) []byte { return bytes.ReplaceAll(content, []byte("\r\n"), []byte("\n")) }
