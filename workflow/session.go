package workflow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/agentd/gh-agentd/agents"
	"github.com/agentd/gh-agentd/config"
	"github.com/agentd/gh-agentd/phases"
)

// Sessions are kept beside the lock and not in the history: an agent finds its session only on the machine that it was made on.

func (b *Bench) sessionsFile(id phases.ChangeID) string {
	return filepath.Join(b.Repo.CommonDir(), "agentd", "sessions", id.String()+".json")
}

// sessions are the newest session of each role on the change. What cannot be read is none: then the agents start afresh.
func (b *Bench) sessions(id phases.ChangeID) map[config.Role]agents.Session {
	all := map[config.Role]agents.Session{}
	data, err := os.ReadFile(b.sessionsFile(id))
	if err != nil || json.Unmarshal(data, &all) != nil {
		return map[config.Role]agents.Session{}
	}
	return all
}

// sessionFor is the session in which an agent answers what came back on its own work: a reproposal, or a challenge after one.
// Nil where the configuration does not want it, for any other step, and where another agent played the role before.
func (b *Bench) sessionFor(id phases.ChangeID, t turn, p player) *agents.Session {
	again := t.step == phases.StepReproposal || t.step == phases.StepChallenge && t.round > 1
	if !b.Config.Workflow.SessionReuse || !again {
		return nil
	}
	session, ok := b.sessions(id)[t.role]
	if !ok || session.ID == "" || session.Agent != p.agent.Name() {
		return nil
	}
	return &session
}

// keepSession remembers the session of a call that went well, for the next one of its role.
func (b *Bench) keepSession(id phases.ChangeID, t turn, p player, session agents.Session) {
	if !b.Config.Workflow.SessionReuse || session.ID == "" {
		return
	}
	session.Agent = p.agent.Name()
	all := b.sessions(id)
	all[t.role] = session
	data, err := json.Marshal(all)
	if err == nil {
		err = writeWhole(b.sessionsFile(id), data)
	}
	if err != nil { // the next call starts afresh
		b.Say.Warn(fmt.Sprintf("could not keep the session of %s: %v", session.Agent, err))
	}
}

// forgetSessions is for a change that is done.
func (b *Bench) forgetSessions(id phases.ChangeID) {
	if err := os.Remove(b.sessionsFile(id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		b.Log.Debug("sessions stay", "err", err)
	}
}

// running asks the agent, and once more in a session of its own where the one to go on with is gone.
func (b *Bench) running(ctx context.Context, p player, r agents.Request, on func(agents.Event)) (agents.Result, error) {
	result, err := p.agent.Run(ctx, r, on)
	failure, ok := errors.AsType[*agents.Error](err)
	if !ok || failure.Kind != agents.SessionGone || r.Session == nil {
		return result, err
	}
	b.Say.Warn(fmt.Sprintf("the session of %s is gone: it starts afresh, with the files as they are", p.agent.Name()))
	r.Session = nil
	return p.agent.Run(ctx, r, on)
}
