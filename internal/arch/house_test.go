package arch

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
)

const module = "github.com/agentd/gh-agentd"

// pkg is one package with all its files, for every platform.
type pkg struct {
	Name  string // below the module: "gitops", "internal/proc", "" for main
	Dir   string
	Files []file
}

type file struct {
	Path string // below the module
	Test bool
	AST  *ast.File
}

// house reads all packages once. `go list` says which there are, the parser what is in them:
// the list alone leaves out what another operating system compiles.
var house = sync.OnceValues(func() ([]pkg, error) {
	var stderr bytes.Buffer
	cmd := exec.Command("go", "list", "-find", "-json=ImportPath,Dir", "./...")
	cmd.Dir = top
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, errors.New(stderr.String())
	}
	root, err := filepath.Abs(top)
	if err != nil {
		return nil, err
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return nil, err
	}
	var all []pkg
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var listed struct{ ImportPath, Dir string }
		if err := dec.Decode(&listed); err == io.EOF {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		p := pkg{Name: strings.TrimPrefix(strings.TrimPrefix(listed.ImportPath, module), "/"), Dir: listed.Dir}
		names, err := filepath.Glob(filepath.Join(p.Dir, "*.go"))
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			parsed, err := parser.ParseFile(fset, name, nil, parser.ParseComments|parser.SkipObjectResolution)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return nil, err
			}
			rel, err := filepath.Rel(root, name)
			if err != nil {
				return nil, err
			}
			p.Files = append(p.Files, file{Path: filepath.ToSlash(rel), Test: strings.HasSuffix(name, "_test.go"), AST: parsed})
		}
		all = append(all, p)
	}
})

var fset = token.NewFileSet()

// top is the module's folder as seen from this package.
const top = "../.."

func packages(t *testing.T) []pkg {
	t.Helper()
	all, err := house()
	if err != nil {
		t.Fatal(err)
	}
	const few = 10
	if len(all) < few {
		t.Fatalf("only %d packages found", len(all))
	}
	return all
}

// imports are the import paths of a file.
func (f file) imports() []string {
	var paths []string
	for _, spec := range f.AST.Imports {
		if path, err := strconv.Unquote(spec.Path.Value); err == nil {
			paths = append(paths, path)
		}
	}
	return paths
}

// ours is the package's name below the module, for an import of ours.
func ours(path string) (string, bool) {
	if path == module {
		return "", true
	}
	return strings.CutPrefix(path, module+"/")
}

// within reports whether an import path is the given one or below it.
func within(path, parent string) bool {
	return path == parent || strings.HasPrefix(path, parent+"/")
}

// selections calls see for every use of an exported name of an imported package: "os", "Getenv".
func (f file) selections(see func(importPath, name string, at token.Position)) {
	local := map[string]string{}
	for _, spec := range f.AST.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		name := path[strings.LastIndex(path, "/")+1:]
		if spec.Name != nil {
			name = spec.Name.Name
		}
		local[name] = path
	}
	ast.Inspect(f.AST, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := sel.X.(*ast.Ident); ok {
				if path, ok := local[id.Name]; ok {
					see(path, sel.Sel.Name, fset.Position(sel.Pos()))
				}
			}
		}
		return true
	})
}

// texts calls see for every text file of the project: sources, documents, scripts, workflows.
func texts(t *testing.T, see func(path string, data []byte)) {
	t.Helper()
	seen := 0
	err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(top, path)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		switch {
		case rel == ".git", rel == "dist":
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case !d.Type().IsRegular(), rel == "gh-agentd", strings.HasSuffix(rel, ".test"), strings.HasSuffix(rel, ".out"):
			return nil
		}
		data, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		if bytes.IndexByte(data, 0) < 0 {
			seen++
			see(rel, data)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	const few = 100
	if seen < few {
		t.Fatalf("only %d files seen", seen)
	}
}
