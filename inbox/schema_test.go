package inbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/agentd/gh-agentd/specs"
)

// TestSchema_matchesInput keeps the published schemas and the types of specs from drifting apart.
func TestSchema_matchesInput_MC22(t *testing.T) {
	for tool, input := range map[string]any{
		toolProposeQuestions:     specs.QuestionsInput{},
		toolCreateClarifications: specs.ClarificationsInput{},
		toolCreateProposal:       specs.ProposalInput{},
		toolCreateSpec:           specs.SpecInput{},
		toolCreateTasks:          specs.TasksInput{},
		toolSelfReview:           specs.SelfReviewInput{},
		toolAppendReview:         specs.ChallengeInput{},
		toolCreateReview:         specs.ReviewInput{},
	} {
		t.Run(tool, func(t *testing.T) {
			sameShape(t, tool, readSchema(t, tool), reflect.TypeOf(input))
		})
	}
}

func readSchema(t *testing.T, tool string) *schema {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(Schema(tool)))
	dec.DisallowUnknownFields() // a keyword that check does not know would be a promise nobody keeps
	var s schema
	if err := dec.Decode(&s); err != nil {
		t.Fatal(err)
	}
	return &s
}

func sameShape(t *testing.T, path string, s *schema, typ reflect.Type) {
	t.Helper()
	switch {
	case typ == reflect.TypeOf(specs.StringList{}):
		if !slices.Equal(s.Type, []string{"string", "array"}) {
			t.Errorf("%s: type %v, want string or array", path, s.Type)
		}
	case typ.Kind() == reflect.Slice:
		if !slices.Equal(s.Type, []string{"array"}) || s.MaxItems == 0 {
			t.Errorf("%s: type %v of at most %d, want a bounded array", path, s.Type, s.MaxItems)
			return
		}
		sameShape(t, path+"[]", s.Items, typ.Elem())
	case typ.Kind() == reflect.Struct:
		sameFields(t, path, s, typ)
	case typ.Kind() == reflect.String:
		if !slices.Equal(s.Type, []string{"string"}) || s.MaxLength == 0 && len(s.Enum) == 0 && !strings.HasSuffix(path, "change_id") {
			t.Errorf("%s: want a bounded string, have %+v", path, s)
		}
	case typ.Kind() == reflect.Int:
		if !slices.Equal(s.Type, []string{"integer"}) {
			t.Errorf("%s: type %v, want integer", path, s.Type)
		}
	case typ.Kind() == reflect.Bool:
		if !slices.Equal(s.Type, []string{"boolean"}) {
			t.Errorf("%s: type %v, want boolean", path, s.Type)
		}
	default:
		t.Errorf("%s: no rule for %v", path, typ)
	}
}

func sameFields(t *testing.T, path string, s *schema, typ reflect.Type) {
	t.Helper()
	if !slices.Equal(s.Type, []string{"object"}) || s.AdditionalProperties == nil || *s.AdditionalProperties {
		t.Errorf("%s: want a closed object", path)
	}
	known := map[string]bool{}
	for i := range typ.NumField() {
		name, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
		if name == "" || name == "-" {
			t.Errorf("%s: field %s has no name in JSON", path, typ.Field(i).Name)
			continue
		}
		known[name] = true
		inner, ok := s.Properties[name]
		if !ok {
			t.Errorf("%s.%s is in the type and not in the schema", path, name)
			continue
		}
		sameShape(t, path+"."+name, inner, typ.Field(i).Type)
	}
	for name := range s.Properties {
		if !known[name] {
			t.Errorf("%s.%s is in the schema and not in the type", path, name)
		}
	}
	for _, name := range s.Required {
		if !known[name] {
			t.Errorf("%s: required %q does not exist", path, name)
		}
	}
}

func TestSchema_everyToolIsDescribed(t *testing.T) {
	for _, tool := range catalogue() {
		s := readSchema(t, tool.Name)
		for name, property := range s.Properties {
			if property.Description == "" {
				t.Errorf("%s.%s has no description", tool.Name, name)
			}
		}
	}
}

// TestCheckArguments_agreesWithAnotherValidator asks a full implementation of JSON Schema for a second opinion.
func TestCheckArguments_agreesWithAnotherValidator_MC08(t *testing.T) {
	for _, row := range []struct{ tool, args string }{
		{"read_file", `{"path":"proposal.md"}`},
		{"read_file", `{"path":"proposal.md","change_id":"add-oauth"}`},
		{"read_file", `{}`},
		{"read_file", `{"path":null}`},
		{"read_file", `{"path":7}`},
		{"read_file", `{"path":""}`},
		{"read_file", `{"Path":"proposal.md"}`},
		{"read_file", `{"path":"proposal.md","line":3}`},
		{"read_file", `{"path":["proposal.md"]}`},
		{"validate_change", `{"strict":true}`},
		{"validate_change", `{"strict":"true"}`},
		{"signal", `{"signal":"DONE"}`},
		{"signal", `{"signal":"done"}`},
		{"propose_questions", `{"questions":[]}`},
		{"propose_questions", `{"questions":{}}`},
		{"propose_questions", `{"questions":[1]}`},
		{"propose_questions", `{"questions":[[]]}`},
		{"append_review", `{"verdict":"APPROVED","findings":[],"summary":"ok"}`},
		{"append_review", `{"verdict":"NOT APPROVED","findings":[],"summary":"ok"}`},
		{"append_review", `{"verdict":"APPROVED","findings":[{"severity":"HIGH","description":"d","suggestion":"s","line":0}],"summary":"ok"}`},
		{"append_review", `{"verdict":"APPROVED","findings":[{"severity":"HIGH","description":"d","suggestion":"s","line":1.5}],"summary":"ok"}`},
		{"append_review", `{"verdict":"APPROVED","findings":[{"severity":"HIGH","description":"d","suggestion":"s","line":4}],"summary":"ok"}`},
		{"create_spec", `{"spec_id":"a","title":"t","overview":"o","requirements":[{"id":"R1","title":"t","description":"d","priority":"high"}],"scenarios":[{"name":"n","when":"w","then":["t"]}]}`},
		{"create_spec", `{"spec_id":"a","title":"t","overview":"o","requirements":[],"scenarios":[]}`},
		{"create_spec", `{"spec_id":"a","title":"t","overview":"o","requirements":[{"id":"R1","title":"t","description":"d","priority":"high"}],"scenarios":[{"name":"n","when":[],"then":7}]}`},
		{"create_spec", `{"spec_id":"a","title":"t","overview":"o","requirements":[{"id":"R1","title":"t","description":"d","priority":"urgent"}],"scenarios":[{"name":"n","when":"w","then":"t"}]}`},
	} {
		ours := ourOpinion(t, row.tool, row.args)
		theirs := theirOpinion(t, row.tool, row.args)
		if (ours == nil) != (theirs == nil) {
			t.Errorf("%s(%s):\nours   %v\ntheirs %v", row.tool, row.args, ours, theirs)
		}
	}
}

func ourOpinion(t *testing.T, tool, args string) error {
	t.Helper()
	arguments, err := readArguments(json.RawMessage(args))
	if err != nil {
		t.Fatal(err)
	}
	err = checkArguments(tool, arguments)
	if _, ok := errors.AsType[*ToolError](err); err != nil && !ok {
		t.Fatalf("%s: %v is no refusal", tool, err)
	}
	return err
}

func theirOpinion(t *testing.T, tool, args string) error {
	t.Helper()
	var s jsonschema.Schema
	if err := json.Unmarshal(Schema(tool), &s); err != nil {
		t.Fatal(err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	var value any
	if err := json.Unmarshal([]byte(args), &value); err != nil {
		t.Fatal(err)
	}
	return resolved.Validate(value)
}
