package workflow

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/agentd/gh-agentd/hooks"
)

// Status says for each hook whose it is, and what calls it. It writes nothing.
func (h *Hooks) Status(ctx context.Context) (HooksResult, error) {
	p, err := h.place(ctx)
	if err != nil {
		return HooksResult{}, err
	}
	return h.look(ctx, p)
}

func (h *Hooks) look(ctx context.Context, p hookPlace) (HooksResult, error) {
	result := HooksResult{Place: string(p.Kind), Hooks: []HookState{}, Calls: []HookCall{}, Kept: []KeptFile{}}
	calls := p.Calls()
	for _, name := range hooks.Names() {
		_, configured, err := h.Bench.Repo.Config(ctx, configSection(name)+".command")
		if err != nil {
			return result, err
		}
		if configured {
			result.Place = "config"
		}
		state, err := h.state(p, name, calls, configured)
		if err != nil {
			return result, err
		}
		result.Hooks = append(result.Hooks, state)
	}
	if result.Place == "config" {
		return result, nil
	}
	for _, call := range calls {
		missing := false
		for _, name := range hooks.Names() {
			made, err := call.Made(name)
			if err != nil {
				return result, err
			}
			missing = missing || call.Covers(name) && !made
		}
		if missing {
			result.Calls = append(result.Calls, HookCall{File: call.Path, Text: call.Text})
		}
	}
	return result, nil
}

// state looks at one hook: the script that git or somebody else runs, and who that is.
func (h *Hooks) state(p hookPlace, name hooks.Name, calls []hooks.Call, configured bool) (HookState, error) {
	run := filepath.Join(p.Runs, string(name))
	here, err := hooks.Look(p.Runs, name)
	if err != nil {
		return HookState{}, err
	}
	if here.Kind == hooks.Ours || here.Kind == hooks.Changed {
		state := h.judge(p, name, run, here)
		if state.State == HookOurs && here.Before {
			state.State, state.Other = HookChained, hooks.BeforeName(run)
		}
		return state, nil
	}
	// A manager that was installed over ours keeps it under this name and calls it.
	if legacy, err := hooks.Look(p.Runs, hooks.Legacy(name)); err != nil {
		return HookState{}, err
	} else if here.Kind == hooks.Foreign && legacy.Kind == hooks.Ours {
		return together(h.judge(p, name, filepath.Join(p.Runs, string(hooks.Legacy(name))), legacy), run), nil
	}
	behind, err := hooks.Look(p.behind, name)
	if err != nil {
		return HookState{}, err
	}
	script := filepath.Join(p.behind, string(name))
	caller, lines := "", false
	if configured {
		caller = configSection(name)
	}
	for _, call := range calls {
		made, err := call.Made(name)
		if err != nil {
			return HookState{}, err
		}
		if made && call.Covers(name) {
			lines = true
			if present(run) {
				caller = call.Path
			}
		}
	}
	switch {
	case behind.Kind != hooks.None && caller != "":
		return together(h.judge(p, name, script, behind), caller), nil
	case behind.Kind != hooks.None:
		return HookState{
			Hook: string(name), State: HookMissing, Path: script, Program: behind.Script.Program,
			Reason: "nothing calls it", Next: uncalled(p, run, lines),
		}, nil
	case here.Kind == hooks.Foreign:
		return HookState{
			Hook: string(name), State: HookForeign, Path: run,
			Reason: "it is not ours, and ours is not installed", Next: "`gh agentd hook install` keeps it, and lets ours call it",
		}, nil
	}
	return HookState{Hook: string(name), State: HookMissing, Reason: "it is not installed", Next: "`gh agentd hook install`"}, nil
}

// together marks a hook of ours that something else calls.
func together(state HookState, other string) HookState {
	if state.State == HookOurs {
		state.State, state.Other = HookChained, other
	}
	return state
}

// uncalled says how our script comes to be called: the lines that do it must be there, and the manager's own hook.
func uncalled(p hookPlace, run string, lines bool) string {
	var steps []string
	switch {
	case lines:
	case p.Kind == hooks.Elsewhere:
		steps = append(steps, "add the lines that `gh agentd hook status` prints")
	default:
		steps = append(steps, "`gh agentd hook install --write`")
	}
	if manager := map[hooks.Kind]string{hooks.Lefthook: "`lefthook install`", hooks.Husky: "`npx husky`"}[p.Kind]; manager != "" && !present(run) {
		steps = append(steps, manager)
	}
	return strings.Join(steps, ", then ")
}

// judge says whether a script of ours still is what it should be.
func (h *Hooks) judge(p hookPlace, name hooks.Name, path string, found hooks.Found) HookState {
	state := HookState{Hook: string(name), State: HookOurs, Path: path, Program: found.Script.Program}
	again := "`gh agentd hook install`"
	switch {
	case found.Kind == hooks.Changed:
		state.State, state.Reason, state.Next = HookChanged, "somebody edited it", "move it away, then "+again
	case !hooks.Runnable(found.Script.Program):
		state.State, state.Reason, state.Next = HookStale, found.Script.Program+" is gone", again
	case !hooks.Runnable(path):
		state.State, state.Reason, state.Next = HookStale, "it may not be run", again
	case name == hooks.PrePush && found.Script.Base != p.base:
		state.State, state.Reason, state.Next = HookStale, "it watches "+found.Script.Base+", and the base is "+p.base, again
	}
	return state
}
