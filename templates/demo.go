package templates

import (
	"embed"
	"io/fs"
	"path"
	"strings"
)

// What the demo is about, for whoever plays it.
const (
	DemoChange      = "add-rate-limit"
	DemoDescription = "Limit how many links one owner may make in a given time, so that a runaway script cannot fill the store."
	DemoCheck       = "go test ./..." // the check of the demo's project: evidence of its reviews
)

// The folder's name begins with an underscore so that the go tool does not take the project for a package of ours.
//
//go:embed demo/cassette.yaml demo/clarifications.json all:demo/_project
var demoFiles embed.FS

// Demo is the story that gh-agentd demo plays:
//
//	project/             a small Go module without dependencies, to be put under git
//	cassette.yaml        every call of the agents, for the replay agent
//	clarifications.json  the answers of the person, as create_clarifications takes them
//
// The cassette plays [DemoChange] on that project and on no other.
func Demo() fs.FS { return demoFS{} }

// demoFS shows the embedded files under the names that they have in the demo.
type demoFS struct{}

// modFile is what the project's go.mod is called here:
// a folder with a go.mod is a module of its own, and nothing of another module can be embedded.
const modFile = "go.mod.txt"

// Open opens a file or folder of the demo.
func (demoFS) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	inside, ok := embedded(name)
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	file, err := demoFiles.Open(inside)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	if folder, ok := file.(fs.ReadDirFile); ok {
		return demoFolder{folder, path.Base(name)}, nil
	}
	return demoFile{file, path.Base(name)}, nil
}

// embedded returns the name under which a file of the demo is embedded.
func embedded(name string) (string, bool) {
	if strings.HasPrefix(name, "_project") || path.Base(name) == modFile {
		return "", false
	}
	if name == "project" || strings.HasPrefix(name, "project/") {
		name = "_" + name
	}
	if path.Base(name) == "go.mod" {
		name = path.Join(path.Dir(name), modFile)
	}
	return path.Join("demo", name), true
}

// shown returns the name in the demo of an embedded file.
func shown(name string) string {
	switch name {
	case "_project":
		return "project"
	case modFile:
		return "go.mod"
	default:
		return name
	}
}

type demoFile struct {
	fs.File
	name string
}

func (f demoFile) Stat() (fs.FileInfo, error) { return renamed(f.File.Stat())(f.name) }

type demoFolder struct {
	fs.ReadDirFile
	name string
}

func (f demoFolder) Stat() (fs.FileInfo, error) { return renamed(f.ReadDirFile.Stat())(f.name) }

// ReadDir lists the folder under the demo's names, in the order of the embedded ones; fs.ReadDir sorts.
func (f demoFolder) ReadDir(n int) ([]fs.DirEntry, error) {
	entries, err := f.ReadDirFile.ReadDir(n)
	for i, entry := range entries {
		info, infoErr := renamed(entry.Info())(shown(entry.Name()))
		if infoErr != nil {
			return nil, infoErr
		}
		entries[i] = fs.FileInfoToDirEntry(info)
	}
	return entries, err
}

type demoInfo struct {
	fs.FileInfo
	name string
}

func (i demoInfo) Name() string { return i.name }

func renamed(info fs.FileInfo, err error) func(name string) (fs.FileInfo, error) {
	return func(name string) (fs.FileInfo, error) {
		if err != nil {
			return nil, err
		}
		return demoInfo{info, name}, nil
	}
}
