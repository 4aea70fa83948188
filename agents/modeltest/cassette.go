package modeltest

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/agentd/gh-agentd/agents"
)

// Play answers as a cassette says: for the step, round and task that the prompt is for,
// each tool call and each file is one turn of the model, and then come the words.
// A tool that refuses what the recording expects it to take, or takes what it should refuse, has no answer.
// Usage and sleep of the cassette are left out: what is reported is what was measured.
func Play(c *agents.Cassette) Script {
	return func(r Request) Answer {
		if r.Step.Name == "" {
			return Answer{Err: fmt.Errorf("the prompt is none of ours: %.200q", r.Prompt)}
		}
		call, err := c.Find(r.Step.Name, r.Step.Round, r.Step.Task)
		if err != nil {
			return Answer{Err: err}
		}
		for i, done := range r.Done[:min(len(r.Done), len(call.Tools))] {
			if tool := call.Tools[i]; done.Name != tool.Name || done.Failed != tool.ExpectError {
				return Answer{Err: fmt.Errorf("call %d was %s (refused: %v), the recording has %s: %s", i+1, done.Name, done.Failed, tool.Name, done.Result)}
			}
		}
		switch n := len(r.Done); {
		case n < len(call.Tools):
			return Do(Call(call.Tools[n].Name, withHash(call.Tools[n], r.Done)))
		case n < len(call.Tools)+len(call.Write):
			file := call.Write[n-len(call.Tools)]
			return Do(WriteFile(file.Path, file.Content))
		case n < len(call.Tools)+len(call.Write)+len(call.Delete):
			return Do(Run("rm -f -- '" + call.Delete[n-len(call.Tools)-len(call.Write)] + "'"))
		case len(call.Say) == 0:
			return Say("It is done.")
		default:
			return Say(strings.Join(call.Say, "\n"))
		}
	}
}

// hashSeen is the hash of a document, in words or in JSON, as tools tell it.
var hashSeen = regexp.MustCompile(`hash\\?"?:? ?\\?"?([0-9a-f]{6,})`)

// withHash gives an edit the hash of the last reading, as a model would copy it.
func withHash(tool agents.CassetteTool, done []Done) json.RawMessage {
	var args map[string]any
	if tool.Name != "edit_file" || json.Unmarshal(tool.Arguments, &args) != nil || args["hash"] != nil {
		return tool.Arguments
	}
	path, _ := args["path"].(string)
	for _, d := range done {
		if hash := last(hashSeen, d.Result); hash != "" && strings.Contains(d.Result, path) {
			args["hash"] = hash
		}
	}
	return mustJSON(args)
}
