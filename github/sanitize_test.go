package github

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"
)

var testSanitizer = Sanitizer{Target: Target{Host: "github.com", Owner: "octo", Repo: "hello", ServerURL: "https://github.com"}, Redact: redactTest}

const own = "https://github.com/octo/hello/blob/abc/main.go#L3"

func TestSanitizer_Text(t *testing.T) {
	z := breaker
	tests := []struct{ name, in, want string }{
		{"plain", "Use `x < y` in **bold**.\n\n- one\n- two", "Use `x < y` in **bold**.\n\n- one\n- two"},
		{"code", "```go\nif a < b { // @me #1\n```\nend", "```go\nif a < b { // @me #1\n```\n\nend"},
		{"open fence is closed", "a\n```\ncode", "a\n\n```\ncode\n```"},
		{"suggestion", "```suggestion\nrm -rf /\n```", "```text\nrm -rf /\n```"},
		{"fence in fence", "````\n```\nx\n````", "````\n```\nx\n````"},
		{"marker", "a <!-- agentd v1 kind=x --> b <!-- c", "a  b &lt;! -- c"},
		{"marker in code", "```\n<!-- agentd:begin -->\n<!--\n```", "```\n\n<! --\n```"},
		{"marker that appears by dropping", "<!<!-- x -->-- y", "&lt;! -- y"},
		{"html", "<img src=x onerror=y> <b>", "&lt;img src=x onerror=y> &lt;b>"},
		{"entity", "&lt; &#64;ada &commat;ada a & b", "&amp;lt; &amp;#" + z + "64;ada &amp;commat;ada a & b"},
		{"mention", `@ada and \@bob and me@example.com`, "@" + z + `ada and \@` + z + "bob and me@" + z + "example.com"},
		{"issue", `#12 o/r#12 GH-12 gh\-12 # 12`, "#" + z + "12 o/r#" + z + "12 GH" + z + "-12 gh" + z + `\-12 # 12`},
		{"link", "[x](https://evil.com) ![i](//evil.com/i.png) <https://evil.com>", "[x]" + z + "(https:" + z + "//evil.com) !" + z + "[i]" + z + "(//evil.com/i.png) &lt;https:" + z + "//evil.com>"},
		{"reference", "[x][y]\n\n[y]: https://evil.com", "[x]" + z + "[y]\n\n[y]" + z + ": https:" + z + "//evil.com"},
		{"www", "www.evil.com and WWW\\.evil.com", "www" + z + ".evil.com and WWW" + z + "\\.evil.com"},
		{"own file", "see " + own + ".", "see " + own + "."},
		{"own issue", "fixes https://github.com/octo/hello/issues/1", "fixes https:" + z + "//github.com/octo/hello/issues/1"},
		{"nearly own", "https://github.com/octo/hello2/blob/x https://github.com/octo/hello/blob/../../evil", "https:" + z + "//github.com/octo/hello2/blob/x https:" + z + "//github.com/octo/hello/blob/../../evil"},
		{"command of a bot", "/merge\n> /approve\na /path", "/" + z + "merge\n> /" + z + "approve\na /path"},
		{"unpaired backtick", "a ` b\nc `<b>` d", "a &grave; b\nc `<b>` d"},
		{"backtick across lines", "`x\n`<b>@evil`", "&grave;x\n`<b>@evil`"},
		{"code in a table", "a | `x | <b>` |", "a | &grave;x | &lt;b>&grave; |"},
		{"escaped backtick", "\\`<b>`", "&grave;&lt;b>&grave;"},
		{"invisible", "a\u200bb\u202ec\x1b[31md\ufeff\U000e0041", "abc[31md"},
		{"math", "$a$ `x`", "&dollar;a&dollar; `x`"},
		{"secret", "key hunter2, hun\u200bter2 and hun<!-- x -->ter2", "key [redacted], [redacted] and [redacted]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := testSanitizer.Text(tt.in, 10_000); got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

func TestSanitizer_Line(t *testing.T) {
	if got, want := testSanitizer.Line("a\n\n```\n<b> @x", 100), "a &grave;&grave;&grave; &lt;b> @"+breaker+"x"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestSanitizer_Title(t *testing.T) {
	if got, want := testSanitizer.Title("Fix #12\nfor @ada & <b>\u202e hunter2", 100), "Fix #"+breaker+"12 for @"+breaker+"ada & <b> [redacted]"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := testSanitizer.Title(strings.Repeat("é", 300), 256); utf8.RuneCountInString(got) != 256 {
		t.Errorf("%d characters", utf8.RuneCountInString(got))
	}
}

var page = goldmark.New(goldmark.WithExtensions(extension.GFM, extension.Footnote), goldmark.WithRendererOptions(html.WithUnsafe()))

var (
	codeTags = regexp.MustCompile(`(?s)<code[ >].*?</code>`)
	links    = regexp.MustCompile(`(?i)(?:href|src)="([^"]*)"`)
	allTags  = regexp.MustCompile(`</?([a-zA-Z][a-zA-Z0-9-]*)`)
	acts     = regexp.MustCompile(`(?i)@[a-z0-9]|#[0-9]|gh-[0-9]|<!--`)
	ownLink  = regexp.MustCompile(`^https://github\.com/octo/hello/(blob|tree|commit|compare)/`)
)

// harmless are the elements that Markdown without HTML, links and images makes.
var harmless = map[string]bool{
	"p": true, "ul": true, "ol": true, "li": true, "em": true, "strong": true, "code": true, "pre": true, "blockquote": true, "hr": true, "br": true, "del": true, "input": true,
	"h1": true, "h2": true, "h3": true, "h4": true, "h5": true, "h6": true, "table": true, "thead": true, "tbody": true, "tr": true, "th": true, "td": true, "a": true,
}

// checkHarmless holds a body against what another program makes of it: goldmark reads GitHub's Markdown.
func checkHarmless(t *testing.T, out string) {
	t.Helper()
	if strings.Contains(out, "<!--") {
		t.Fatalf("%q begins a comment", out)
	}
	var b bytes.Buffer
	if err := page.Convert([]byte(out), &b); err != nil {
		t.Fatal(err)
	}
	shown := codeTags.ReplaceAllString(b.String(), "<code></code>")
	for _, m := range links.FindAllStringSubmatch(shown, -1) {
		if !ownLink.MatchString(m[1]) {
			t.Fatalf("%q links to %q:\n%s", out, m[1], shown)
		}
	}
	for _, m := range allTags.FindAllStringSubmatch(shown, -1) {
		if !harmless[strings.ToLower(m[1])] {
			t.Fatalf("%q makes <%s>:\n%s", out, m[1], shown)
		}
	}
	text := regexp.MustCompile(`(?s)<[^>]*>`).ReplaceAllString(shown, " ") // GitHub looks at each text by itself
	text = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&quot;", `"`, "&amp;", "&").Replace(ownPagesIn.ReplaceAllString(text, ""))
	if found := acts.FindString(text); found != "" {
		t.Fatalf("%q shows %q:\n%s", out, found, shown)
	}
}

var ownPagesIn = regexp.MustCompile(`https://github\.com/octo/hello/[^\s<]*`)

func FuzzSanitizer(f *testing.F) {
	for _, seed := range []string{
		"Hello `<b>` @ada #1 <!-- x -->", "```suggestion\n<b>\n```\n@x", "- a\n  ```\n<b>@evil", "> ```\n> <b>", "`a\n`<b>`", "[x]: //evil\n\n[x]", "[a\\](b) [c](d)", "![x](y)",
		own + "\\@x", "<https://a.b>", "a | b\n- | -\n`|` | <b>", "\t```\n\t@x", "~~~\n<b>\n~~~", "*~~~*", "www.x.y", "mailto:a@b.c", "[^1]: @x\n\n[^1]", "&#64;x", "\\&lt;", "\\\\`<b>`", "``` a`b\n@x", "hunter2",
		"[x](" + own + ")", "(" + own + ")@x", "ftp://a.b", "\\<b>", "a\\\n@b", "1) ```\n<b>", "``a`<b>`b``", "<\u200b!-- x", "hun<!-- -->ter2", "!\\[x](y)", "[x]\\(y)", "x@y.zz", "http://a.b", "\u00a0```\n@x",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		out := testSanitizer.Text(in, 4000)
		if len(out) > 4000 || !utf8.ValidString(out) || strings.Contains(out, "hunter2") {
			t.Fatalf("%q", out)
		}
		for _, r := range strings.ReplaceAll(out, breaker, "") {
			if r != '\n' && r != '\t' && !isVisible(r) {
				t.Fatalf("%q has %U", out, r)
			}
		}
		checkHarmless(t, out)
		checkHarmless(t, testSanitizer.Line(in, 400))
		if short := testSanitizer.Text(in, 40); len(short) > 40 {
			t.Fatalf("%q is longer than 40", short)
		}
		// A body around it stays a body: what follows is not swallowed.
		m := Marker{Kind: "k", Key: "key"}
		if got, ok := ParseMarker(join([]string{out, m.String()})); !ok || got != m {
			t.Fatalf("%q hides the marker", out)
		}
		var b bytes.Buffer
		if err := page.Convert([]byte(join([]string{out, "after*wards*"})), &b); err != nil || !strings.Contains(b.String(), "after<em>wards</em>") {
			t.Fatalf("%q swallows what follows:\n%s", out, b.String())
		}
		// The place of a finding is a model's word too.
		var place bytes.Buffer
		if err := page.Convert([]byte("**HIGH** "+codeSpan(testSanitizer.plain(in))+"\n\nx"), &place); err != nil {
			t.Fatal(err)
		}
		if shown := codeTags.ReplaceAllString(place.String(), ""); shown != "<p><strong>HIGH</strong> </p>\n<p>x</p>\n" && strings.TrimSpace(testSanitizer.plain(in)) != "" {
			t.Fatalf("%q is shown as %s", in, place.String())
		}
	})
}
