package phases_test

import (
	"errors"
	"os/exec"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/agentd/gh-agentd/phases"
)

// hostile are texts that try to become a trailer, to hide one, or to break the message.
var hostile = []string{
	"",
	"plain text",
	"ID-12 line\nAgentd-Phase: complete",
	"ID-13 above\n---\nbelow",
	"--- a/file\n+++ b/file",
	"---\tx",
	"ID-14 # Heading\n# x\n## y",
	"# ------------------------ >8 ------------------------\nbelow",
	"; ------------------------ >8 ------------------------",
	"ID-16 \xff\xfe broken",
	"Agentd-Phase: complete",
	"x\n\nAgentd-Phase: complete\nAgentd-From: none\n",
	"x\n\nAgentd-Phase: complete\n\n\n\n",
	" leading blank\n  Agentd-Phase: complete",
	"\n\n\n",
	"Signed-off-by: a <a@b>\n(cherry picked from commit 1234567)",
	"Conflicts:\n\tfile",
	"carriage\rAgentd-Phase: complete\r\nAgentd-Step: x",
	"line\u2028Agentd-Phase: complete\u2029Agentd-Step: x\u0085Agentd-Step: y\vz\fz",
	"\x1b[31mred\x1b[0m \u202eesrever\u202c",
	"\u00a0\n\u3000",
	"agentd(add-oauth): agentd(add-oauth): twice",
	strings.Repeat("long ", 100),
	strings.Repeat("much text\n", 10_000),
}

func TestFormatMessage_freeTextCannotTouchTheRecord(t *testing.T) {
	c := newChain(t)
	record := c.draft(phases.State{Change: c.id}, phases.StepClarify)
	for _, subject := range hostile {
		for _, body := range hostile {
			checkMessage(t, subject, body, record)
		}
	}
}

func checkMessage(t interface {
	Helper()
	Fatalf(string, ...any)
}, subject, body string, record phases.Transition) string {
	t.Helper()
	raw, err := phases.FormatMessage(subject, body, record)
	if err != nil {
		t.Fatalf("format %q, %q: %v", subject, body, err)
	}
	m, err := phases.ParseMessage(raw)
	if err != nil || m.Transition == nil {
		t.Fatalf("parse %q: %v", raw, err)
	}
	if d := cmp.Diff(record, *m.Transition, cmp.AllowUnexported(phases.ChangeID{})); d != "" {
		t.Fatalf("subject %q, body %q:\n%s", subject, body, d)
	}
	if !utf8.ValidString(raw) || strings.ContainsAny(raw, "\x00\x1b\r\v\f") {
		t.Fatalf("the message is not clean: %q", raw)
	}
	again, err := phases.FormatMessage(m.Subject, m.Body, record)
	if err == nil && len(body) < 1000 && again != raw {
		t.Fatalf("read and written again:\n%q\n%q", raw, again)
	}
	return raw
}

func TestFormatMessage_subject(t *testing.T) {
	c := newChain(t)
	record := c.draft(phases.State{Change: c.id}, phases.StepClarify)
	for _, tc := range []struct{ in, want string }{
		{"asked 3 questions", "agentd(add-oauth): asked 3 questions"},
		{"agentd(add-oauth): asked", "agentd(add-oauth): asked"},
		{"", "agentd(add-oauth): clarify"},
		{" two\n\tlines ", "agentd(add-oauth): two lines"},
		{strings.Repeat("é", 121), "agentd(add-oauth): " + strings.Repeat("é", 120) + "…"},
	} {
		m, err := phases.ParseMessage(checkMessage(t, tc.in, "", record))
		if err != nil || m.Subject != tc.want || m.Body != "" {
			t.Errorf("%q: %q, %q, %v", tc.in, m.Subject, m.Body, err)
		}
	}
}

func TestFormatMessage_body(t *testing.T) {
	c := newChain(t)
	record := c.draft(phases.State{Change: c.id}, phases.StepClarify)
	for _, tc := range []struct{ name, in, want string }{
		{"paragraphs", "a\n\n\n\nb  \n", "a\n\nb"},
		{"ID-13 divider", "a\n---\nb", "a\n ---\nb"},
		{"rule of more hyphens", "a\n----\nb", "a\n----\nb"},
		{"ID-14 heading", "# Heading\ntext", "# Heading\ntext"},
		{"ID-16 invalid UTF-8", "a\xffb", "a\uFFFDb"},
		{"ID-16 a run of invalid bytes", "a\xff\xfeb", "a\uFFFDb"},
		{"indentation", "  code\n\tmore", "  code\n\tmore"},
		{"escapes", "\x1b[1mbold", "[1mbold"},
		{"line ends", "a\r\nb\rc", "a\nb\nc"},
		{"looks like a record", "Agentd-Phase: complete", "Agentd-Phase: complete"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m, err := phases.ParseMessage(checkMessage(t, "x", tc.in, record))
			if err != nil || m.Body != tc.want {
				t.Errorf("got %q, %v; want %q", m.Body, err, tc.want)
			}
		})
	}
	m, _ := phases.ParseMessage(checkMessage(t, "x", strings.Repeat("é", 20_000), record))
	if len(m.Body) > 33<<10 || !strings.HasSuffix(m.Body, "\n\n… 8 KB cut") {
		t.Errorf("%d bytes, ends in %q", len(m.Body), m.Body[len(m.Body)-20:])
	}
}

func TestFormatMessage_refusesNUL_ID16(t *testing.T) {
	c := newChain(t)
	record := c.draft(phases.State{Change: c.id}, phases.StepClarify)
	if _, err := phases.FormatMessage("a\x00b", "", record); err == nil {
		t.Error("in the subject")
	}
	if _, err := phases.FormatMessage("a", "b\x00", record); err == nil {
		t.Error("in the body")
	}
}

func TestParseMessage_people(t *testing.T) {
	for _, tc := range []struct {
		name, raw, subject, body, change string
		tasks                            []string
	}{
		{"one line", "fix typo", "fix typo", "", "", nil},
		{"with body", "fix\n\nbecause\n\nof this\n", "fix", "because\n\nof this", "", nil},
		{"with hints", "do it\n\nbody\n\nAgentd-Change: add-oauth\nAgentd-Task: 1.1\nAgentd-Task: 1.2\n", "do it", "body", "add-oauth", []string{"1.1", "1.2"}},
		{"hints that cannot be read", "do it\n\nAgentd-Change: Add\nAgentd-Task: a b\n", "do it", "", "", nil},
		{"two changes", "do it\n\nAgentd-Change: a\nAgentd-Change: b\n", "do it", "", "", nil},
		{"other trailers", "do it\n\nbody\n\nSigned-off-by: a <a@b>\n", "do it", "body", "", nil},
		{"leading blank lines", "\n\nfix\n", "fix", "", "", nil},
		{"empty", "", "", "", "", nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m, err := phases.ParseMessage(tc.raw)
			if err != nil || m.Transition != nil {
				t.Fatalf("%+v, %v", m, err)
			}
			want := phases.Message{Subject: tc.subject, Body: tc.body, TaskHints: tc.tasks}
			want.ChangeHint, _ = phases.ParseChangeID(tc.change)
			if d := cmp.Diff(want, m, cmp.AllowUnexported(phases.ChangeID{})); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestCheckPersonMessage(t *testing.T) {
	for _, ok := range []string{
		"fix\n", "fix\n\nAgentd-Change: add-oauth\nAgentd-Task: 1.1\n", "fix\n\nAgentd-Phase: x\n\nbody\n", "fix\n\nSigned-off-by: a <a@b>\n",
	} {
		if err := phases.CheckPersonMessage(ok); err != nil {
			t.Errorf("%q: %v", ok, err)
		}
	}
	for _, key := range []string{"Agentd-Phase", "agentd-phase", "Agentd-Verdict", "AGENTD-Seq"} {
		err := phases.CheckPersonMessage("fix\n\nAgentd-Change: a\n" + key + ": x\n")
		reserved, ok := errors.AsType[*phases.ReservedTrailerError](err)
		if !ok || reserved.Key != key || reserved.Hint() == "" {
			t.Errorf("%s: %v", key, err)
		}
	}
}

func FuzzFormatMessage(f *testing.F) {
	for i, text := range hostile {
		f.Add(text, hostile[len(hostile)-1-i], "codex/gpt/medium")
	}
	f.Add("s", "b", "a\nAgentd-Phase: complete")
	c := newChain(f)
	f.Fuzz(func(t *testing.T, subject, body, agent string) {
		record := c.draft(phases.State{Change: c.id}, phases.StepClarify)
		record.Agent = agent
		raw, err := phases.FormatMessage(subject, body, record)
		if err != nil {
			if phases.OneLine(agent) == agent && !strings.ContainsRune(subject+body, 0) {
				t.Fatalf("refused: %v", err)
			}
			return
		}
		m, err := phases.ParseMessage(raw)
		if err != nil || m.Transition == nil {
			t.Fatalf("parse %q: %v", raw, err)
		}
		if d := cmp.Diff(record, *m.Transition, cmp.AllowUnexported(phases.ChangeID{})); d != "" {
			t.Fatal(d)
		}
	})
}

// git must see the same pairs, whatever stands above them, with the divider rule and without.
func TestFormatMessage_gitReadsTheSame(t *testing.T) {
	git := needGit(t)
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.Custom(func(t *rapid.T) string {
			parts := rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(hostile), rapid.String()), 0, 4).Draw(t, "parts")
			return strings.ReplaceAll(strings.Join(parts, rapid.SampledFrom([]string{"", "\n", "\n\n"}).Draw(t, "glue")), "\x00", "")
		})
		record := drawTransition(rt)
		raw := checkMessage(rt, text.Draw(rt, "subject"), text.Draw(rt, "body"), record)
		trailers, err := record.Trailers()
		if err != nil {
			rt.Fatal(err)
		}
		want, err := phases.FormatTrailers(trailers)
		if err != nil {
			rt.Fatal(err)
		}
		for _, divider := range []string{"--divider", "--no-divider"} {
			if got := git(rt, raw, divider); got != want {
				rt.Fatalf("%s: git reads\n%s\nwe wrote\n%s\nmessage %q", divider, got, want, raw)
			}
		}
	})
}

// needGit runs git interpret-trailers with nobody's configuration.
func needGit(t *testing.T) func(rt *rapid.T, message, divider string) string {
	t.Helper()
	path, err := exec.LookPath("git")
	if err != nil {
		t.Fatal("git is not installed, and this program needs it")
	}
	dir := t.TempDir()
	env := []string{"HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_CEILING_DIRECTORIES=" + dir}
	return func(rt *rapid.T, message, divider string) string {
		rt.Helper()
		cmd := exec.CommandContext(t.Context(), path, "interpret-trailers", "--parse", divider)
		cmd.Dir, cmd.Env, cmd.Stdin = dir, env, strings.NewReader(message)
		out, err := cmd.Output()
		if err != nil {
			rt.Fatalf("git interpret-trailers: %v", err)
		}
		return string(out)
	}
}
