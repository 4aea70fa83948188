//go:build linux

package clis

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agentd/gh-agentd/agents/modeltest"
)

// fault is one way in which a CLI comes to nothing, and how the person reads of it.
type fault struct {
	name   string
	script modeltest.Script
	// prepare changes the world before the command; may be nil.
	prepare func(*world)
	// config is in agentd/config.toml.
	config string
	code   int
	says   string // pattern of the error, with %s for the CLI
	hint   string // pattern
}

// always answers everything with the same fault.
func always(a modeltest.Answer) modeltest.Script {
	return func(modeltest.Request) modeltest.Answer { return a }
}

// short is for CLIs that would go on for minutes: long enough to start on a busy machine.
const short = "[limits]\nidle = \"30s\""

// faults are the same for every CLI.
func faults() []fault {
	const (
		notSignedIn = `^%s is not signed in`
		signIn      = `API_KEY.*; then run the same command again$`
		unavailable = `^%s could not reach its provider`
		later       = `^run the same command again in a few minutes$`
		hung        = `^%s gave no output for 30s`
		byHand      = "^run `[a-z]+` by hand to see what it waits for, or raise its limits"
		unwritten   = `^%s ended without saying anything \(step proposal-gen\): (proposal.md was not written|The model returned an empty response)`
		readLog     = `^read the log in the run folder`
	)
	return []fault{
		{name: "not installed", prepare: (*world).withoutCLIs, code: 1, says: `^%s is not installed`, hint: `^install [a-z]+`},
		{name: "not signed in", script: always(modeltest.Fail(modeltest.Unauthorized)), prepare: (*world).withoutKeys, code: 4, says: notSignedIn, hint: signIn},
		{name: "401", script: always(modeltest.Fail(modeltest.Unauthorized)), code: 4, says: notSignedIn, hint: signIn},
		{name: "key refused", script: always(modeltest.Fail(modeltest.KeyRefused)), code: 4, says: notSignedIn, hint: signIn},
		{name: "403", script: always(modeltest.Fail(modeltest.Forbidden)), code: 4, says: notSignedIn, hint: signIn},
		{name: "404", script: always(modeltest.Fail(modeltest.NoModel)), code: 1, says: `^%s does not know the model`, hint: `^change the model of`},
		{name: "429", script: always(modeltest.Fail(modeltest.RateLimited)), code: 1, says: `^%s was rate limited`, hint: later},
		{name: "429 for an hour", script: always(modeltest.FailFor(modeltest.RateLimited, time.Hour)), config: short,
			code: 1, says: `^%s was rate limited`, hint: `^run the same command again in (a few minutes|1h0m0s)$`},
		{name: "quota", script: always(modeltest.Fail(modeltest.QuotaUsedUp)), code: 1, says: `^%s has used up its quota`, hint: `^wait for the quota`},
		{name: "500", script: always(modeltest.Fail(modeltest.ServerError)), config: short, code: 1, says: unavailable, hint: later},
		{name: "context too long", script: always(modeltest.Fail(modeltest.ContextTooLong)), code: 1, says: `^%s was given more than its model can take in`, hint: `^split the change`},
		{name: "hung before the answer", script: always(modeltest.Fail(modeltest.Silent)), config: short, code: 1, says: hung, hint: byHand},
		{name: "hung during the answer", script: always(modeltest.Fail(modeltest.Stalled)), config: short, code: 1, says: hung, hint: byHand},
		{name: "cut off", script: always(modeltest.Fail(modeltest.Cut)), config: short, code: 1, says: unavailable, hint: later},
		{name: "empty answer", script: always(modeltest.Fail(modeltest.Empty)), code: 1, says: unwritten, hint: readLog},
		{name: "no tool called", script: always(modeltest.Say("Here is the proposal: # Change")), code: 1, says: unwritten, hint: readLog},
		{name: "wrong tool arguments", script: insists(modeltest.Call("create_proposal", json.RawMessage(`{"summary": 3}`))), code: 1, says: unwritten, hint: readLog},
		{name: "a tool of another step", script: insists(modeltest.Call("append_review", json.RawMessage(`{"verdict": "APPROVED", "findings": [], "summary": "Fine."}`))),
			code: 1, says: unwritten, hint: readLog},
	}
}

// insists tries an action twice and then gives up.
func insists(a modeltest.Action) modeltest.Script {
	return func(r modeltest.Request) modeltest.Answer {
		if len(r.Done) < 2 {
			return modeltest.Do(a)
		}
		return modeltest.Say("I cannot.")
	}
}

// Each failure of each CLI has its own sentence, exit code and next step, and leaves no commit and no process.
func TestFault_eachHasItsSentence(t *testing.T) {
	t.Parallel()
	for _, vendor := range vendors {
		for _, row := range faults() {
			t.Run(string(vendor)+" "+row.name, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, row.script, everyone(vendor), "[workflow]\nscript_retries = 0", row.config)
				if row.prepare != nil {
					row.prepare(w)
				}
				w.refused(w.begin("proposal", change, "Greet").end(), vendor, row)
			})
		}
	}
}

// refused compares how a command ended with what was wanted.
func (w *world) refused(o outcome, vendor modeltest.Vendor, want fault) {
	w.t.Helper()
	said, hint := sentence(o.err, "error"), sentence(o.err, "hint")
	says := strings.ReplaceAll(want.says, "%s", string(vendor))
	if o.code != want.code || !regexp.MustCompile(says).MatchString(said) || !regexp.MustCompile(want.hint).MatchString(hint) {
		w.t.Errorf("want exit code %d, an error like %q and a hint like %q, after %d requests; got %s",
			want.code, says, want.hint, len(w.server.Exchanges()), o)
	}
	if tip := w.tip(); tip != "" {
		w.t.Errorf("a branch was made: %s", w.git("log", "--format=%s", tip))
	}
	w.nobodyLeft()
}

// sentence is what stands behind "gh-agentd: error: " or another word.
func sentence(stderr, word string) string {
	for line := range strings.Lines(stderr) {
		if text, ok := strings.CutPrefix(line, "gh-agentd: "+word+": "); ok {
			return strings.TrimSpace(text)
		}
	}
	return ""
}

// A CLI that somebody kills is a failure, and not an answer.
func TestFault_killed(t *testing.T) {
	t.Parallel()
	for _, vendor := range vendors {
		t.Run(string(vendor), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, always(modeltest.Fail(modeltest.Silent)), everyone(vendor), "[workflow]\nscript_retries = 0")
			p := w.begin("proposal", change, "Greet")
			w.server.Wait(t, func(modeltest.Request) bool { return true })
			killed := 0
			for pid, line := range w.living() {
				// The CLI and, with Codex, the launcher before it; not us, and not our tool server.
				if !strings.Contains(line, w.use.product+" ") {
					if err := syscall.Kill(pid, syscall.SIGKILL); err == nil {
						killed++
					}
				}
			}
			if killed == 0 {
				t.Errorf("no process of %s was found among %v", vendor, w.living())
			}
			w.refused(p.end(), vendor, fault{code: 1, says: `^%s (failed|ended without reporting success)`, hint: `^read the log in the run folder`})
		})
	}
}

// A provider that is busy once is asked again, and the change goes on: by the CLI itself where it can.
func TestFault_busyOnce(t *testing.T) {
	t.Parallel()
	for _, vendor := range vendors {
		t.Run(string(vendor), func(t *testing.T) {
			t.Parallel()
			play := modeltest.Play(greeting(t, "plan"))
			var refusals onlyOnce
			w := newWorld(t, func(r modeltest.Request) modeltest.Answer {
				if refusals.first() {
					return modeltest.FailFor(modeltest.RateLimited, time.Second)
				}
				return play(r)
			}, everyone(vendor), "[workflow]\nscript_retries = 1\nretry_delay_secs = 1")
			w.agentd(0, "proposal", change, "Greet")
			if got, want := w.steps(), []string{"proposal-gen"}; !slices.Equal(got, want) {
				t.Errorf("steps %q, want %q", got, want)
			}
			w.accounts()
		})
	}
}

// withoutCLIs leaves the person git and what the system has, and none of the CLIs.
func (w *world) withoutCLIs() {
	for i, v := range w.environ {
		if path, ok := strings.CutPrefix(v, "PATH="+w.use.clis+string(os.PathListSeparator)); ok {
			w.environ[i] = "PATH=" + path
		}
	}
}

// withoutKeys signs the person out.
func (w *world) withoutKeys() {
	w.environ = slices.DeleteFunc(w.environ, func(v string) bool { return strings.HasSuffix(v, "="+modeltest.Key) })
}
