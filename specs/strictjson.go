package specs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxNesting is how deep the arguments of a tool may be nested.
const maxNesting = 64

// DecodeStrict reads the arguments of a tool into a struct.
// What encoding/json lets pass is refused here: a key that is there twice, that the struct does not know
// or that differs from one it knows in case; null; text that is not valid UTF-8; nesting beyond 64; more than one value.
// Every refusal names the argument. The error is an [*InputError].
func DecodeStrict(data []byte, into any) error {
	if !json.Valid(data) {
		return &InputError{Problems: []string{"arguments are not valid JSON: " + syntaxProblem(data)}}
	}
	target := reflect.TypeOf(into)
	if target == nil || target.Kind() != reflect.Pointer {
		return fmt.Errorf("decode into %T, want a pointer", into)
	}
	walk := strictWalk{data: data}
	if err := walk.value("", target.Elem(), 0); err != nil {
		return &InputError{Problems: []string{err.Error()}}
	}
	if err := json.Unmarshal(data, into); err != nil {
		return &InputError{Problems: []string{typeProblem(err)}}
	}
	return nil
}

func syntaxProblem(data []byte) string {
	var ignored any
	err := json.Unmarshal(data, &ignored)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Sprintf("%v (byte %d)", syntax, syntax.Offset)
	}
	return fmt.Sprint(err)
}

func typeProblem(err error) string {
	typed, ok := errors.AsType[*json.UnmarshalTypeError](err)
	if !ok {
		return err.Error()
	}
	name := typed.Field
	if name == "" {
		return fmt.Sprintf("arguments must be %s, not %s", wantedJSON(typed.Type), typed.Value)
	}
	return fmt.Sprintf("argument %q must be %s, not %s", name, wantedJSON(typed.Type), typed.Value)
}

func wantedJSON(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		return "a list"
	case reflect.Struct, reflect.Map:
		return "an object"
	default:
		return "a whole number"
	}
}

// strictWalk goes through JSON that is known to be valid.
type strictWalk struct {
	data []byte
	at   int
}

func (w *strictWalk) space() {
	for w.at < len(w.data) && strings.IndexByte(" \t\r\n", w.data[w.at]) >= 0 {
		w.at++
	}
}

// value checks one value; t is what it will be decoded into, nil where that is not known.
func (w *strictWalk) value(name string, t reflect.Type, depth int) error {
	if depth > maxNesting {
		return fmt.Errorf("argument %q is nested more than %d deep", name, maxNesting)
	}
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	w.space()
	switch w.data[w.at] {
	case '{':
		return w.object(name, t, depth)
	case '[':
		return w.array(name, t, depth)
	case '"':
		_, err := w.text(name)
		return err
	default:
		start := w.at
		for w.at < len(w.data) && strings.IndexByte(",]} \t\r\n", w.data[w.at]) < 0 {
			w.at++
		}
		if string(w.data[start:w.at]) == "null" {
			return fmt.Errorf("argument %q must not be null, leave it out", name)
		}
		return nil
	}
}

func (w *strictWalk) object(name string, t reflect.Type, depth int) error {
	w.at++
	seen := map[string]bool{}
	for {
		w.space()
		switch w.data[w.at] {
		case '}':
			w.at++
			return nil
		case ',':
			w.at++
			w.space()
		}
		key, err := w.text(joinName(name, "key"))
		if err != nil {
			return err
		}
		path := joinName(name, key)
		if seen[key] {
			return fmt.Errorf("argument %q is given twice", path)
		}
		seen[key] = true
		field, err := fieldType(t, key, path)
		if err != nil {
			return err
		}
		w.space()
		w.at++ // the colon
		if err := w.value(path, field, depth+1); err != nil {
			return err
		}
	}
}

func (w *strictWalk) array(name string, t reflect.Type, depth int) error {
	w.at++
	var element reflect.Type
	if t != nil && t.Kind() == reflect.Slice {
		element = t.Elem()
	}
	for i := 0; ; i++ {
		w.space()
		switch w.data[w.at] {
		case ']':
			w.at++
			return nil
		case ',':
			w.at++
		}
		if err := w.value(fmt.Sprintf("%s[%d]", name, i), element, depth+1); err != nil {
			return err
		}
	}
}

// text returns one string and refuses bytes and escapes that are not Unicode.
func (w *strictWalk) text(name string) (string, error) {
	start := w.at
	for w.at++; w.data[w.at] != '"'; w.at++ {
		if w.data[w.at] == '\\' {
			w.at++
		}
	}
	w.at++
	raw := w.data[start:w.at]
	if !utf8.Valid(raw) || loneSurrogate(raw) {
		return "", fmt.Errorf("argument %q is not valid UTF-8", name)
	}
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return "", fmt.Errorf("argument %q: %w", name, err)
	}
	return text, nil
}

// loneSurrogate reports half of an escaped pair, which stands for no character.
func loneSurrogate(raw []byte) bool {
	if !bytes.Contains(raw, []byte(`\u`)) {
		return false
	}
	escaped := func(at int) (uint64, bool) {
		if at+6 > len(raw) || raw[at] != '\\' || raw[at+1] != 'u' {
			return 0, false
		}
		code, err := strconv.ParseUint(string(raw[at+2:at+6]), 16, 32)
		return code, err == nil
	}
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		code, ok := escaped(i)
		switch {
		case !ok:
			i++
		case code >= 0xDC00 && code <= 0xDFFF:
			return true
		case code >= 0xD800 && code <= 0xDBFF:
			low, ok := escaped(i + 6)
			if !ok || low < 0xDC00 || low > 0xDFFF {
				return true
			}
			i += 11
		default:
			i += 5
		}
	}
	return false
}

// fieldType returns the type of a struct's field by its exact JSON name.
func fieldType(t reflect.Type, key, path string) (reflect.Type, error) {
	switch {
	case t == nil:
		return nil, nil
	case t.Kind() == reflect.Map:
		return t.Elem(), nil
	case t.Kind() != reflect.Struct:
		return nil, nil // the decoder will say that an object does not belong here
	}
	var names []string
	for field := range fieldsOf(t) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == key && name != "-" {
			return field.Type, nil
		}
		names = append(names, name)
	}
	if like := slices.IndexFunc(names, func(name string) bool { return strings.EqualFold(name, key) }); like >= 0 {
		return nil, fmt.Errorf("unknown argument %q, write it %q", path, names[like])
	}
	return nil, fmt.Errorf("unknown argument %q, want one of %s", path, strings.Join(names, ", "))
}

// fieldsOf yields the exported fields of a struct, those of embedded structs included.
func fieldsOf(t reflect.Type) func(yield func(reflect.StructField) bool) {
	return func(yield func(reflect.StructField) bool) {
		for _, field := range reflect.VisibleFields(t) {
			if field.IsExported() && !field.Anonymous && field.Tag.Get("json") != "" {
				if !yield(field) {
					return
				}
			}
		}
	}
}

func joinName(outer, inner string) string {
	if outer == "" {
		return inner
	}
	return outer + "." + inner
}

// StringList is a list of texts for which a single text is accepted as well.
type StringList []string

// UnmarshalJSON reads a string or a list of strings.
func (l *StringList) UnmarshalJSON(data []byte) error {
	var one string
	if err := json.Unmarshal(data, &one); err == nil {
		*l = StringList{one}
		return nil
	}
	var many []string
	if err := json.Unmarshal(data, &many); err != nil {
		return err
	}
	*l = many
	return nil
}
