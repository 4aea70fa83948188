package github

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
)

// Request is one write, as it is sent.
// Plans are made of these, so that what `--dry-run` shows is what is sent.
type Request struct {
	Method string          `json:"method"`
	Path   string          `json:"path"` // below the API's URL; {number} and {id} stand for what GitHub will choose
	Body   json.RawMessage `json:"body"`
}

func newRequest(method, path string, body any) Request {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(body); err != nil {
		panic(err) // bodies are structs of texts and numbers
	}
	return Request{Method: method, Path: path, Body: bytes.TrimSpace(b.Bytes())}
}

// send makes one write and reads its answer into out, which may be nil. It never repeats it.
func (c *Client) send(ctx context.Context, op string, r Request, out any) error {
	var body any
	if r.Method != http.MethodDelete {
		body = r.Body
	}
	req, err := c.rest.NewRequest(r.Method, r.Path, body)
	if err == nil {
		_, err = c.rest.Do(ctx, req, out)
	}
	return c.explain(ctx, op, err)
}
