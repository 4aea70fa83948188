package specs

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/agentd/gh-agentd/phases"
)

// YAML writes the canonical form.
// The same state gives the same bytes, any text can be written, and what is written can be read back.
func (s *State) YAML() []byte {
	var b strings.Builder
	line := func(key, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%s: %s\n", key, value)
		}
	}
	line("change_id", yamlText(s.ChangeID))
	line("schema_version", yamlQuoted(cmp.Or(s.SchemaVersion, StateSchema)))
	line("phase", s.Phase.String())
	line("iteration", strconv.Itoa(max(s.Iteration, 1)))
	line("last_action", yamlText(s.LastAction))
	line("created_at", yamlTime(s.CreatedAt))
	line("updated_at", yamlTime(s.UpdatedAt))
	line("session_id", cmp.Or(yamlText(s.SessionID), "null"))
	entryLines(&b, "", "llm_calls", s.LLMCalls, LLMCall.flow)
	totals := s.Totals()
	line("total_cost", yamlUSD(totals.USD))
	line("total_tokens_in", yamlInt(totals.TokensIn))
	line("total_tokens_out", yamlInt(totals.TokensOut))
	entryLines(&b, "", "transitions", s.Transitions, Entry.flow)
	if s.Archive != nil {
		b.WriteString("archive:\n")
		line("  base", yamlText(s.Archive.Base))
		line("  tip", yamlText(s.Archive.Tip))
		entryLines(&b, "  ", "specs", s.Archive.Specs, ArchivedSpec.flow)
	}
	return []byte(b.String())
}

// entryLines writes one entry per line, so that a diff of the file shows exactly what was added.
func entryLines[T any](b *strings.Builder, margin, key string, entries []T, write func(T) string) {
	if len(entries) == 0 {
		fmt.Fprintf(b, "%s%s: []\n", margin, key)
		return
	}
	fmt.Fprintf(b, "%s%s:\n", margin, key)
	for _, entry := range entries {
		fmt.Fprintf(b, "%s  - %s\n", margin, write(entry))
	}
}

// flow is a mapping on one line, built field by field. Empty values are left out.
type flow []string

func (f *flow) add(key, value string) {
	if value != "" {
		*f = append(*f, key+": "+value)
	}
}

func (f flow) String() string { return "{" + strings.Join(f, ", ") + "}" }

func (c LLMCall) flow() string {
	var f flow
	f.add("step", yamlText(c.Step))
	f.add("agent", yamlText(c.Agent))
	f.add("model", yamlText(c.Model))
	if c.Usage.Unknown {
		f.add("usage", "unknown")
	} else {
		f.add("tokens_in", yamlInt(c.Usage.In))
		f.add("tokens_cached", yamlInt(c.Usage.Cached))
		f.add("tokens_out", yamlInt(c.Usage.Out))
	}
	f.add("duration_ms", yamlInt(c.Usage.Millis))
	f.add("cost", yamlUSD(c.Usage.USD))
	f.add("timestamp", yamlTime(c.At))
	return f.String()
}

func (e Entry) flow() string {
	var f flow
	f.add("step", yamlText(string(e.Step)))
	f.add("from", e.From.String())
	f.add("phase", e.Phase.String())
	if e.Round > 0 {
		f.add("round", strconv.Itoa(e.Round))
	}
	f.add("verdict", yamlText(string(e.Verdict)))
	f.add("findings", findingsFlow(e.Findings))
	f.add("subject", yamlText(e.Subject))
	f.add("diff", yamlText(e.Diff))
	f.add("agent", yamlText(e.Agent))
	f.add("usage", usageFlow(e.Usage))
	f.add("evidence", yamlList(e.Evidence, evidenceFlow))
	f.add("tasks", yamlList(e.Tasks, yamlText))
	f.add("decision", yamlText(string(e.Decision)))
	f.add("profile", yamlText(string(e.Profile)))
	if e.Base != nil {
		f.add("base", yamlText(e.Base.String()))
	}
	f.add("loop", yamlText(e.Loop))
	f.add("depends_on", yamlList(e.DependsOn, func(id phases.ChangeID) string { return yamlText(id.String()) }))
	f.add("by", yamlText(e.by()))
	f.add("at", yamlTime(e.At))
	return f.String()
}

// byAgent stands for an agent whose role nobody recorded.
const byAgent = "agent"

func (e Entry) by() string {
	if e.Actor == "" && e.Agent != "" {
		return byAgent
	}
	return string(e.Actor)
}

func findingsFlow(findings *phases.Findings) string {
	if findings == nil {
		return ""
	}
	var f flow
	f.add("high", strconv.Itoa(findings.High))
	f.add("medium", strconv.Itoa(findings.Medium))
	f.add("low", strconv.Itoa(findings.Low))
	f.add("set", yamlText(findings.Set))
	return f.String()
}

func usageFlow(usage *phases.Usage) string {
	if usage == nil {
		return ""
	}
	var f flow
	if usage.Unknown {
		f.add("unknown", "true")
	} else {
		f.add("in", yamlInt(usage.In))
		f.add("cached", yamlInt(usage.Cached))
		f.add("out", yamlInt(usage.Out))
	}
	f.add("ms", yamlInt(usage.Millis))
	f.add("usd", yamlUSD(usage.USD))
	return f.String()
}

func evidenceFlow(e phases.Evidence) string {
	var f flow
	f.add("kind", yamlText(e.Kind))
	if e.NotRun {
		f.add("not_run", "true")
	} else {
		f.add("exit", strconv.Itoa(e.Exit))
		f.add("ms", yamlInt(e.Millis))
	}
	f.add("cmd", yamlText(e.Command))
	return f.String()
}

func (a ArchivedSpec) flow() string {
	var f flow
	f.add("id", yamlText(string(a.ID)))
	f.add("before", yamlText(a.Before))
	f.add("after", yamlText(a.After))
	if a.Resolved {
		f.add("resolved", "true")
	}
	return f.String()
}

func yamlList[T any](values []T, write func(T) string) string {
	if len(values) == 0 {
		return ""
	}
	texts := make([]string, len(values))
	for i, value := range values {
		texts[i] = cmp.Or(write(value), `""`)
	}
	return "[" + strings.Join(texts, ", ") + "]"
}

func yamlInt(n int64) string { return strconv.FormatInt(n, 10) }

// yamlUSD leaves out what is not known: a cost of 0 is a claim of its own.
func yamlUSD(usd *float64) string {
	known := phases.Price(usd)
	if known == nil {
		return ""
	}
	return strconv.FormatFloat(*known, 'f', -1, 64)
}

func yamlTime(t time.Time) string {
	if t = t.UTC(); t.IsZero() || t.Year() < 1 || t.Year() > 9999 {
		return ""
	}
	return t.Format(time.RFC3339)
}
