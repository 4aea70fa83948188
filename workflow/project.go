package workflow

import (
	"context"
	"os"
	"slices"
	"strings"

	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/config"
	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/internal/proc"
	"github.com/agentd/gh-agentd/phases"
)

// projectKind is how a project is recognised by a file at its root, checked, and scanned.
type projectKind struct {
	file  string
	check string
	scan  string // "" where there is no usual scanner
}

// projectKinds in the order of belief: a language's own tool before a Makefile.
func projectKinds() []projectKind {
	return []projectKind{
		{file: "go.mod", check: "go test ./...", scan: "govulncheck ./..."},
		{file: "Cargo.toml", check: "cargo test", scan: "cargo audit"},
		{file: "package.json", check: "npm test", scan: "npm audit --omit=dev"},
		{file: "pyproject.toml", check: "pytest", scan: "pip-audit"},
		{file: "setup.py", check: "pytest", scan: "pip-audit"},
		{file: "pytest.ini", check: "pytest", scan: "pip-audit"},
	}
}

// projectKinds are the kinds whose file stands at the root of the tree.
// A Makefile counts only where nothing says more.
func (b *Bench) projectKinds(ctx context.Context, tree gitops.ID) ([]projectKind, error) {
	objects, err := b.Repo.Objects(ctx)
	if err != nil {
		return nil, err
	}
	defer objects.Close()
	entries, err := objects.Tree(tree)
	if err != nil {
		return nil, err
	}
	has := func(name string) bool {
		return slices.ContainsFunc(entries, func(e gitops.Entry) bool { return e.Name == name && e.Mode.IsFile() })
	}
	var kinds []projectKind
	for _, k := range projectKinds() {
		if has(k.file) && !slices.ContainsFunc(kinds, func(o projectKind) bool { return o.check == k.check }) {
			kinds = append(kinds, k)
		}
	}
	if len(kinds) == 0 && (has("Makefile") || has("makefile") || has("GNUmakefile")) {
		kinds = append(kinds, projectKind{file: "Makefile", check: "make test"})
	}
	return kinds, nil
}

// scan runs the security scan of the project's kind where its tool is installed.
// A tool that is not there is recorded as not run, which is never the same as clean.
func (b *Bench) scan(ctx context.Context, c *changes.Change, dir string, log *os.File) ([]phases.Evidence, error) {
	if b.Config.Review.Scan == config.ScanOff {
		return nil, nil
	}
	kinds, err := b.projectKinds(ctx, c.Tree())
	if err != nil {
		return nil, err
	}
	var all []phases.Evidence
	for _, k := range kinds {
		if k.scan == "" {
			continue
		}
		if !b.scannerInstalled(k.scan) {
			all = append(all, phases.Evidence{Kind: phases.Scan, NotRun: true, Command: k.scan})
			continue
		}
		e, err := b.runCheck(ctx, dir, k.scan, log)
		if err != nil {
			return nil, err
		}
		e.Kind = phases.Scan
		all = append(all, e)
	}
	return all, nil
}

// scannerInstalled looks for the program; `cargo audit` is the program cargo-audit.
func (b *Bench) scannerInstalled(command string) bool {
	words := strings.Fields(command)
	program := words[0]
	if program == "cargo" {
		program = "cargo-" + words[1]
	}
	_, err := proc.Look(program, lookup(b.Environ, "PATH"))
	return err == nil
}
