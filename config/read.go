package config

import (
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
)

// The methods here read one table of the file each, over the defaults that are there already.

func (w *Workflow) read(t table) {
	t.count("planning_iterations", &w.PlanningIterations, 0, 100)
	t.count("implementation_iterations", &w.ImplementationIterations, 0, 100)
	t.count("format_iterations", &w.FormatIterations, 0, 100)
	t.count("self_review_iterations", &w.SelfReviewIterations, 0, 100)
	t.flag("sequential_implementation", &w.SequentialImplementation)
	t.flag("human_in_loop", &w.HumanInLoop)
	t.count("script_retries", &w.ScriptRetries, 0, 100)
	seconds := int(w.RetryDelay / time.Second)
	t.count("retry_delay_secs", &seconds, 0, 86400)
	w.RetryDelay = time.Duration(seconds) * time.Second
	t.flag("session_reuse", &w.SessionReuse)
	choice(t, "profile", &w.Profile, phases.ProfileSpec, phases.ProfileCrew)
	choice(t, "worktree", &w.Worktree, WorkplaceWorktree, WorkplaceBranch)
	t.text("worktree_dir", &w.WorktreeDir)
	if !w.outside() {
		t.r.refuse(joinKey(t.path, "worktree_dir"), `want a folder outside the checkout, such as "../{project}-agentd", got %s`, show(w.WorktreeDir))
	}
}

// outside reports whether the worktrees are not within the checkout, whose name {project} stands for:
// there they would be files of the checkout, that are read, searched and committed.
func (w *Workflow) outside() bool {
	clean := path.Clean(filepath.ToSlash(w.WorktreeDir))
	if path.IsAbs(clean) || filepath.IsAbs(w.WorktreeDir) {
		return true // the file does not know where it stands
	}
	words := strings.Split(clean, "/")
	return words[0] == ".." && (len(words) == 1 || words[1] != "{project}")
}

func (l *Limits) read(t table) {
	t.duration("idle", &l.Idle)
	t.duration("idle_tool", &l.IdleTool)
	wall := t.table("wall")
	for _, role := range Roles() {
		limit := l.WallOf(role)
		if wall.has(string(role)) {
			wall.duration(string(role), &limit)
			l.Wall[role] = limit
		}
	}
}

func (v *Review) read(t table) {
	t.texts("commands", &v.Commands)
	choice(t, "scan", &v.Scan, ScanAuto, ScanOff)
	t.duration("timeout", &v.Timeout)
}

func (v *Validation) read(t table) {
	t.texts("required_headings", &v.RequiredHeadings)
	t.count("scenario_min_count", &v.ScenarioMinCount, 0, 100)
	t.flag("require_when_then", &v.RequireWhenThen)
	for key, into := range map[string]*string{
		"requirement_pattern": &v.RequirementPattern,
		"scenario_pattern":    &v.ScenarioPattern,
		"when_pattern":        &v.WhenPattern,
		"then_pattern":        &v.ThenPattern,
	} {
		t.text(key, into)
		if _, err := regexp.Compile(*into); err != nil {
			t.r.refuse(joinKey(t.path, key), "want a regular expression: %v", err)
		}
	}
	rules := t.table("severity_map")
	for _, rule := range rules.keys() {
		var text string
		rules.text(rule, &text)
		severity, err := specs.ParseSeverity(text)
		if err != nil {
			if _, isText := rules.values[rule].(string); isText {
				t.r.refuse(joinKey(rules.path, rule), "%v", err)
			}
			continue
		}
		v.SeverityMap[rule] = severity
	}
}

func (b *Budget) read(t table) {
	t.cap("per_change", &b.PerChange)
	t.cap("per_run", &b.PerRun)
	t.cap("per_day", &b.PerDay)
	choice(t, "unknown", &b.Unknown, UnknownStop, UnknownEstimate)
	if rate, ok := t.number("usd_per_minute"); ok {
		b.USDPerMinute = rate
	}
}

// cap reads `2.50`, which is USD, or `{ usd = 2.50, tokens = 2_000_000 }`.
// 0 is refused: some mean nothing at all by it, others no limit.
func (t table) cap(key string, into *Cap) {
	value, ok := t.values[key]
	if !ok {
		return
	}
	path := joinKey(t.path, key)
	if _, isNumber := asNumber(value); isNumber {
		usd, fine := t.number(key)
		if fine && usd == 0 {
			t.r.refuse(path, "want more than 0; leave the key out for no limit")
		}
		into.USD = usd
		return
	}
	if _, isTable := value.(map[string]any); !isTable {
		t.take(key)
		t.r.refuse(path, "want USD such as 2.50, or { usd = 2.50, tokens = 2_000_000 }, got %s", show(value))
		return
	}
	limits := t.table(key)
	usd, usdFine := limits.number("usd")
	tokens, _, hasTokens := limits.take("tokens")
	count, isInt := tokens.(int64)
	switch {
	case hasTokens && (!isInt || count <= 0):
		t.r.refuse(joinKey(path, "tokens"), "want a whole number above 0, got %s", show(tokens))
	case usdFine && usd == 0:
		t.r.refuse(joinKey(path, "usd"), "want more than 0; leave the key out for no limit")
	case !hasTokens && !limits.has("usd"):
		t.r.refuse(path, "want usd, tokens or both")
	}
	*into = Cap{USD: usd, Tokens: count}
}

func (p *Policy) read(t table) {
	t.texts("verdict_signers", &p.VerdictSigners)
	t.texts("decision_signers", &p.DecisionSigners)
	t.flag("require_distinct_reviewer", &p.RequireDistinctReviewer)

	if !t.has("profiles") {
		return
	}
	var names []string
	t.texts("profiles", &names)
	path := joinKey(t.path, "profiles")
	if names != nil && len(names) == 0 {
		t.r.refuse(path, "want at least one profile, else no change could ever pass")
	}
	p.Profiles = nil
	for _, name := range names {
		profile := phases.Profile(name)
		if known := []phases.Profile{phases.ProfileSpec, phases.ProfileCrew, phases.ProfilePair}; !slices.Contains(known, profile) {
			t.r.refuse(path, "want %s, got %q", oneOf(known), name)
		}
		p.Profiles = append(p.Profiles, profile)
	}
}
