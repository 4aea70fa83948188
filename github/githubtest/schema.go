package githubtest

import (
	"fmt"
	"maps"
	"math"
	"net/url"
	"slices"
	"strings"
)

func unescape(segment string) string {
	if text, err := url.PathUnescape(segment); err == nil {
		return text
	}
	return segment
}

// resolve follows references.
func (d *description) resolve(s schema) schema {
	for {
		ref, ok := s["$ref"].(string)
		if !ok {
			return s
		}
		s = d.Components.Schemas[last(ref)]
	}
}

func sub(s schema, key string) schema {
	switch v := s[key].(type) {
	case map[string]any:
		return v
	case schema:
		return v
	}
	return nil
}

func alternatives(s schema) []schema {
	var all []schema
	for _, key := range []string{"oneOf", "anyOf"} {
		list, _ := s[key].([]any)
		for _, v := range list {
			if m, ok := v.(map[string]any); ok {
				all = append(all, m)
			}
		}
	}
	return all
}

// lenient are fields that GitHub sends as null although it describes them otherwise:
// outdated comments have no line, and a pull request may have lost the repository of its head.
var lenient = []string{"line", "start_line", "position", "original_start_line", "repo"}

// validate says what of a value does not fit a schema. Stricter than the schema, it knows every field that it sees.
func (d *description) validate(s schema, v any, at string) []string {
	s = d.resolve(s)
	if v == nil {
		if s["nullable"] == true || len(s) == 0 || s["type"] == nil && len(alternatives(s)) == 0 || slices.Contains(lenient, at[strings.LastIndexByte(at, '.')+1:]) {
			return nil
		}
	}
	if list := alternatives(s); len(list) > 0 {
		var first []string
		for _, one := range list {
			wrong := d.validate(one, v, at)
			if len(wrong) == 0 {
				return nil
			}
			if first == nil {
				first = wrong
			}
		}
		return append([]string{at + ": fits none of the alternatives"}, first...)
	}
	if choices, ok := s["enum"].([]any); ok && !slices.Contains(choices, v) {
		return []string{fmt.Sprintf("%s: %v is none of %v", at, v, choices)}
	}
	switch s["type"] {
	case "object":
		return d.validateObject(s, v, at)
	case "array":
		list, ok := v.([]any)
		if !ok {
			return []string{fmt.Sprintf("%s: %T is no list", at, v)}
		}
		var wrong []string
		for i, e := range list {
			wrong = append(wrong, d.validate(sub(s, "items"), e, fmt.Sprintf("%s[%d]", at, i))...)
		}
		return wrong
	case "string":
		if _, ok := v.(string); !ok {
			return []string{fmt.Sprintf("%s: %v is no text", at, v)}
		}
	case "integer":
		if n, ok := v.(float64); !ok || n != math.Trunc(n) {
			return []string{fmt.Sprintf("%s: %v is no whole number", at, v)}
		}
	case "number":
		if _, ok := v.(float64); !ok {
			return []string{fmt.Sprintf("%s: %v is no number", at, v)}
		}
	case "boolean":
		if _, ok := v.(bool); !ok {
			return []string{fmt.Sprintf("%s: %v is neither true nor false", at, v)}
		}
	}
	return nil
}

func (d *description) validateObject(s schema, v any, at string) []string {
	object, ok := v.(map[string]any)
	if !ok {
		return []string{fmt.Sprintf("%s: %v is no object", at, v)}
	}
	var wrong []string
	properties := sub(s, "properties")
	for _, name := range required(s) {
		if _, ok := object[name]; !ok {
			wrong = append(wrong, at+": no "+name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		property := sub(properties, name)
		switch more := s["additionalProperties"].(type) {
		case map[string]any:
			if property == nil {
				property = more
			}
		case bool:
			if more && property == nil {
				continue
			}
		}
		if property == nil {
			if len(properties) > 0 {
				wrong = append(wrong, at+": "+name+" is not described")
			}
			continue
		}
		wrong = append(wrong, d.validate(property, object[name], at+"."+name)...)
	}
	return wrong
}

func required(s schema) []string {
	list, _ := s["required"].([]any)
	names := make([]string, 0, len(list))
	for _, v := range list {
		if name, ok := v.(string); ok {
			names = append(names, name)
		}
	}
	return names
}

// fill completes an answer: what the schema requires and the test does not care about.
func (d *description) fill(op *operation, status int, body any, api string) any {
	s := d.schemaOf(op, status)
	if s == nil || status >= 300 {
		return body
	}
	return d.filled(s, body, api)
}

func (d *description) filled(s schema, v any, api string) any {
	s = d.resolve(s)
	if list := alternatives(s); len(list) > 0 {
		s = d.resolve(list[0])
	}
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = d.filled(sub(s, "items"), v[i], api)
		}
	case map[string]any:
		properties := sub(s, "properties")
		for name, value := range v {
			if property := sub(properties, name); property != nil && value != nil {
				v[name] = d.filled(property, value, api)
			}
		}
		for _, name := range required(s) {
			if _, ok := v[name]; !ok {
				v[name] = d.empty(sub(properties, name), api)
			}
		}
	}
	return v
}

// empty is the least that a schema allows.
func (d *description) empty(s schema, api string) any {
	s = d.resolve(s)
	if s["nullable"] == true {
		return nil
	}
	if list := alternatives(s); len(list) > 0 {
		return d.empty(list[0], api)
	}
	if choices, ok := s["enum"].([]any); ok && len(choices) > 0 {
		return choices[0]
	}
	switch s["type"] {
	case "object":
		object := map[string]any{}
		for _, name := range required(s) {
			object[name] = d.empty(sub(sub(s, "properties"), name), api)
		}
		return object
	case "array":
		return []any{}
	case "integer", "number":
		return 0
	case "boolean":
		return false
	}
	if s["format"] == "uri" {
		return api
	}
	if s["format"] == "date-time" {
		return "2026-01-02T03:04:05Z"
	}
	return ""
}
