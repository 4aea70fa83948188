package agents

import (
	"encoding/json"
	"errors"
	"fmt"

	"gopkg.in/yaml.v3"
)

// callLines are the lines in which the calls of a readable cassette begin.
func callLines(src []byte) []int {
	var doc yaml.Node
	if yaml.Unmarshal(src, &doc) != nil || len(doc.Content) == 0 {
		return nil
	}
	var lines []int
	for i := 0; i+1 < len(doc.Content[0].Content); i += 2 {
		if key, value := doc.Content[0].Content[i], doc.Content[0].Content[i+1]; key.Value == "calls" {
			for value.Kind == yaml.AliasNode {
				value = value.Alias
			}
			for _, call := range value.Content {
				lines = append(lines, call.Line)
			}
		}
	}
	return lines
}

// argumentsJSON is the JSON object that a mapping stands for. Its errors begin with a line number.
// What looks like a date stays text: the tools take no dates.
func argumentsJSON(node yaml.Node) (json.RawMessage, error) {
	if node.IsZero() {
		return json.RawMessage("{}"), nil
	}
	if node.Kind != yaml.MappingNode {
		return nil, fmt.Errorf("%d: arguments must be a mapping", node.Line)
	}
	value, err := plainValue(&node, 0)
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("%d: %w", node.Line, err)
	}
	return data, nil
}

// deepestArgument is far beyond what any tool takes, and keeps an alias from containing itself.
const deepestArgument = 64

func plainValue(node *yaml.Node, depth int) (any, error) {
	if depth > deepestArgument {
		return nil, fmt.Errorf("%d: nested deeper than %d", node.Line, deepestArgument)
	}
	switch node.Kind {
	case yaml.MappingNode:
		return plainMap(node, depth)
	case yaml.SequenceNode:
		list := make([]any, 0, len(node.Content))
		for _, item := range node.Content {
			value, err := plainValue(item, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, value)
		}
		return list, nil
	case yaml.ScalarNode:
		if node.Tag == "!!timestamp" {
			return node.Value, nil
		}
		var value any
		if err := node.Decode(&value); err != nil {
			return nil, fmt.Errorf("%d: %w", node.Line, err)
		}
		return value, nil
	default:
		// Aliases would let a small file grow without bound.
		return nil, fmt.Errorf("%d: %w", node.Line, errors.New("arguments may not use aliases"))
	}
}

func plainMap(node *yaml.Node, depth int) (map[string]any, error) {
	values := make(map[string]any, len(node.Content)/2)
	for i := 0; i+1 < len(node.Content); i += 2 {
		key := node.Content[i]
		if key.Kind != yaml.ScalarNode || key.Tag == "!!merge" {
			return nil, fmt.Errorf("%d: a field needs a plain name", key.Line)
		}
		if _, twice := values[key.Value]; twice {
			return nil, fmt.Errorf("%d: field %q is there twice", key.Line, key.Value)
		}
		value, err := plainValue(node.Content[i+1], depth+1)
		if err != nil {
			return nil, err
		}
		values[key.Value] = value
	}
	return values, nil
}
