//go:build linux

package clis

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agentd/gh-agentd/agents/modeltest"
)

func TestExplore(t *testing.T) {
	limits := "[limits]\nidle = \"15s\""
	once := "[workflow]\nscript_retries = 0"
	for _, vendor := range vendors {
		go1 := func(name string, script modeltest.Script, prep func(*world)) {
			t.Run(string(vendor)+" "+name, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, script, everyone(vendor), once, limits)
				if prep != nil {
					prep(w)
				}
				began := time.Now()
				o := w.begin("proposal", change, "Greet").end()
				t.Logf("%s %s: %s, %d requests\n%s", vendor, name, time.Since(began).Round(100*time.Millisecond), len(w.server.Exchanges()), o)
			})
		}
		go1("429 for an hour", func(r modeltest.Request) modeltest.Answer { return modeltest.FailFor(modeltest.RateLimited, time.Hour) }, nil)
		go1("not signed in", func(r modeltest.Request) modeltest.Answer {
			return modeltest.Fail(modeltest.Unauthorized)
		}, func(w *world) {
			w.environ = slices.DeleteFunc(w.environ, func(v string) bool { return strings.Contains(v, modeltest.Key) })
		})
		go1("not installed", nil, func(w *world) {
			w.environ = slices.DeleteFunc(w.environ, func(v string) bool { return strings.HasPrefix(v, "PATH=") })
			w.environ = append(w.environ, "PATH=/usr/bin:/bin")
		})
		go1("wrong args", func(r modeltest.Request) modeltest.Answer {
			if len(r.Done) == 0 {
				return modeltest.Do(modeltest.Call("create_proposal", json.RawMessage(`{"summary": 3}`)))
			}
			return modeltest.Say("I give up.")
		}, nil)
		go1("empty", func(r modeltest.Request) modeltest.Answer { return modeltest.Fail(modeltest.Empty) }, nil)
	}
}
