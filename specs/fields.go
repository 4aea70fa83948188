package specs

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"
)

// fields reads the front matter of older documents, where nobody checked what was written:
// a missing or odd value becomes the zero value, and a problem where it is odd.
type fields struct {
	file     string
	first    int // the line of the file on which the YAML begins
	values   map[string]*yaml.Node
	problems *Problems
}

// readFields reads YAML that must be a mapping. Broken YAML is an error, as everywhere.
func readFields(file string, first int, src []byte, problems *Problems) (fields, error) {
	f := fields{file: file, first: first, problems: problems}
	if len(bytes.TrimSpace(src)) == 0 {
		return f, nil
	}
	root, err := readYAMLTree(file, first, src)
	if err != nil {
		return f, err
	}
	mapping := root.Content[0]
	if mapping.Kind != yaml.MappingNode {
		return f, &DocumentError{File: file, Line: first, Message: "want a mapping of keys to values"}
	}
	return f.of(mapping), nil
}

// fields reads the front matter of a document.
func (o *outline) fields(problems *Problems) (fields, error) {
	if !o.front.present {
		return fields{file: o.file, problems: problems}, nil
	}
	return readFields(o.file, o.front.line, o.front.yaml, problems)
}

// of returns the fields of a mapping below.
func (f fields) of(mapping *yaml.Node) fields {
	below := fields{file: f.file, first: f.first, problems: f.problems, values: map[string]*yaml.Node{}}
	if mapping == nil || mapping.Kind != yaml.MappingNode {
		return below
	}
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		below.values[mapping.Content[i].Value] = mapping.Content[i+1]
	}
	return below
}

func (f fields) has(key string) bool { return f.values[key] != nil }

func (f fields) sub(key string) fields { return f.of(f.values[key]) }

// text returns a scalar as it is written, so that 1.10 does not become 1.1.
func (f fields) text(keys ...string) string {
	for _, key := range keys {
		if text := scalarText(f.values[key]); text != "" {
			return text
		}
	}
	return ""
}

func scalarText(node *yaml.Node) string {
	if node == nil || node.Kind != yaml.ScalarNode || node.Tag == "!!null" {
		return ""
	}
	return strings.TrimSpace(node.Value)
}

// number returns a whole number that counts something.
func (f fields) number(key string) int {
	text := f.text(key)
	if text == "" {
		return 0
	}
	n, err := strconv.Atoi(strings.TrimLeft(text, "~"))
	if err != nil || n < 0 {
		f.odd(key, "a whole number")
		return 0
	}
	return n
}

// time returns a time in UTC, in whole seconds.
func (f fields) time(keys ...string) time.Time {
	for _, key := range keys {
		text := f.text(key)
		if text == "" {
			continue
		}
		for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02 15:04:05", time.DateOnly} {
			if at, err := time.Parse(layout, text); err == nil && at.Year() > 0 {
				return seconds(at)
			}
		}
		f.odd(key, "a time such as 2026-01-19T10:30:00Z")
	}
	return time.Time{}
}

// seconds is how documents hold times: UTC, whole seconds.
func seconds(at time.Time) time.Time { return at.UTC().Truncate(time.Second) }

// list returns the entries of a list; a single value counts as a list of one.
func (f fields) list(key string) []*yaml.Node {
	switch node := f.values[key]; {
	case node == nil || node.Kind == yaml.ScalarNode && scalarText(node) == "":
		return nil
	case node.Kind == yaml.SequenceNode:
		return node.Content
	default:
		return []*yaml.Node{node}
	}
}

// texts returns the scalars of a list.
func (f fields) texts(key string) []string {
	var texts []string
	for _, node := range f.list(key) {
		if text := scalarText(node); text != "" {
			texts = append(texts, text)
		}
	}
	return texts
}

// line returns the line of a key's value in the file.
func (f fields) line(key string) int {
	if node := f.values[key]; node != nil {
		return node.Line + f.first - 1
	}
	return f.first
}

func (f fields) odd(key, want string) {
	*f.problems = append(*f.problems, Problem{
		Rule: "odd-frontmatter", Severity: Low, File: f.file, Line: f.line(key),
		Message: fmt.Sprintf("%s is %q, want %s", key, f.text(key), want),
		Hint:    "correct the value or take the key out",
	})
}

// writeFrontmatter writes a value as front matter.
// The text in it is clean already, so that the encoder has nothing to refuse.
func writeFrontmatter(out *strings.Builder, value any) {
	var buffer bytes.Buffer
	encoder := yaml.NewEncoder(&buffer)
	encoder.SetIndent(2)
	if err := encoder.Encode(value); err != nil {
		return // plain structs of text, numbers and times always encode
	}
	out.WriteString("---\n")
	out.Write(buffer.Bytes())
	out.WriteString("---\n")
}
