package inbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

const (
	maxArguments = 4 << 20 // bytes of one call's arguments, the same as a line of the MCP server
	maxNesting   = 64      // levels of objects and lists; ours need five
)

// readArguments reads the arguments of a call more strictly than encoding/json does:
// a repeated key, text that is not UTF-8, half a surrogate pair, a NUL and deep nesting are refused by name,
// where the library would pick, replace or recurse.
// The text in the result is normalised.
func readArguments(args json.RawMessage) (map[string]any, error) {
	if len(args) > maxArguments {
		return nil, refuse("the arguments are %d bytes, the limit is %d", len(args), maxArguments)
	}
	if len(bytes.TrimSpace(args)) == 0 {
		return map[string]any{}, nil
	}
	dec := json.NewDecoder(bytes.NewReader(args))
	dec.UseNumber()
	r := argumentReader{dec: dec}
	r.badAt, r.badWhy = firstBadText(args)

	value, err := r.value("", 0)
	if refusal, ok := errors.AsType[*ToolError](err); ok {
		return nil, refusal
	}
	if err != nil {
		return nil, refuse("the arguments are not valid JSON: %v", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, refuse("the arguments are not valid JSON: more than one value")
	}
	object, ok := value.(map[string]any)
	if !ok {
		return nil, refuse("the arguments are not a JSON object")
	}
	return object, nil
}

// argumentReader walks the tokens of one JSON text and knows where it is.
type argumentReader struct {
	dec    *json.Decoder
	badAt  int64 // offset of the first text that cannot be taken, -1 if there is none
	badWhy string
}

func (r argumentReader) value(path string, depth int) (any, error) {
	token, err := r.token(path)
	if err != nil {
		return nil, err
	}
	delim, ok := token.(json.Delim)
	if !ok {
		if s, ok := token.(string); ok {
			return normalise(s), nil
		}
		return token, nil
	}
	if depth == maxNesting {
		return nil, refuse("%s is nested deeper than %d levels", argument(path), maxNesting)
	}
	if delim == '[' {
		return r.list(path, depth+1)
	}
	return r.object(path, depth+1)
}

func (r argumentReader) list(path string, depth int) ([]any, error) {
	list := []any{}
	for r.dec.More() {
		value, err := r.value(fmt.Sprintf("%s[%d]", path, len(list)), depth)
		if err != nil {
			return nil, err
		}
		list = append(list, value)
	}
	_, err := r.token(path)
	return list, err
}

func (r argumentReader) object(path string, depth int) (map[string]any, error) {
	object := map[string]any{}
	for r.dec.More() {
		token, err := r.token(path)
		if err != nil {
			return nil, err
		}
		key, _ := token.(string) // in an object the decoder only lets strings through here
		inner := join(path, key)
		if _, twice := object[key]; twice {
			return nil, refuse("%s is given twice", argument(inner))
		}
		if object[key], err = r.value(inner, depth); err != nil {
			return nil, err
		}
	}
	_, err := r.token(path)
	return object, err
}

// token reads the next token and refuses it if the bad text lies in it.
func (r argumentReader) token(path string) (json.Token, error) {
	token, err := r.dec.Token()
	if err != nil {
		if errors.Is(err, io.EOF) {
			return nil, io.ErrUnexpectedEOF
		}
		return nil, err
	}
	if r.badAt >= 0 && r.dec.InputOffset() > r.badAt {
		return nil, refuse("%s %s", argument(path), r.badWhy)
	}
	return token, nil
}

// firstBadText finds the first byte of JSON text that no document may hold, and says why; -1 if there is none.
// It looks at the raw text, because decoding replaces all three silently or, for NUL, lets it through.
func firstBadText(src []byte) (at int64, why string) {
	for i := 0; i < len(src); {
		if src[i] == '\\' {
			width, why := badEscape(src[i:])
			if why != "" {
				return int64(i), why
			}
			i += width
			continue
		}
		if src[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, size := utf8.DecodeRune(src[i:])
		if r == utf8.RuneError && size == 1 {
			return int64(i), "is not valid UTF-8"
		}
		i += size
	}
	return -1, ""
}

// badEscape returns the width of the escape that src begins with, and why it is refused, if it is.
func badEscape(src []byte) (width int, why string) {
	unit, ok := hexEscape(src)
	switch {
	case !ok:
		return 2, ""
	case unit == 0:
		return 6, "contains a NUL character"
	case unit >= 0xDC00 && unit <= 0xDFFF:
		return 6, "contains half a surrogate pair"
	case unit >= 0xD800 && unit <= 0xDBFF:
		low, ok := hexEscape(src[6:])
		if !ok || low < 0xDC00 || low > 0xDFFF {
			return 6, "contains half a surrogate pair"
		}
		return 12, ""
	default:
		return 6, ""
	}
}

// hexEscape reads an escape of the form \u12ab.
func hexEscape(src []byte) (unit uint16, ok bool) {
	if len(src) < 6 || src[0] != '\\' || src[1] != 'u' {
		return 0, false
	}
	for _, c := range src[2:6] {
		digit := strings.IndexByte("0123456789abcdef", c|0x20)
		if digit < 0 {
			return 0, false
		}
		unit = unit<<4 | uint16(digit)
	}
	return unit, true
}

// argument names a place in the arguments for a model.
func argument(path string) string {
	if path == "" {
		return "the argument object"
	}
	return fmt.Sprintf("argument %q", clip(path, 120))
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}
