package specs

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// decodeYAML reads the one YAML document in src into a value.
// Anchors, aliases, merge keys, explicit tags, duplicate keys, a second document
// and numbers that do not mean what they look like are refused; with strict, so are unknown keys.
// Every error is a [*DocumentError] or a [*ConflictError].
func decodeYAML(file string, src []byte, into any, strict bool) error {
	src, err := readable(file, src)
	if err != nil {
		return err
	}
	return decodeYAMLFrom(file, 1, src, into, strict)
}

// decodeYAMLFrom is decodeYAML for a part of a file that begins at line first.
func decodeYAMLFrom(file string, first int, src []byte, into any, strict bool) (err error) {
	defer refuseYAML(file, first, &err)
	if _, err := readYAMLTree(file, first, src); err != nil {
		return err
	}
	// A second pass gives the value: only the decoder from bytes knows about unknown keys.
	decoder := yaml.NewDecoder(bytes.NewReader(src))
	decoder.KnownFields(strict)
	if err := decoder.Decode(into); err != nil {
		return locateYAML(file, first, err)
	}
	return nil
}

// readYAMLTree reads the one YAML document of a part of a file as a tree, under the rules of decodeYAML.
func readYAMLTree(file string, first int, src []byte) (root *yaml.Node, err error) {
	defer refuseYAML(file, first, &err)
	root, err = parseYAML(src)
	if err == nil {
		err = plainYAML(root)
	}
	if err != nil {
		return nil, locateYAML(file, first, err)
	}
	return root, nil
}

// refuseYAML is deferred: the library answers some malformed inputs with a panic of its own; a reader must not.
func refuseYAML(file string, first int, err *error) {
	if r := recover(); r != nil {
		*err = &DocumentError{File: file, Line: first, Message: "this YAML cannot be parsed"}
	}
}

// yamlError is an error at a line that is counted from the beginning of the YAML text.
type yamlError struct {
	line    int
	other   int // a second line that the message refers to, put in place of %d
	message string
}

func (e *yamlError) Error() string { return e.message }

// parseYAML returns the one document in src as a tree.
func parseYAML(src []byte) (*yaml.Node, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(src))
	var root yaml.Node
	if err := decoder.Decode(&root); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, &yamlError{line: 1, message: "document is empty"}
		}
		return nil, err
	}
	var second yaml.Node
	switch err := decoder.Decode(&second); {
	case errors.Is(err, io.EOF):
		return &root, nil
	case err != nil:
		return nil, err
	default:
		return nil, &yamlError{line: max(second.Line, 1), message: "more than one YAML document"}
	}
}

// plainNumber is how a whole number must be written: 010 would be read as eight, 1_000 as a thousand.
var plainNumber = lazy(`^[-+]?(0|[1-9][0-9]*)$`)

// plainYAML walks the tree and refuses what has no place in a document of ours.
func plainYAML(node *yaml.Node) error {
	refuse := func(format string, args ...any) error {
		return &yamlError{line: node.Line, message: fmt.Sprintf(format, args...)}
	}
	switch {
	case node.Kind == yaml.AliasNode:
		return refuse("alias *%s is not allowed", node.Value)
	case node.Anchor != "":
		return refuse("anchor &%s is not allowed", node.Anchor)
	case node.Style&yaml.TaggedStyle != 0:
		return refuse("tag %s is not allowed", node.Tag)
	case node.Kind == yaml.ScalarNode && node.Style == 0 && node.Tag == "!!merge":
		return refuse("merge key << is not allowed")
	case node.Kind == yaml.ScalarNode && node.Style == 0 && node.Tag == "!!int" && !plainNumber().MatchString(node.Value):
		return refuse("number %s is ambiguous, write it in plain digits or in quotes", node.Value)
	}
	if node.Kind == yaml.MappingNode {
		if err := uniqueKeys(node); err != nil {
			return err
		}
	}
	for _, child := range node.Content {
		if err := plainYAML(child); err != nil {
			return err
		}
	}
	return nil
}

// uniqueKeys refuses a mapping that says two things about one key.
func uniqueKeys(mapping *yaml.Node) error {
	seen := make(map[string]int, len(mapping.Content)/2)
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		key := mapping.Content[i]
		if key.Kind != yaml.ScalarNode {
			return &yamlError{line: key.Line, message: "a key must be plain text"}
		}
		if earlier, twice := seen[key.Value]; twice {
			return &yamlError{line: key.Line, other: earlier,
				message: fmt.Sprintf("key %q is already defined at line %%d", key.Value)}
		}
		seen[key.Value] = key.Line
	}
	return nil
}

// yamlLine takes the line out of the library's messages, "line 3: found …" with or without "yaml: ".
var yamlLine = lazy(`^(?:yaml: )?(?:unmarshal errors:\s*)?(?:line (\d+): )?`)

// countsFromZero are the messages of the library's parser, as opposed to its scanner:
// their lines are one too low.
var countsFromZero = lazy(`^did not find expected (key|'-' indicator|',' or '[]}]'|node content|<)`)

// locateYAML turns an error of the library, or of ours, into one that names file and line.
func locateYAML(file string, first int, err error) error {
	if own, ok := errors.AsType[*yamlError](err); ok {
		message := own.message
		if own.other > 0 {
			message = strings.ReplaceAll(message, "%d", strconv.Itoa(own.other+first-1))
		}
		return &DocumentError{File: file, Line: own.line + first - 1, Message: message}
	}
	text := err.Error()
	if typed, ok := errors.AsType[*yaml.TypeError](err); ok && len(typed.Errors) > 0 {
		text = typed.Errors[0]
	}
	line := 1
	match := yamlLine().FindStringSubmatch(text)
	if n, err := strconv.Atoi(match[1]); err == nil {
		line = max(n, 1)
		if countsFromZero().MatchString(text[len(match[0]):]) {
			line++
		}
	}
	return &DocumentError{File: file, Line: line + first - 1, Message: plainMessage(text[len(match[0]):])}
}

var (
	wrongType  = lazy("(?s)^cannot unmarshal !!(\\w+)(?: `(.*)`)? into (.+)$")
	unknownKey = lazy(`^field (.+) not found in type \S+$`)
)

// plainMessage says in words of the document what the library says in words of Go.
func plainMessage(message string) string {
	if match := unknownKey().FindStringSubmatch(message); match != nil {
		return fmt.Sprintf("unknown key %q", match[1])
	}
	match := wrongType().FindStringSubmatch(message)
	if match == nil {
		return message
	}
	found := map[string]string{"seq": "a list", "map": "a mapping"}[match[1]]
	if found == "" {
		found = strconv.Quote(match[2])
	}
	return fmt.Sprintf("want %s, found %s", wantedType(match[3]), found)
}

// wantedType names a Go type for the author of a document.
func wantedType(goType string) string {
	switch {
	case strings.HasPrefix(goType, "[]"):
		return "a list"
	case strings.HasPrefix(goType, "int"), strings.HasPrefix(goType, "uint"):
		return "a whole number"
	case strings.HasPrefix(goType, "float"):
		return "a number"
	case goType == "string":
		return "text"
	case goType == "bool":
		return "true or false"
	case goType == "time.Time":
		return "a time such as 2026-01-19T10:30:00Z"
	default:
		return "a mapping"
	}
}
