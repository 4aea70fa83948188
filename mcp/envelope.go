package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"sync"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// refusal is the answer to a line that never reaches the SDK.
type refusal struct {
	id      json.RawMessage // of the request, nil where it is not known
	code    int64
	message string
}

func refusef(id json.RawMessage, code int64, format string, args ...any) *refusal {
	return &refusal{id: id, code: code, message: fmt.Sprintf(format, args...)}
}

// encode returns the refusal as a line without its end.
func (r *refusal) encode() []byte {
	type wireError struct {
		Code    int64  `json:"code"`
		Message string `json:"message"`
	}
	answer := struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"` // null where it is not known, as JSON-RPC asks
		Error   wireError       `json:"error"`
	}{"2.0", r.id, wireError{r.code, r.message}}
	data, err := json.Marshal(answer)
	if err != nil { // the id is no JSON after all
		r.id = nil
		return r.encode()
	}
	return data
}

// judge turns a line into a message for the SDK, or says what is wrong with it.
// The SDK ends the session at the first bad line; a client deserves an answer and another try.
// A blank line is neither: both results are nil.
func judge(l line) (jsonrpc.Message, *refusal) {
	switch {
	case l.tooLong():
		return nil, refusef(findID(l), jsonrpc.CodeInvalidRequest, "the line is %d bytes, the limit is %d", l.size, maxLine)
	case len(l.text) == 0:
		return nil, nil
	case !json.Valid(l.text):
		return nil, refusef(nil, jsonrpc.CodeParseError, "the line is not valid JSON")
	case l.text[0] == '[':
		return nil, refusef(nil, jsonrpc.CodeInvalidRequest, "batches are not supported: send one message per line")
	case l.text[0] != '{':
		return nil, refusef(nil, jsonrpc.CodeInvalidRequest, "a message is a JSON object")
	}
	id, problem := checkEnvelope(l.text)
	if problem != "" {
		return nil, refusef(id, jsonrpc.CodeInvalidRequest, "%s", problem)
	}
	message, err := jsonrpc.DecodeMessage(l.text)
	if err != nil {
		return nil, refusef(id, jsonrpc.CodeInvalidRequest, "not a JSON-RPC message: %v", err)
	}
	return message, nil
}

// checkEnvelope reads the outer two levels of a message more strictly than the SDK:
// no key twice, an id that can be given back unchanged, and valid UTF-8.
// The arguments of a tool are not looked into; the tool refuses them by name.
func checkEnvelope(src []byte) (id json.RawMessage, problem string) {
	members, err := readMembers(src)
	if err != nil {
		return nil, err.Error()
	}
	for _, m := range members {
		if m.key == "id" {
			if !usableID(m.value) {
				return nil, "the id must be a string or a whole number"
			}
			id = m.value
		}
	}
	for _, m := range members {
		if m.key == "params" && m.value[0] == '{' {
			if problem := checkParams(m.value); problem != "" {
				return id, problem
			}
			continue
		}
		if !utf8.Valid(m.value) {
			return id, fmt.Sprintf("%q is not valid UTF-8", m.key)
		}
	}
	return id, ""
}

func checkParams(src []byte) (problem string) {
	members, err := readMembers(src)
	if err != nil {
		return "params: " + err.Error()
	}
	for _, m := range members {
		if m.key != "arguments" && !utf8.Valid(m.value) {
			return fmt.Sprintf("\"params.%s\" is not valid UTF-8", m.key)
		}
	}
	return ""
}

// member is one key of an object with its raw value.
type member struct {
	key   string
	value json.RawMessage
}

// readMembers splits a valid JSON object, and refuses a key that occurs twice.
func readMembers(src []byte) ([]member, error) {
	dec := json.NewDecoder(bytes.NewReader(src))
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	var members []member
	seen := map[string]bool{}
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return members, err
		}
		key, _ := token.(string)
		if seen[key] {
			return members, fmt.Errorf("the key %q occurs twice", key)
		}
		seen[key] = true
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return members, err
		}
		members = append(members, member{key, value})
	}
	return members, nil
}

// usableID reports an id that survives the SDK, which keeps strings and what fits a float64.
// The protocol forbids null.
func usableID(raw json.RawMessage) bool {
	if raw[0] == '"' {
		return utf8.Valid(raw)
	}
	n, err := strconv.ParseInt(string(raw), 10, 64)
	const exact = 1 << 53 // beyond it a float64 skips numbers
	return err == nil && -exact <= n && n <= exact
}

// trailingID finds the id where many clients put it: in the last members of the message.
var trailingID = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`,\s*"id"\s*:\s*(-?\d{1,16}|"[^"\\]{0,128}")\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$`)
})

// findID looks for the id of a request that was too long to be read:
// whoever sent it waits for an answer that names it.
func findID(l line) json.RawMessage {
	if found := trailingID().FindSubmatch(l.tail); found != nil && usableID(found[1]) {
		return found[1]
	}
	dec := json.NewDecoder(bytes.NewReader(l.text))
	if token, err := dec.Token(); err != nil || token != json.Delim('{') {
		return nil
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil // the value that was cut off, or no JSON
		}
		if key == "id" && usableID(value) {
			return value
		}
	}
	return nil
}
