package agents

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agentd/gh-agentd/internal/proc"
)

// Release says which releases of a program will do. The zero value asks for none.
type Release struct {
	// Floor is the oldest release that will do, such as "0.61.0".
	Floor string
	// Package is the npm package of the program: where it is installed from that,
	// the package's own description says the version without starting anything.
	Package string
	// Update is the command line that brings a newer release.
	Update string
}

// checkRelease refuses a program that is too old. It finds the version out once for each path.
func (p *Program) checkRelease(ctx context.Context, path string) error {
	if p.Release.Floor == "" {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	version, known := p.versions[path]
	if !known {
		var err error
		if version, err = p.findVersion(ctx, path); err != nil {
			return err
		}
		if p.versions == nil {
			p.versions = map[string]string{}
		}
		p.versions[path] = version
	}
	if slices.Compare(numbers(version), numbers(p.Release.Floor)) >= 0 {
		return nil
	}
	return &Error{
		Kind: Outdated, Agent: p.ID, Detail: fmt.Sprintf("%s is version %s, and %s or newer is needed", path, version, p.Release.Floor),
		Advice: fmt.Sprintf("update it: `%s`", p.Release.Update),
	}
}

// findVersion reads the version where it is written, or asks the program.
// Nothing is remembered from one run to the next: files of npm packages all bear the same date,
// and the shims of version managers stay as they are when what is behind them changes.
func (p *Program) findVersion(ctx context.Context, path string) (string, error) {
	if version := packageVersion(path, p.Release.Package); version != "" && len(p.Words) == 0 {
		return version, nil
	}
	// Gemini takes a second for this, and several on a busy machine.
	const patience = 30 * time.Second
	result, err := proc.Run(ctx, proc.Cmd{
		Path: path, Args: append(slices.Clone(p.Words), "--version"), Env: environment(Request{Environ: p.Environ}, nil, nil), Group: true,
		Limits: proc.Limits{Wall: patience, OutputBytes: 1 << 20},
	})
	if cancelled, ok := errors.AsType[*proc.CancelledError](err); ok {
		return "", &Error{Kind: Cancelled, Agent: p.ID, Err: cancelled.Cause}
	}
	version := versionIn(result.Stdout)
	if err == nil && version == "" {
		err = fmt.Errorf("it printed %q", brief(proc.Clean(string(result.Stdout))))
	}
	if err != nil {
		line := strings.Join(append([]string{path}, append(slices.Clone(p.Words), "--version")...), " ")
		return "", &Error{
			Kind: Config, Agent: p.ID, Detail: fmt.Sprintf("ask for its version: %s", proc.Clean(err.Error())), Err: err,
			Advice: fmt.Sprintf("run `%s` by hand to see what is wrong with the installation", line),
		}
	}
	return version, nil
}

// packageVersion is the version of the npm package that a program belongs to, or "" where it belongs to another or to none.
func packageVersion(path, name string) string {
	resolved, err := filepath.EvalSymlinks(path)
	if err != nil {
		return ""
	}
	// A package keeps its programs in its root or in a folder or two below it.
	for dir, deep := filepath.Dir(resolved), 0; deep < 3; dir, deep = filepath.Dir(dir), deep+1 {
		data, err := os.ReadFile(filepath.Join(dir, "package.json"))
		if err != nil {
			continue
		}
		var described struct{ Name, Version string }
		if json.Unmarshal(data, &described) != nil || described.Name != name {
			return ""
		}
		return versionIn([]byte(described.Version))
	}
	return ""
}

var versionPattern = regexp.MustCompile(`\d+\.\d+\.\d+`)

// versionIn is the first version in what a program printed: "0.61.0", "codex-cli 0.169.0", "2.1.329 (Claude Code)".
func versionIn(text []byte) string {
	return string(versionPattern.Find(bytes.TrimSpace(text)))
}

// numbers are the parts of a version. What comes after them, such as "-nightly", is left out.
func numbers(version string) []int {
	var all []int
	for part := range strings.SplitSeq(version, ".") {
		n, _ := strconv.Atoi(part) // the pattern lets nothing else through
		all = append(all, n)
	}
	return all
}
