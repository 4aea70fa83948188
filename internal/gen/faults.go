package main

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// faultRows is the list of faults that the program must stand.
const faultRows = "internal/arch/testdata/faults.txt"

// row is one fault: an id, a phrase, and perhaps why it is not met, or only in part.
type row struct{ ID, Phrase, Note string }

var chapters = []struct{ prefix, title string }{
	{"ID", "Ids, and text that ends in git"},
	{"AG", "What agents print and do"},
	{"MC", "The MCP server"},
	{"RP", "The state of the repository"},
	{"DC", "Documents"},
	{"NC", "Network, money, loops"},
	{"HK", "Git hooks"},
	{"GH", "GitHub"},
	{"AC", "GitHub Actions"},
}

func faultsPage() ([]byte, error) {
	data, err := os.ReadFile(filepath.Join(top, faultRows))
	if err != nil {
		return nil, err
	}
	rows, err := parseRows(string(data))
	if err != nil {
		return nil, err
	}
	places, err := namedTests(top)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.WriteString(warning(faultRows + " and the names of tests"))
	b.WriteString(`# Faults

What goes wrong in the world, and where it is shown that the program stands it.
A row counts when a test carries its id: a Go test or subtest by its name, a script of testdata/script by its name or its first lines.
Rows of the viewer and of platforms come with what they are about.

`)
	for _, c := range chapters {
		var lines bytes.Buffer
		var all, named int
		for _, r := range rows {
			if !strings.HasPrefix(r.ID, c.prefix+"-") {
				continue
			}
			all++
			if len(places[r.ID]) > 0 {
				named++
			}
			fmt.Fprintf(&lines, "| %s | %s | %s | %s |\n", r.ID, r.Phrase, strings.Join(places[r.ID], ", "), r.Note)
		}
		fmt.Fprintf(&b, "## %s\n\n%d of %d rows have a test named after them.\n\n| Row | Fault | Tested in | Note |\n|---|---|---|---|\n%s\n", c.title, named, all, &lines)
	}
	return append(bytes.TrimRight(b.Bytes(), "\n"), '\n'), nil
}

// parseRows reads "ID phrase" and "ID phrase :: note"; lines with # are comments.
func parseRows(text string) ([]row, error) {
	var rows []row
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		id, rest, _ := strings.Cut(line, " ")
		if !rowID.MatchString(id) {
			return nil, fmt.Errorf("%s:%d: %q is not a row's id", faultRows, i+1, id)
		}
		if slices.ContainsFunc(rows, func(r row) bool { return r.ID == id }) {
			return nil, fmt.Errorf("%s:%d: %s stands there twice", faultRows, i+1, id)
		}
		phrase, note, _ := strings.Cut(rest, " :: ")
		rows = append(rows, row{ID: id, Phrase: strings.TrimSpace(phrase), Note: strings.TrimSpace(note)})
	}
	order := func(id string) int {
		return slices.IndexFunc(chapters, func(c struct{ prefix, title string }) bool { return strings.HasPrefix(id, c.prefix) })
	}
	slices.SortStableFunc(rows, func(a, b row) int {
		return cmp.Or(cmp.Compare(order(a.ID), order(b.ID)), cmp.Compare(a.ID, b.ID))
	})
	return rows, nil
}

var (
	rowID     = regexp.MustCompile(`^(ID|AG|MC|RP|DC|NC|HK|GH|AC)-\d{2}$`)
	inName    = regexp.MustCompile(`(?:_|\b)(ID|AG|MC|RP|DC|NC|HK|GH|AC)(\d{2})(?:_|\b)`)
	inLiteral = regexp.MustCompile(`\b(ID|AG|MC|RP|DC|NC|HK|GH|AC)-(\d{2})\b`)
)

// namedTests says in which packages and scripts tests carry a row's id.
func namedTests(root string) (map[string][]string, error) {
	places := map[string][]string{}
	add := func(id, place string) {
		if !slices.Contains(places[id], place) {
			places[id] = append(places[id], place)
		}
	}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		switch {
		case d.IsDir() && path != root && (strings.HasPrefix(d.Name(), ".") || rel == "internal/gen"): // whose tests make ids up
			return fs.SkipDir
		case strings.HasSuffix(rel, "_test.go"):
			ids, err := idsInTests(path)
			if err != nil {
				return err
			}
			folder := "main"
			if i := strings.LastIndex(rel, "/"); i >= 0 {
				folder = rel[:i]
			}
			for _, id := range ids {
				add(id, folder)
			}
		case strings.HasPrefix(rel, "testdata/script/") && strings.HasSuffix(rel, ".txtar"):
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			script := strings.TrimSuffix(filepath.Base(path), ".txtar")
			said := strings.ReplaceAll(script, "_", " ") + "\n"
			for line := range strings.Lines(string(data)) {
				if !strings.HasPrefix(line, "#") {
					break
				}
				said += line
			}
			for _, m := range inLiteral.FindAllStringSubmatch(said, -1) {
				add(m[1]+"-"+m[2], "scripts")
			}
		}
		return nil
	})
	for _, p := range places {
		slices.Sort(p)
	}
	return places, err
}

// idsInTests are the ids in names of tests, and in texts that begin with one, as names of subtests do.
func idsInTests(path string) ([]string, error) {
	parsed, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var ids []string
	ast.Inspect(parsed, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if strings.HasPrefix(n.Name.Name, "Test") || strings.HasPrefix(n.Name.Name, "Fuzz") || strings.HasPrefix(n.Name.Name, "Benchmark") {
				// Two ids may share an underscore, so it is doubled before they are looked for.
				for _, m := range inName.FindAllStringSubmatch(strings.ReplaceAll(n.Name.Name, "_", "__"), -1) {
					ids = append(ids, m[1]+"-"+m[2])
				}
			}
		case *ast.BasicLit:
			text, err := strconv.Unquote(n.Value)
			if err != nil || n.Kind != token.STRING {
				return true
			}
			if at := inLiteral.FindStringIndex(text); at != nil && at[0] == 0 {
				for _, m := range inLiteral.FindAllStringSubmatch(text, -1) {
					ids = append(ids, m[1]+"-"+m[2])
				}
			}
		}
		return true
	})
	return ids, nil
}
