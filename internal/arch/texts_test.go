package arch

import (
	"bytes"
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// Every package says in doc.go what it owns and what it does not, with an example.
func TestEveryPackageHasADoc(t *testing.T) {
	for _, p := range packages(t) {
		if p.Name == "" {
			continue // main.go is its own
		}
		found := false
		for _, f := range p.Files {
			if path.Base(f.Path) != "doc.go" {
				continue
			}
			found = true
			text := f.AST.Doc.Text()
			if want := "Package " + f.AST.Name.Name + " "; !strings.HasPrefix(text, want) && f.AST.Name.Name != "main" {
				t.Errorf("%s does not begin with %q", f.Path, want)
			}
			if !strings.Contains(text, "\t") {
				t.Errorf("%s has no example", f.Path)
			}
		}
		if !found {
			t.Errorf("package %s has no doc.go", p.Name)
		}
	}
}

// A message says what happened: an error is known to be a failure, and silence is success.
func TestMessagesDoNotPad(t *testing.T) {
	padding := []string{"failed to ", "successfully", "unable to "}
	for _, p := range packages(t) {
		for _, f := range p.Files {
			if f.Test {
				continue
			}
			ast.Inspect(f.AST, func(n ast.Node) bool {
				lit, ok := n.(*ast.BasicLit)
				if !ok || lit.Kind != token.STRING {
					return true
				}
				text, err := strconv.Unquote(lit.Value)
				if err != nil {
					return true
				}
				for _, pad := range padding {
					if strings.Contains(strings.ToLower(text), pad) {
						t.Errorf("%s:%d says %q", f.Path, fset.Position(lit.Pos()).Line, pad)
					}
				}
				return true
			})
		}
	}
}

// What is written here is read elsewhere: no path of one machine, no name of one workplace.
func TestTextsNameNoMachine(t *testing.T) {
	private := regexp.MustCompile(`(^|[^A-Za-z0-9_./})~-])/(wo` + `rk|ro` + `ot)/|\bfa` + `rm-`)
	texts(t, func(name string, data []byte) {
		for i, line := range bytes.Split(data, []byte("\n")) {
			if found := private.Find(line); found != nil {
				t.Errorf("%s:%d holds %q", name, i+1, found)
			}
		}
	})
}

func TestTextsEndLinesWithLF(t *testing.T) {
	texts(t, func(name string, data []byte) {
		if bytes.Contains(data, []byte("\r\n")) {
			t.Errorf("%s has CRLF line ends", name)
		}
		if bytes.HasPrefix(data, []byte("\ufeff")) {
			t.Errorf("%s begins with a byte order mark", name)
		}
	})
}
