package config

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/BurntSushi/toml"
)

// MaxFile is the size above which no file is parsed, in bytes.
// Like the limit on nesting it stands before the parser, which has none of its own.
const MaxFile = 256 << 10

// Warning is something about the file that a person should hear once, and that stops nothing.
type Warning struct {
	File    string
	Line    int    // 1-based; 0 where the line is not known
	Key     string // dotted name
	Message string
}

// String returns "file:line: key: message".
func (w Warning) String() string {
	return (&Error{File: w.File, Line: w.Line, Key: w.Key, Reason: w.Message}).Error()
}

// Load reads a configuration file on top of [Default]; file only names it in messages.
//
// All impossible values are reported at once, joined and in the order of the file, each as an [*Error].
// An empty file is the default. When there is an error, the Config is not to be used.
func Load(file string, src []byte) (Config, []Warning, error) {
	src = bytes.TrimPrefix(src, []byte("\xef\xbb\xbf"))
	if err := readable(file, src); err != nil {
		return Config{}, nil, err
	}
	lines, tooDeep := keyLines(string(src))
	if tooDeep > 0 {
		return Config{}, nil, &Error{File: file, Line: tooDeep, Reason: fmt.Sprintf("nested more than %d levels deep", mostNesting)}
	}
	values := map[string]any{}
	if err := toml.Unmarshal(src, &values); err != nil {
		return Config{}, nil, syntaxError(file, err)
	}
	r := &reading{file: file, lines: lines, asked: map[string]bool{}}
	root := table{r: r, values: values}

	c := Default()
	root.text("project_name", &c.ProjectName)
	c.Workflow.read(root.table("workflow"))
	readAgents(root, c.Agents)
	readRoles(root.table("roles"), c.Roles, c.Agents)
	c.Review.read(root.table("review"))
	c.Validation.read(root.table("validation"))
	c.Limits.read(root.table("limits"))
	c.Budget.read(root.table("budget"))
	choice(root.table("github"), "publish", &c.GitHub.Publish, PublishAlways, PublishAsk, PublishNever)
	c.Policy.read(root.table("policy"))
	readPrices(root.table("prices"), c.Prices)

	warnings := oldKeys(root)
	warnings = append(warnings, c.unknownKeys(root)...)
	warnings = append(warnings, c.oddPrices(r)...)
	slices.SortStableFunc(warnings, func(a, b Warning) int { return cmp.Compare(a.Line, b.Line) })
	if len(r.errs) > 0 {
		return Config{}, warnings, joined(r.errs)
	}
	return c, warnings, nil
}

// readable refuses what the parser should not even see.
func readable(file string, src []byte) error {
	if len(src) > MaxFile {
		return &Error{File: file, Reason: fmt.Sprintf("file has %d bytes, the limit is %d", len(src), MaxFile)}
	}
	if line := conflictLine(src); line > 0 {
		return &Error{File: file, Line: line, Reason: "unresolved merge conflict"}
	}
	if !utf8.Valid(src) {
		return &Error{File: file, Line: invalidLine(src), Reason: "not valid UTF-8"}
	}
	return nil
}

func conflictLine(src []byte) int {
	number := 0
	for line := range bytes.Lines(src) {
		number++
		if bytes.HasPrefix(line, []byte("<<<<<<< ")) {
			return number
		}
	}
	return 0
}

func invalidLine(src []byte) int {
	number := 0
	for line := range bytes.Lines(src) {
		number++
		if !utf8.Valid(line) {
			return number
		}
	}
	return 0
}

// syntaxError puts the parser's error into our form.
func syntaxError(file string, err error) error {
	if parse, ok := errors.AsType[toml.ParseError](err); ok {
		return &Error{File: file, Line: parse.Position.Line, Key: parse.LastKey, Reason: parse.Message}
	}
	return &Error{File: file, Reason: strings.TrimPrefix(err.Error(), "toml: ")}
}

// joined sorts the errors by line and key and makes one of them.
func joined(errs []*Error) error {
	slices.SortStableFunc(errs, func(a, b *Error) int { return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Key, b.Key)) })
	all := make([]error, len(errs))
	for i, err := range errs {
		all[i] = err
	}
	return errors.Join(all...)
}

// oldKeys notes the keys of the older tool that have no meaning any more.
func oldKeys(root table) []Warning {
	var warnings []Warning
	for _, old := range []struct{ key, message string }{
		{"gemini_command", "old key without effect; use gemini.command"},
		{"claude_command", "old key without effect; use claude.command"},
		{"codex_command", "old key without effect; use codex.command"},
		{"scripts_dir", "old key without effect; there are no scripts any more"},
		{"branch_prefix", `key without effect; branches always begin with "agentd/"`},
	} {
		if _, path, ok := root.take(old.key); ok {
			warnings = append(warnings, Warning{root.r.file, root.r.lineOf(path), path, old.message})
		}
	}
	return warnings
}

// unknownKeys keeps what nobody asked for and names each key once.
func (c *Config) unknownKeys(t table) []Warning {
	var warnings []Warning
	named := map[string]bool{}
	var walk func(t table)
	walk = func(t table) {
		for _, key := range t.keys() {
			path := joinKey(t.path, key)
			if !t.r.asked[path] {
				c.Extra[path] = t.values[key]
				if name := anyEntry().ReplaceAllString(path, ""); !named[name] {
					named[name] = true
					warnings = append(warnings, Warning{t.r.file, t.r.lineOf(path), name, "unknown key, ignored"})
				}
				continue
			}
			if values, ok := t.values[key].(map[string]any); ok {
				walk(table{r: t.r, path: path, values: values})
			}
			for i, entry := range asList(t.values[key]) {
				if values, ok := entry.(map[string]any); ok {
					walk(table{r: t.r, path: fmt.Sprintf("%s[%d]", path, i), values: values})
				}
			}
		}
	}
	walk(t)
	return warnings
}

// anyEntry is the index of an entry in an array of tables.
var anyEntry = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\[\d+\]`)
})
