package workflow

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agentd/gh-agentd/agents"
	"github.com/agentd/gh-agentd/config"
	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
)

// spentCall is one call of an agent as this clone remembers it, whatever became of its work.
//
// The history tells of the calls whose work was committed. A call that failed, or whose run was killed before the commit,
// has cost as much, so each is written down beside the lock of the change, from its beginning on;
// in the history its step stays one commit.
type spentCall struct {
	ID     string       `json:"id"` // of the call: a later line about it takes the place of an earlier one
	Step   string       `json:"step"`
	Role   config.Role  `json:"role"`
	Agent  string       `json:"agent"`
	Model  string       `json:"model,omitempty"`
	Usage  phases.Usage `json:"usage"`
	Failed bool         `json:"failed,omitempty"`
	At     time.Time    `json:"at"` // its end; its beginning while it is under way, and of one that was killed

	Open     bool    `json:"open,omitempty"`     // it is under way
	Expected float64 `json:"expected,omitempty"` // USD that an open call is taken to cost, 0 where nobody knows
	Dropped  bool    `json:"dropped,omitempty"`  // it was never made
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

// asOf is the call at a moment. One that is under way has taken its time so far;
// no role's call outlasts its limit, so that one which seems to was killed.
func (s spentCall) asOf(now time.Time, limit time.Duration) spentCall {
	if s.Open {
		took := min(max(now.Sub(s.At), 0), limit)
		s.Usage.Millis, s.Open = took.Milliseconds(), took < limit
	}
	return s
}

// spending is a call that is under way.
type spending struct {
	bench   *Bench
	change  phases.ChangeID
	id      string
	purse   *purse
	opening spentCall
	ended   bool
	broken  bool // the person was told already that nothing can be noted
}

// beginSpending notes that a call begins. Until it tells more, it is taken to cost what such calls do.
func (b *Bench) beginSpending(id phases.ChangeID, t turn, p player, purse *purse) *spending {
	s := &spending{bench: b, change: id, id: rand.Text(), purse: purse}
	s.opening = spentOf(b.callOf(t, p, agents.Result{}), t.role, true)
	s.opening.Open, s.opening.Expected = true, purse.likely
	s.note(s.opening)
	return s
}

// tell notes what the call has used so far.
func (s *spending) tell(call spentCall) {
	call.At, call.Open, call.Expected = s.opening.At, true, s.opening.Expected
	s.note(call)
}

// release gives back what was set aside for a call that was never made. After its end there is nothing to give.
func (s *spending) release() {
	if !s.ended {
		s.ended = true
		s.note(spentCall{At: s.opening.At, Dropped: true})
	}
}

// closeSpent ends the calls of a change that a killed run left open: they are charged by the time that they can have taken.
// The caller holds the change's lock, so nobody is at work on them.
func (b *Bench) closeSpent(id phases.ChangeID) error {
	calls, err := b.remembered(id)
	for _, call := range calls {
		if call.Open {
			call.Open, call.Expected = false, 0
			(&spending{bench: b, change: id, id: call.ID}).note(call)
		}
	}
	return err
}

// end notes what came of the call.
func (s *spending) end(call spentCall) {
	s.ended = true
	s.note(call)
	if run := s.bench.run; run != nil {
		run.calls = append(run.calls, call)
	}
}

// note writes a line about the call. Where that cannot be, the work goes on, and the person is told.
func (s *spending) note(call spentCall) {
	call.ID = s.id
	if err := s.bench.appendSpent(s.change, call); err != nil && !s.broken {
		s.broken = true
		s.bench.Say.Warn(fmt.Sprintf("what the call costs cannot be noted, and no budget will know of it: %v", err))
	}
}

func (b *Bench) appendSpent(id phases.ChangeID, call spentCall) error {
	line, err := json.Marshal(call)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(b.spentDir(), 0o777); err != nil {
		return err
	}
	file, err := os.OpenFile(b.spentFile(id), os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return err
	}
	// A run that was killed may have left half a line, which must not swallow this one.
	last := []byte{'\n'}
	if end, err := file.Seek(0, io.SeekEnd); err == nil && end > 0 {
		_, _ = file.ReadAt(last, end-1) // at worst there is an empty line
	}
	if last[0] != '\n' {
		line = append([]byte{'\n'}, line...)
	}
	_, err = file.Write(append(line, '\n'))
	return errors.Join(err, file.Close())
}

func (b *Bench) spentFile(id phases.ChangeID) string {
	return filepath.Join(b.spentDir(), id.String()+spentSuffix)
}

// remembered are the calls that this clone has noted for a change, recorded or not, in the order in which they began.
// A line that is cut off or makes no sense is passed over: what it stood for cannot be known.
func (b *Bench) remembered(id phases.ChangeID) ([]spentCall, error) {
	data, err := os.ReadFile(b.spentFile(id))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	calls, now := parseSpent(data), b.Now()
	for i, call := range calls {
		calls[i] = call.asOf(now, b.Config.Limits.WallOf(call.Role))
	}
	return calls, err
}

func parseSpent(data []byte) []spentCall {
	var calls []spentCall
	at := map[string]int{}
	for line := range bytes.Lines(data) {
		var call spentCall
		if json.Unmarshal(line, &call) != nil || !call.sane() {
			continue
		}
		if i, known := at[call.ID]; known && call.ID != "" {
			calls[i] = call
			continue
		}
		at[call.ID] = len(calls)
		calls = append(calls, call)
	}
	return slices.DeleteFunc(calls, func(c spentCall) bool { return c.Dropped })
}

// sane refuses numbers that no agent's claim would be believed with either.
func (s spentCall) sane() bool {
	u := s.Usage
	return min(u.In, u.Cached, u.Out, u.Millis) >= 0 && u == u.Bounded() && (u.USD == nil || *u.USD >= 0)
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
