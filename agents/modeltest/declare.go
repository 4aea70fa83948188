package modeltest

import (
	"encoding/json"
	"strings"
)

// declare takes up one declared tool. A name that begins with the prefix is one of our MCP server's.
func (r *Request) declare(raw json.RawMessage, prefix string) error {
	var tool struct {
		Name string `json:"name"`
	}
	if err := json.Unmarshal(raw, &tool); err != nil {
		return err
	}
	r.Declared = append(r.Declared, tool.Name)
	if own, ok := strings.CutPrefix(tool.Name, prefix); ok {
		r.Offered = append(r.Offered, own)
		r.Size.Tools += len(raw)
	} else {
		r.Size.CLITools += len(raw)
	}
	return nil
}
