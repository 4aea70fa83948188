package inbox

import (
	"embed"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

//go:embed schema/*.json
var schemaFiles embed.FS

// Schema returns the JSON schema of a tool's arguments, nil for a name that is no tool.
// The schema that is published and the schema that is checked are this one text.
func Schema(tool string) json.RawMessage {
	src, err := schemaFiles.ReadFile("schema/" + tool + ".json")
	if err != nil {
		return nil
	}
	return src
}

// schema is the part of JSON Schema that our tools use.
type schema struct {
	Type                 oneOrMore          `json:"type"`
	Description          string             `json:"description,omitempty"`
	Properties           map[string]*schema `json:"properties,omitempty"`
	Required             []string           `json:"required,omitempty"`
	AdditionalProperties *bool              `json:"additionalProperties,omitempty"`
	Items                *schema            `json:"items,omitempty"`
	Enum                 []string           `json:"enum,omitempty"`
	MinItems             int                `json:"minItems,omitempty"`
	MaxItems             int                `json:"maxItems,omitempty"`
	MinLength            int                `json:"minLength,omitempty"`
	MaxLength            int                `json:"maxLength,omitempty"`
	Minimum              *int64             `json:"minimum,omitempty"`
}

// oneOrMore is a type, or several of which any will do.
type oneOrMore []string

func (o *oneOrMore) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*o = oneOrMore{one}
		return nil
	}
	return json.Unmarshal(data, (*[]string)(o))
}

// maxReasons bounds a refusal: a model repairs the first ten and calls again.
const maxReasons = 10

// checkArguments holds the arguments of a call against the tool's schema.
// The refusal names each argument that is wrong, and why.
func checkArguments(tool string, args map[string]any) error {
	var root schema
	if err := json.Unmarshal(Schema(tool), &root); err != nil {
		return fmt.Errorf("read the schema of %s: %w", tool, err)
	}
	var c checker
	c.object("", &root, args)
	if len(c.reasons) == 0 {
		return nil
	}
	return refuseAll(c.reasons)
}

type checker struct {
	reasons []string
}

func (c *checker) refuse(path, format string, args ...any) {
	if len(c.reasons) == maxReasons {
		c.reasons = append(c.reasons, "and more")
	}
	if len(c.reasons) < maxReasons {
		c.reasons = append(c.reasons, argument(path)+" "+fmt.Sprintf(format, args...))
	}
}

func (c *checker) value(path string, want *schema, value any) {
	switch value := value.(type) {
	case nil:
		c.refuse(path, "is null: leave it out or give it a value")
	case map[string]any:
		if c.is(path, want, "object") {
			c.object(path, want, value)
		}
	case []any:
		if c.is(path, want, "array") {
			c.list(path, want, value)
		}
	case string:
		if c.is(path, want, "string") {
			c.text(path, want, value)
		}
	case bool:
		c.is(path, want, "boolean")
	case json.Number:
		if c.is(path, want, "integer") {
			c.integer(path, want, value)
		}
	}
}

// is checks the type, and names both in the refusal.
func (c *checker) is(path string, want *schema, have string) bool {
	if slices.Contains(want.Type, have) {
		return true
	}
	if have == "integer" {
		have = "number"
	}
	c.refuse(path, "is of type %s, want %s", have, strings.Join(want.Type, " or "))
	return false
}

func (c *checker) object(path string, want *schema, object map[string]any) {
	for _, key := range want.Required {
		if _, ok := object[key]; !ok {
			c.refuse(join(path, key), "is missing")
		}
	}
	for _, key := range sortedKeys(object) {
		inner, known := want.Properties[key]
		if !known {
			c.refuse(join(path, key), "is unknown%s", suggest(key, want.Properties))
			continue
		}
		c.value(join(path, key), inner, object[key])
	}
}

func (c *checker) list(path string, want *schema, list []any) {
	switch {
	case want.MaxItems > 0 && len(list) > want.MaxItems:
		c.refuse(path, "has %d entries, the limit is %d", len(list), want.MaxItems)
		return
	case len(list) < want.MinItems:
		c.refuse(path, "has %d entries, at least %d are needed", len(list), want.MinItems)
	}
	for i, value := range list {
		c.value(fmt.Sprintf("%s[%d]", path, i), want.Items, value)
	}
}

func (c *checker) text(path string, want *schema, text string) {
	length := utf8.RuneCountInString(text)
	switch {
	case len(want.Enum) > 0 && !slices.Contains(want.Enum, text):
		c.refuse(path, "is %q, want one of %s", clip(text, 40), strings.Join(want.Enum, ", "))
	case want.MaxLength > 0 && length > want.MaxLength:
		c.refuse(path, "has %d characters, the limit is %d", length, want.MaxLength)
	case want.MinLength > 0 && strings.TrimSpace(text) == "":
		c.refuse(path, "is empty")
	}
}

func (c *checker) integer(path string, want *schema, number json.Number) {
	n, err := strconv.ParseInt(number.String(), 10, 32)
	switch {
	case err != nil:
		c.refuse(path, "is %s, want a whole number", clip(number.String(), 40))
	case want.Minimum != nil && n < *want.Minimum:
		c.refuse(path, "is %d, want at least %d", n, *want.Minimum)
	}
}

// suggest names the argument that was meant, or all there are.
func suggest(key string, known map[string]*schema) string {
	names := sortedKeys(known)
	squeeze := strings.NewReplacer("_", "", "-", "", " ", "")
	for _, name := range names {
		if strings.EqualFold(squeeze.Replace(name), squeeze.Replace(key)) {
			return fmt.Sprintf(", did you mean %q?", name)
		}
	}
	if len(names) == 0 {
		return ": there are no arguments here"
	}
	return ", known are " + strings.Join(names, ", ")
}
