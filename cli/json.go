package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/cli/go-gh/v2/pkg/jq"
	"github.com/cli/go-gh/v2/pkg/jsonpretty"
	"github.com/cli/go-gh/v2/pkg/template"
	"github.com/spf13/cobra"
)

// jsonFlags are gh's three: --json fields, --jq expression, --template text.
type jsonFlags struct {
	known    []string
	fields   []string
	jq       string
	template string
}

// addJSON gives a command the three flags. The fields are the JSON names of sample's type;
// of a slice, those of its elements.
func addJSON(cmd *cobra.Command, sample any) *jsonFlags {
	j := &jsonFlags{known: jsonFields(reflect.TypeOf(sample))}
	flags := cmd.Flags()
	flags.StringSliceVar(&j.fields, "json", nil, "Print JSON with these `fields`, separated by commas")
	flags.StringVarP(&j.jq, "jq", "q", "", "Filter the JSON with a jq `expression`")
	flags.StringVarP(&j.template, "template", "t", "", "Format the JSON with a Go `template`")
	annotate(cmd, annotationFields, strings.Join(j.known, ","))
	_ = cmd.RegisterFlagCompletionFunc("json", func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		done, last := "", typed
		if i := strings.LastIndexByte(typed, ','); i >= 0 {
			done, last = typed[:i+1], typed[i+1:]
		}
		var out []string
		for _, field := range j.known {
			if strings.HasPrefix(field, last) {
				out = append(out, done+field)
			}
		}
		return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	})
	before(cmd, j.check)
	return j
}

// jsonFields lists the JSON names of a struct's fields, embedded structs included, in the order of the type.
func jsonFields(t reflect.Type) []string {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	var names []string
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			names = append(names, jsonFields(f.Type)...)
		case f.IsExported() && name != "-":
			names = append(names, cmp.Or(name, f.Name))
		}
	}
	return names
}

// check refuses what cannot work before anything is read or spent.
func (j *jsonFlags) check(cmd *cobra.Command) error {
	if !cmd.Flags().Changed("json") {
		for _, flag := range []string{"jq", "template"} {
			if cmd.Flags().Changed(flag) {
				return usage(cmd, fmt.Errorf("cannot use `--%s` without `--json`", flag))
			}
		}
		return nil
	}
	if j.jq != "" && j.template != "" {
		return usage(cmd, errors.New("`--jq` and `--template` exclude each other"))
	}
	for _, field := range j.fields {
		if !slices.Contains(j.known, field) {
			return &fieldsError{cmd: cmd, unknown: field, known: j.known}
		}
	}
	return nil
}

// wanted reports whether the answer is JSON.
func (j *jsonFlags) wanted() bool { return len(j.fields) > 0 }

// write prints a value, or a slice of values, with the chosen fields only.
// A field that a value leaves out because it is empty is null.
func (j *jsonFlags) write(s *streams, value any) error {
	var data any
	v := reflect.ValueOf(value)
	if v.Kind() == reflect.Slice {
		rows := make([]any, 0, v.Len())
		for i := range v.Len() {
			row, err := j.pick(v.Index(i).Interface())
			if err != nil {
				return err
			}
			rows = append(rows, row)
		}
		data = rows
	} else {
		row, err := j.pick(value)
		if err != nil {
			return err
		}
		data = row
	}
	var buf bytes.Buffer
	if err := encodeJSON(&buf, data); err != nil {
		return err
	}
	switch {
	case j.jq != "":
		indent := ""
		if s.outTTY {
			indent = "  "
		}
		if err := jq.EvaluateFormatted(&buf, s.out, j.jq, indent, s.color); err != nil {
			return fmt.Errorf("--jq: %w", err)
		}
		return nil
	case j.template != "":
		t := template.New(s.out, s.width(), s.color)
		if err := t.Parse(j.template); err != nil {
			return fmt.Errorf("--template: %w", err)
		}
		if err := t.Execute(&buf); err != nil {
			return fmt.Errorf("--template: %w", err)
		}
		return t.Flush()
	case s.outTTY:
		return jsonpretty.Format(s.out, &buf, "  ", s.color)
	}
	_, err := buf.WriteTo(s.out)
	return err
}

// pick keeps the chosen fields of one value.
func (j *jsonFlags) pick(value any) (map[string]json.RawMessage, error) {
	var buf bytes.Buffer
	if err := encodeJSON(&buf, value); err != nil {
		return nil, err
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(buf.Bytes(), &all); err != nil {
		return nil, fmt.Errorf("choose JSON fields: %w", err)
	}
	row := make(map[string]json.RawMessage, len(j.fields))
	for _, field := range j.fields {
		row[field] = all[field]
		if row[field] == nil {
			row[field] = json.RawMessage("null")
		}
	}
	return row, nil
}

func encodeJSON(w io.Writer, value any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		return fmt.Errorf("encode JSON: %w", err)
	}
	return nil
}

// fieldsError lists the fields that --json could have been given.
type fieldsError struct {
	cmd     *cobra.Command
	unknown string // "" where --json came without a value
	known   []string
}

func (e *fieldsError) Error() string {
	if e.unknown == "" {
		return "`--json` needs one or more of these fields, separated by commas"
	}
	return fmt.Sprintf("unknown JSON field %q", e.unknown)
}

// Hint shows one way to ask.
func (e *fieldsError) Hint() string {
	return fmt.Sprintf("`%s --json %s`", e.cmd.CommandPath(), strings.Join(e.known[:min(2, len(e.known))], ","))
}
