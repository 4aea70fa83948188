package agents

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// RecordedTool is a call of one of our tools as a cassette keeps it:
// an edit without the hash of what it edits, for that will be another one when it is played.
func RecordedTool(name string, arguments json.RawMessage) CassetteTool {
	tool := CassetteTool{Name: name, Arguments: arguments}
	var args map[string]json.RawMessage
	if name != "edit_file" || json.Unmarshal(arguments, &args) != nil {
		return tool
	}
	delete(args, "hash")
	if data, err := json.Marshal(args); err == nil {
		tool.Arguments = data
	}
	return tool
}

// Put adds the answer to a request, in the place of an earlier answer to the same one.
func (c *Cassette) Put(call CassetteCall) {
	for i, have := range c.Calls {
		if have.Step == call.Step && have.Round == call.Round && have.Task == call.Task {
			c.Calls[i] = call
			return
		}
	}
	c.Calls = append(c.Calls, call)
}

// YAML is the cassette as [ParseCassette] reads it.
func (c *Cassette) YAML() ([]byte, error) {
	file := cassetteFile{Version: 1}
	for _, call := range c.Calls {
		written, err := call.file()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", requestText(call.Step, call.Round, call.Task), err)
		}
		file.Calls = append(file.Calls, written)
	}
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	if err := encoder.Encode(file); err != nil {
		return nil, fmt.Errorf("write the cassette: %w", err)
	}
	if err := encoder.Close(); err != nil {
		return nil, fmt.Errorf("write the cassette: %w", err)
	}
	if out.Len() > largestCassette {
		return nil, fmt.Errorf("write the cassette: it would have %d bytes, and more than %d are not read", out.Len(), largestCassette)
	}
	return out.Bytes(), nil
}

// exactText is a text that is read as it was written. YAML's blocks lose blank lines at the beginning of one.
type exactText string

// MarshalYAML quotes a text that begins with a blank. One that is not UTF-8 is left to the encoder, which writes it as binary.
func (t exactText) MarshalYAML() (any, error) {
	if t == "" || !strings.ContainsRune(" \t\r\n", rune(t[0])) || !utf8.ValidString(string(t)) {
		return string(t), nil
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: string(t), Style: yaml.DoubleQuotedStyle}, nil
}

func (c CassetteCall) file() (callFile, error) {
	f := callFile{Step: c.Step, Round: c.Round, Task: c.Task, Delete: c.Delete, Usage: (*usageFile)(c.Usage), Exit: c.Exit}
	if c.Sleep > 0 {
		f.Sleep = c.Sleep.String()
	}
	for _, text := range c.Say {
		f.Say = append(f.Say, exactText(text))
	}
	for _, w := range c.Write {
		f.Write = append(f.Write, writeFile{w.Path, exactText(w.Content), w.Executable})
	}
	for _, t := range c.Tools {
		arguments, err := argumentsYAML(t.Arguments)
		if err != nil {
			return f, fmt.Errorf("arguments of %s: %w", t.Name, err)
		}
		f.Tools = append(f.Tools, toolFile{t.Name, arguments, t.ExpectError})
	}
	return f, nil
}

// argumentsYAML is the reverse of argumentsJSON.
func argumentsYAML(arguments json.RawMessage) (node yaml.Node, err error) {
	var value map[string]any
	decoder := json.NewDecoder(bytes.NewReader(arguments))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		return node, err
	}
	return node, node.Encode(plain(value))
}

// plain turns what JSON holds into what YAML writes as the same: whole numbers as whole, texts exactly.
func plain(value any) any {
	switch v := value.(type) {
	case string:
		return exactText(v)
	case map[string]any:
		for name := range v {
			v[name] = plain(v[name])
		}
	case []any:
		for i := range v {
			v[i] = plain(v[i])
		}
	case json.Number:
		if whole, err := v.Int64(); err == nil {
			return whole
		}
		if n, err := v.Float64(); err == nil {
			return n
		}
		return v.String()
	}
	return value
}
