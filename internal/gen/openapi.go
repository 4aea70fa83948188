package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// description is where the cut of GitHub's OpenAPI description stands. It is made by hand, for its source is not part of the module:
//
//	npm pack @octokit/openapi@23.0.2 && tar xzf octokit-openapi-23.0.2.tgz
//	go -C internal/gen run . openapi "$PWD/package/generated/api.github.com.json"
const description = "github/githubtest/testdata/api.github.com.json"

// operations are what package github asks of GitHub, and gh when it installs an extension, and nothing else.
var operations = []string{
	"pulls/create", "pulls/create-review", "pulls/delete-pending-review", "pulls/dismiss-review", "pulls/get", "pulls/list",
	"pulls/list-comments-for-review", "pulls/list-files", "pulls/list-review-comments", "pulls/list-reviews", "pulls/submit-review", "pulls/update",
	"repos/create-commit-status", "repos/get", "repos/get-branch", "repos/get-branch-rules", "repos/get-collaborator-permission-level",
	"repos/get-latest-release", "repos/get-release-asset", "repos/list-commit-statuses-for-ref",
}

// cutOpenAPI writes the part of a description that our operations need.
func cutOpenAPI(from string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	cut, err := cutDescription(data, operations)
	if err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	to := filepath.Join(top, filepath.FromSlash(description))
	return errors.Join(os.MkdirAll(filepath.Dir(to), 0o777), os.WriteFile(to, cut, 0o666))
}

// cutDescription keeps operations by their id, with all that they refer to, and drops what no check reads.
func cutDescription(data []byte, ids []string) ([]byte, error) {
	var whole struct {
		OpenAPI    string                               `json:"openapi"`
		Info       map[string]any                       `json:"info"`
		Paths      map[string]map[string]map[string]any `json:"paths"`
		Components map[string]map[string]any            `json:"components"`
	}
	if err := json.Unmarshal(data, &whole); err != nil {
		return nil, err
	}
	paths := map[string]map[string]any{}
	var found []string
	for path, methods := range whole.Paths {
		for method, op := range methods {
			id, _ := op["operationId"].(string)
			if !slices.Contains(ids, id) {
				continue
			}
			if paths[path] == nil {
				paths[path] = map[string]any{}
			}
			kept := map[string]any{}
			for _, key := range []string{"operationId", "parameters", "requestBody", "responses"} {
				if v, ok := op[key]; ok {
					kept[key] = bare(v)
				}
			}
			paths[path][method] = kept
			found = append(found, id)
		}
	}
	if len(found) != len(ids) {
		return nil, fmt.Errorf("%d of %d operations found", len(found), len(ids))
	}
	components := map[string]map[string]any{}
	for queue := references(paths); len(queue) > 0; queue = queue[1:] {
		words := strings.Split(strings.TrimPrefix(queue[0], "#/components/"), "/")
		if len(words) != 2 {
			return nil, fmt.Errorf("%q is no reference to a component", queue[0])
		}
		kind, name := words[0], words[1]
		if _, done := components[kind][name]; done {
			continue
		}
		part, ok := whole.Components[kind][name]
		if !ok {
			return nil, fmt.Errorf("no component %q", queue[0])
		}
		if components[kind] == nil {
			components[kind] = map[string]any{}
		}
		components[kind][name] = bare(part)
		queue = append(queue, references(components[kind][name])...)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(map[string]any{
		"openapi": whole.OpenAPI, "info": map[string]any{"title": whole.Info["title"], "version": whole.Info["version"], "license": whole.Info["license"]},
		"paths": paths, "components": components,
	})
	return b.Bytes(), err
}

// bare drops what is for readers.
func bare(v any) any {
	switch v := v.(type) {
	case map[string]any:
		kept := map[string]any{}
		for key, value := range v {
			_, text := value.(string) // a property that is named so has a schema for its value
			if text && (key == "description" || key == "title") || key == "examples" || key == "example" || key == "externalDocs" || strings.HasPrefix(key, "x-") {
				continue
			}
			kept[key] = bare(value)
		}
		return kept
	case []any:
		kept := make([]any, len(v))
		for i := range v {
			kept[i] = bare(v[i])
		}
		return kept
	}
	return v
}

// references are all `$ref`s of a value, in a fixed order.
func references(v any) []string {
	var all []string
	switch v := v.(type) {
	case map[string]map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			all = append(all, references(v[key])...)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if ref, ok := v[key].(string); ok && key == "$ref" {
				all = append(all, ref)
				continue
			}
			all = append(all, references(v[key])...)
		}
	case []any:
		for _, e := range v {
			all = append(all, references(e)...)
		}
	}
	return all
}
