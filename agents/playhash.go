package agents

import "encoding/json"

// hashes are what files were last read with, by path.
// A cassette cannot know them: an edit_file that names none takes the one of its run.
type hashes map[string]string

// remember takes path and hash from a tool's structured answer, where it has both.
func (h hashes) remember(structured any) {
	data, err := json.Marshal(structured)
	if err != nil {
		return
	}
	var seen struct {
		Path string `json:"path"`
		Hash string `json:"hash"`
	}
	if json.Unmarshal(data, &seen) == nil && seen.Path != "" && seen.Hash != "" {
		h[seen.Path] = seen.Hash
	}
}

// complete adds the hash to a call that edits a file without one.
func (h hashes) complete(call CassetteTool) json.RawMessage {
	var args map[string]any
	if call.Name != "edit_file" || json.Unmarshal(call.Arguments, &args) != nil || args["hash"] != nil {
		return call.Arguments
	}
	path, _ := args["path"].(string)
	args["hash"] = h[path]
	full, err := json.Marshal(args)
	if err != nil {
		return call.Arguments
	}
	return full
}
