package workflow

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agentd/gh-agentd/config"
	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
)

// spentCall is one call of an agent as this clone remembers it, whatever became of its work.
//
// The history tells of the calls whose work was committed. A call that failed, or whose run was killed before the commit,
// has cost as much, so each is written down at its end, beside the lock of the change; in the history its step stays one commit.
type spentCall struct {
	Step   string       `json:"step"`
	Role   config.Role  `json:"role"`
	Agent  string       `json:"agent"`
	Model  string       `json:"model,omitempty"`
	Usage  phases.Usage `json:"usage"`
	Failed bool         `json:"failed,omitempty"`
	At     time.Time    `json:"at"`
}

func spentOf(call specs.LLMCall, role config.Role, failed bool) spentCall {
	return spentCall{Step: call.Step, Role: role, Agent: call.Agent, Model: call.Model, Usage: call.Usage, Failed: failed, At: call.At}
}

// recordedIn says whether a commit tells of the call.
func (s spentCall) recordedIn(journal []specs.LLMCall) bool {
	return slices.ContainsFunc(journal, func(c specs.LLMCall) bool {
		return c.Step == s.Step && c.Agent == s.Agent && c.At.Equal(s.At) &&
			c.Usage.In == s.Usage.In && c.Usage.Out == s.Usage.Out && c.Usage.Millis == s.Usage.Millis
	})
}

const spentSuffix = ".jsonl"

func (b *Bench) spentDir() string { return filepath.Join(b.Repo.CommonDir(), "agentd", "spent") }

// noteSpent adds a call to what this clone remembers of the change, and of this run.
func (b *Bench) noteSpent(id phases.ChangeID, call spentCall) error {
	if b.run != nil {
		b.run.calls = append(b.run.calls, call)
	}
	line, err := json.Marshal(call)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(b.spentDir(), 0o777); err != nil {
		return err
	}
	file, err := os.OpenFile(filepath.Join(b.spentDir(), id.String()+spentSuffix), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return err
	}
	_, err = file.Write(append(line, '\n'))
	return errors.Join(err, file.Close())
}

// remembered are the calls that this clone has noted for a change, recorded or not.
// A line that a crash cut off is passed over: what it stood for cannot be known.
func (b *Bench) remembered(id phases.ChangeID) ([]spentCall, error) {
	data, err := os.ReadFile(filepath.Join(b.spentDir(), id.String()+spentSuffix))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var calls []spentCall
	lines := bufio.NewScanner(bytes.NewReader(data))
	for lines.Scan() {
		var call spentCall
		if json.Unmarshal(lines.Bytes(), &call) == nil {
			calls = append(calls, call)
		}
	}
	return calls, lines.Err()
}

// unrecorded are the remembered calls of a change that no commit tells of.
func (b *Bench) unrecorded(id phases.ChangeID, journal []specs.LLMCall) ([]spentCall, error) {
	calls, err := b.remembered(id)
	return slices.DeleteFunc(calls, func(c spentCall) bool { return c.recordedIn(journal) }), err
}

// rememberedAnywhere are the remembered calls of all changes since a moment.
func (b *Bench) rememberedAnywhere(since time.Time) (map[phases.ChangeID][]spentCall, error) {
	entries, err := os.ReadDir(b.spentDir())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	all := map[phases.ChangeID][]spentCall{}
	for _, e := range entries {
		id, err := phases.ParseChangeID(strings.TrimSuffix(e.Name(), spentSuffix))
		if err != nil {
			continue // not ours
		}
		calls, err := b.remembered(id)
		if err != nil {
			return nil, err
		}
		if calls = slices.DeleteFunc(calls, func(c spentCall) bool { return c.At.Before(since) }); len(calls) > 0 {
			all[id] = calls
		}
	}
	return all, nil
}
