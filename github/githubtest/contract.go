package githubtest

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// openAPI is the part of GitHub's own description of its REST API that has the operations we use.
// Its version stands in it; internal/gen/openapi.go says how it is made.
//
//go:embed testdata/api.github.com.json
var openAPI []byte

// description is GitHub's description, ready to hold requests and answers against.
type description struct {
	Info       struct{ Version string }
	Paths      map[string]map[string]*operation
	Components struct {
		Schemas    map[string]schema
		Parameters map[string]parameter
		Responses  map[string]response
	}
}

type operation struct {
	ID          string `json:"operationId"`
	Parameters  []parameter
	RequestBody *struct{ Content content }
	Responses   map[string]response
}

type parameter struct {
	Ref      string `json:"$ref"`
	Name, In string
	Required bool
	Schema   schema
}

type response struct {
	Ref     string `json:"$ref"`
	Content content
}

type content map[string]struct{ Schema schema }

// schema is one schema, as it is written.
type schema map[string]any

func loadDescription() (*description, error) {
	var d description
	if err := json.Unmarshal(openAPI, &d); err != nil {
		return nil, fmt.Errorf("GitHub's description: %w", err)
	}
	return &d, nil
}

// route finds the operation of a path, and the path's parameters. A ref may hold slashes, everything else is one segment.
func (d *description) route(method, path string) (*operation, map[string]string) {
	have := strings.Split(strings.Trim(path, "/"), "/")
	for _, template := range slices.Sorted(maps.Keys(d.Paths)) {
		op := d.Paths[template][strings.ToLower(method)]
		want := strings.Split(strings.Trim(template, "/"), "/")
		if op == nil || len(want) != len(have) {
			continue
		}
		params := map[string]string{}
		fits := true
		for i, w := range want {
			if name, ok := strings.CutPrefix(w, "{"); ok {
				params[strings.TrimSuffix(name, "}")] = unescape(have[i])
				continue
			}
			fits = fits && w == have[i]
		}
		if fits {
			return op, params
		}
	}
	return nil, nil
}

// checkRequest says what of a request GitHub's description does not know.
func (d *description) checkRequest(op *operation, c *call) []string {
	var wrong []string
	add := func(format string, args ...any) {
		wrong = append(wrong, fmt.Sprintf("request %s: ", op.ID)+fmt.Sprintf(format, args...))
	}
	known := map[string]schema{}
	for _, p := range op.Parameters {
		if p.Ref != "" {
			p = d.Components.Parameters[last(p.Ref)]
		}
		if p.In == "query" {
			known[p.Name] = p.Schema
		}
	}
	for name, value := range c.query {
		s, ok := known[name]
		if !ok {
			add("no query parameter %q", name)
			continue
		}
		if choices, ok := s["enum"].([]any); ok && !slices.Contains(choices, any(value)) {
			add("query parameter %s=%q: want one of %v", name, value, choices)
		}
	}
	if !strings.HasPrefix(c.header.Get("User-Agent"), "GitHub CLI ") { // how gh itself asks is its own matter
		if !strings.Contains(c.header.Get("Accept"), "application/vnd.github") {
			add("Accept is %q", c.header.Get("Accept"))
		}
		if c.header.Get("X-GitHub-Api-Version") == "" {
			add("no X-GitHub-Api-Version")
		}
	}
	if op.RequestBody == nil || c.method == http.MethodDelete {
		if len(c.raw) > 0 {
			add("a body where none belongs")
		}
		return wrong
	}
	for _, problem := range d.validate(op.RequestBody.Content["application/json"].Schema, any(c.body), "body") {
		add("%s", problem)
	}
	return wrong
}

// checkAnswer says what of an answer GitHub's description does not know.
func (d *description) checkAnswer(op *operation, a answer) []string {
	s := d.schemaOf(op, a.status)
	if s == nil {
		return nil // 401, 403, 404 and redirects are the same everywhere and often not described
	}
	// What was built here from Go values is what a reader of JSON sees.
	data, err := json.Marshal(a.body)
	var body any
	if err == nil {
		err = json.Unmarshal(data, &body)
	}
	if err != nil {
		return []string{fmt.Sprintf("answer %s: %v", op.ID, err)}
	}
	var wrong []string
	for _, problem := range d.validate(s, body, "body") {
		wrong = append(wrong, fmt.Sprintf("answer %s %d: %s", op.ID, a.status, problem))
	}
	return wrong
}

func (d *description) schemaOf(op *operation, status int) schema {
	r, ok := op.Responses[fmt.Sprint(status)]
	if r.Ref != "" {
		r, ok = d.Components.Responses[last(r.Ref)]
	}
	if !ok {
		return nil
	}
	return r.Content["application/json"].Schema
}

func last(ref string) string { return ref[strings.LastIndexByte(ref, '/')+1:] }
