package phases_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/agentd/gh-agentd/phases"
)

func TestReplay_machine(t *testing.T) {
	legal := moves(t)
	rapid.Check(t, func(rt *rapid.T) { runMachine(rt, legal) })
}

func FuzzReplay_machine(f *testing.F) {
	f.Fuzz(func(t *testing.T, input []byte) {
		legal := moves(t)
		rapid.MakeFuzz(func(rt *rapid.T) { runMachine(rt, legal) })(t, input)
	})
}

// runMachine plays random commits, legal and not, to Replay and to the model,
// which knows the design by heart and shares no code with it.
func runMachine(t *rapid.T, legal map[string]map[string]string) {
	m := &model{recorded: "none", okPlan: -1, planRound: 1, codeRound: 1, legal: legal}
	c := newChain(t)
	c.plan, c.code, c.base = "0", "0", "0"
	t.Repeat(map[string]func(*rapid.T){
		"": func(t *rapid.T) { m.compare(t, c) },
		"person": func(t *rapid.T) {
			m.plan = rapid.IntRange(0, 2).Draw(t, "plan")
			m.code = rapid.IntRange(0, 2).Draw(t, "code")
			m.base = rapid.IntRange(0, 1).Draw(t, "base")
			c.plan, c.code, c.base = fmt.Sprint(m.plan), fmt.Sprint(m.code), fmt.Sprint(m.base)
			c.push(rapid.SampledFrom([]string{
				"fix\n", "Merge branch 'main'\n", "x\n\nAgentd-Change: add-oauth\n",
				"x\n\nAgentd-Change: other\nAgentd-Step: abandon\nAgentd-From: none\nAgentd-Phase: rejected\n",
			}).Draw(t, "message"))
		},
		"record": func(t *rapid.T) {
			r := m.draw(t)
			message, err := phases.FormatMessage("x", "", m.transition(c, r))
			if err != nil {
				t.Fatal(err)
			}
			before := len(c.commits)
			bad := c.push(message).ID
			_, err = c.replay()
			why := m.judge(r)
			if (why == "") != (err == nil) {
				t.Fatalf("%+v at %s: replay says %v, the model says %q", r, m.effective(), err, why)
			}
			if err == nil {
				m.apply(r)
				return
			}
			// What is illegal stays so, whatever follows.
			c.push("fix\n")
			_, err = c.replay()
			if illegal, ok := errors.AsType[*phases.ReplayError](err); !ok || illegal.Commit != bad {
				t.Fatalf("with a commit after it: %v", err)
			}
			c.commits = c.commits[:before]
		},
	})
	begun := false
	for n := range c.commits { // every prefix of a legal history is legal
		h := c.history()
		h.Commits = h.Commits[:n+1]
		_, err := phases.Replay(h)
		begun = begun || err == nil
		if err != nil && (begun || !errors.Is(err, phases.ErrNoHistory)) {
			t.Fatalf("the first %d commits: %v", n+1, err)
		}
	}
}

type model struct {
	legal                 map[string]map[string]string
	recorded              string
	pair                  bool
	plan, code, base      int
	okPlan                int // approved plan, -1 for none
	ok                    *approvedCode
	awaits                bool
	planRound, codeRound  int
	reproposals, resolves int
}

type approvedCode struct {
	code, base, diff int
	torn             bool
}

// record is a commit of ours before it is put into words.
type record struct {
	event     string
	from, to  string
	person    bool
	decision  bool // it names its own decision
	subject   int  // 0 right, 1 wrong, 2 none
	diff      int  // 0 right, 1 wrong, 2 none
	roundSkew int
	pair      bool
}

func (m *model) effective() string {
	switch {
	case m.okPlan >= 0 && m.okPlan != m.plan && (m.recorded == "challenged" || m.recorded == "implementing" || m.recorded == "complete"):
		return "proposed"
	case m.recorded == "complete" && (m.ok.torn || m.ok.code != m.code || m.ok.base != m.base):
		return "implementing"
	}
	return m.recorded
}

// draw prefers what is nearly legal; noise alone would never get far.
func (m *model) draw(t *rapid.T) record {
	names := append(phaseNames(), "none")
	r := record{from: m.effective(), person: true, decision: true, pair: m.pair}
	if m.recorded == "none" {
		r.pair = rapid.IntRange(0, 3).Draw(t, "pair") == 0
	}
	var events, near []string
	for event := range m.legal {
		events = append(events, event)
		if m.legal[event][r.from] != "" {
			near = append(near, event)
		}
	}
	slices.Sort(events)
	slices.Sort(near)
	r.event = rapid.SampledFrom(near).Draw(t, "event")
	if rapid.IntRange(0, 5).Draw(t, "any event") == 0 {
		r.event = rapid.SampledFrom(events).Draw(t, "event")
	}
	r.to = m.legal[r.event][r.from]
	if r.to == "" {
		r.to = rapid.SampledFrom(phaseNames()).Draw(t, "to")
	}
	switch rapid.IntRange(0, 12).Draw(t, "bend") {
	case 0:
		r.from = rapid.SampledFrom(names).Draw(t, "from")
	case 1:
		r.to = rapid.SampledFrom(phaseNames()).Draw(t, "to")
	case 2:
		r.person = false
	case 3:
		r.decision = false
	case 4, 5:
		r.subject = rapid.IntRange(0, 2).Draw(t, "subject")
		r.diff = rapid.IntRange(0, 2).Draw(t, "diff")
	case 6:
		r.roundSkew = rapid.IntRange(0, 1).Draw(t, "round")
	case 7:
		r.from, r.to = "complete", rapid.SampledFrom([]string{"complete", "archived", "implementing"}).Draw(t, "to")
	}
	return r
}

func phaseNames() []string {
	return []string{"proposed", "challenged", "rejected", "implementing", "complete", "archived"}
}

// judge says why the record is illegal, "" when it is legal.
func (m *model) judge(r record) string {
	effective := m.effective()
	torn := m.recorded == "complete" && effective == "implementing"
	sameDiff := m.ok != nil && m.ok.diff == m.code
	switch {
	case r.from == effective:
	case r.event == "unarchive" && r.from == "archived" && m.recorded == "complete":
	case torn && r.from == "complete" && m.ok.torn && r.event != "archive":
	case torn && r.from == "complete" && !m.ok.torn && sameDiff:
	default:
		return "from"
	}
	if m.legal[r.event][r.from] == "" || m.legal[r.event][r.from] != r.to {
		return "table"
	}
	switch event := r.event; {
	case isDecision(event) && (!r.person || !r.decision):
		return "person"
	case (strings.HasPrefix(event, "challenge") || strings.HasPrefix(event, "review")) && r.roundSkew != 0:
		return "round"
	case r.from == "none" && (event == "pair") != r.pair:
		return "profile"
	case event == "pair" && !r.pair:
		return "profile"
	case r.from == "implementing" && m.awaits && (event == "pair" || event == "implement" || event == "resolve" || strings.HasPrefix(event, "review")):
		return "decision"
	case (event == "challenge APPROVED" || event == "approve" && r.from == "proposed") && r.subject != 0:
		return "subject"
	case approvesCode(r) && r.subject == 2:
		return "subject"
	case event == "reverify" && (m.ok == nil || r.diff == 2 || m.drawnDiff(r) != m.ok.diff):
		return "diff"
	}
	return ""
}

func isDecision(event string) bool {
	return event == "approve" || event == "reopen" || event == "continue" || event == "abandon"
}

func approvesCode(r record) bool {
	return r.to == "complete" && (r.event == "review APPROVED" || r.event == "reverify" || r.event == "approve")
}

func (m *model) drawnDiff(r record) int { return [...]int{m.code, m.code + 100, -1}[r.diff] }

func (m *model) apply(r record) {
	if m.recorded == "none" {
		m.pair = r.pair
	}
	switch {
	case approvesCode(r):
		torn := r.subject != 0 && r.diff != 0 || r.event == "reverify" && m.ok.torn
		m.ok = &approvedCode{code: m.code, base: m.base, diff: m.drawnDiff(r), torn: torn}
		if r.subject == 1 {
			m.ok.code += 100
		}
	case r.to == "challenged" && r.from == "proposed":
		m.okPlan = m.plan
	case r.event == "implement", r.event == "resolve", r.event == "pair",
		r.to == "implementing" && strings.HasPrefix(r.event, "review") && r.event != "review UNKNOWN":
		m.ok = nil
	}
	if r.to == "proposed" || r.to == "rejected" {
		m.okPlan, m.ok = -1, nil
	}
	if r.to == "challenged" {
		m.ok = nil
	}
	switch r.event {
	case "challenge NEEDS_REVISION":
		m.planRound++
	case "review NEEDS_CHANGES", "review MAJOR_ISSUES", "review APPROVED, evidence failed":
		m.codeRound++
	case "reproposal":
		m.reproposals++
	case "resolve":
		m.resolves++
	}
	if isDecision(r.event) {
		m.awaits, m.reproposals, m.resolves = false, 0, 0
	}
	if r.person && (strings.HasPrefix(r.event, "challenge") || strings.HasPrefix(r.event, "review")) {
		m.reproposals, m.resolves = 0, 0
	}
	switch {
	case r.event == "review MAJOR_ISSUES":
		m.awaits = true
	case r.event == "implement" && r.from == "challenged":
		m.awaits, m.codeRound = false, 1
	case strings.HasPrefix(r.event, "review") && r.event != "review UNKNOWN":
		m.awaits = false
	case r.event == "reopen":
		m.planRound, m.codeRound = 1, 1
	}
	m.recorded = r.to
}

// transition puts the record into words.
func (m *model) transition(c *chain, r record) phases.Transition {
	t := phases.Transition{Change: c.id, Actor: phases.ByAgent("worker"), Evidence: passed()}
	step, rest, _ := strings.Cut(r.event, " ")
	verdict, evidence, _ := strings.Cut(rest, ", ")
	t.Step, t.Verdict = phases.Step(step), phases.Verdict(verdict)
	switch step {
	case "plan":
		t.Step = phases.StepTasksGen
	case "confirm":
		t.Step = phases.StepEdit
	case "challenge":
		t.Round = m.planRound + r.roundSkew
	case "review":
		t.Round = m.codeRound + r.roundSkew
	}
	if evidence != "" {
		t.Evidence = failed()
	}
	if r.person {
		t.Actor = phases.Human
	}
	if isDecision(step) && r.decision {
		t.Decision = phases.Decision(step)
	}
	if r.pair && m.recorded == "none" {
		t.Profile = phases.ProfilePair
	}
	if r.from != "none" {
		t.From, _ = phases.ParsePhase(r.from)
	}
	t.Phase, _ = phases.ParsePhase(r.to)
	right, wrong := c.now().tree(), content{work: fmt.Sprint(m.code + 100), base: c.base}.tree()
	if r.from == "proposed" {
		right, wrong = c.planTree(), treeOf("wrong")
	}
	t.Subject = [...]string{right, wrong, ""}[r.subject]
	t.Diff = [...]string{c.now().diff(), content{work: fmt.Sprint(m.code + 100)}.diff(), ""}[r.diff]
	return t
}

// compare holds the replayed state against the model.
func (m *model) compare(t *rapid.T, c *chain) {
	s, err := c.replay()
	if m.recorded == "none" {
		if !errors.Is(err, phases.ErrNoHistory) {
			t.Fatalf("before the change begins: %v", err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	effective := m.effective()
	round, repairs := m.planRound, m.reproposals
	if effective == "implementing" || effective == "complete" || effective == "archived" {
		round = m.codeRound
	}
	if effective == "implementing" || effective == "complete" {
		repairs = m.resolves
	}
	reverify := effective == "implementing" && m.ok != nil && !m.ok.torn &&
		(m.ok.diff == m.code || m.ok.code == m.code && m.ok.base == m.base)
	got := fmt.Sprintln(s.Recorded, s.Effective, s.Round, s.Repairs, s.AwaitsDecision, s.Reverify, s.Profile == phases.ProfilePair)
	want := fmt.Sprintln(m.recorded, effective, round, repairs, effective == "implementing" && m.awaits, reverify, m.pair)
	if got != want {
		t.Fatalf("recorded, effective, round, repairs, awaits, reverify, pair\ngot  %swant %s", got, want)
	}
	if s.Effective != s.Recorded && !s.StalePlan && !s.StaleCode {
		t.Fatalf("%s is lowered to %s without staleness", s.Recorded, s.Effective)
	}
	if need := s.Need(); need == phases.NeedNothing && effective != "complete" && effective != "archived" {
		t.Fatalf("needs nothing at %s", effective)
	}
}
