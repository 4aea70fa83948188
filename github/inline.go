package github

import (
	"regexp"
	"strings"
)

// inline makes one line harmless. Code spans that are whole within the line stay, and links to the repository;
// everything else loses what GitHub would act upon.
func (s Sanitizer) inline(line string) string {
	var b strings.Builder
	line = command.ReplaceAllString(line, "$1/"+breaker+"$2")
	for line != "" {
		tick := strings.IndexByte(line, '`')
		if tick < 0 {
			b.WriteString(s.prose(line))
			break
		}
		before, escaped := strings.CutSuffix(line[:tick], `\`)
		b.WriteString(s.prose(before))
		line = line[tick:]
		run := len(line) - len(strings.TrimLeft(line, "`"))
		code, rest, whole := closeSpan(line[run:], run)
		// A table divides its cells before it looks for code; what holds a bar is no code then.
		if escaped || !whole || strings.ContainsAny(code, "|") {
			b.WriteString(strings.Repeat("&grave;", run))
			line = line[run:]
			continue
		}
		b.WriteString(line[:run] + code + line[:run])
		line = rest
	}
	return b.String()
}

// closeSpan finds the run of backticks of the same length that ends a code span.
func closeSpan(s string, run int) (code, rest string, found bool) {
	for i := 0; i < len(s); {
		if s[i] != '`' {
			i++
			continue
		}
		n := len(s[i:]) - len(strings.TrimLeft(s[i:], "`"))
		if n == run {
			return s[:i], s[i+n:], true
		}
		i += n
	}
	return "", "", false
}

var (
	// command is what bots obey at the beginning of a line.
	command = regexp.MustCompile(`^([\s>*+-]*)/([A-Za-z])`)

	address = regexp.MustCompile("(?i)https?://[^\\s<>\"'`()\\[\\]{}|\\\\^$*]+")

	// A backslash before punctuation vanishes on the page, and what was on its sides meets.
	scheme  = regexp.MustCompile(`:(\\?/)`)
	web     = regexp.MustCompile(`(?i)(www)(\\?\.)`)
	mention = regexp.MustCompile(`@`)
	hash    = regexp.MustCompile(`#(\\?[0-9])`)
	ghIssue = regexp.MustCompile(`(?i)(gh)(\\?-[0-9])`)
	mailto  = regexp.MustCompile(`(?i)(mailto|xmpp)(\\?:)`)
	link    = regexp.MustCompile(`\](\\?[(\[:])`)
	image   = regexp.MustCompile(`!\[`)
	entity  = regexp.MustCompile(`&(#|[A-Za-z])`)
	less    = regexp.MustCompile(`\\?<`)
	dollar  = regexp.MustCompile(`\\?\$`) // formulas
	tilde   = regexp.MustCompile(`~{3}`)
)

// prose makes text outside of code harmless, but for the addresses that may stay.
func (s Sanitizer) prose(text string) string {
	var b strings.Builder
	for {
		at := address.FindStringIndex(text)
		if at == nil {
			b.WriteString(neutral(text))
			return b.String()
		}
		found := strings.TrimRight(text[at[0]:at[1]], ".,;:!?_~&#@")
		end := at[0] + len(found)
		if !s.mayLink(found) || glued(text[:at[0]]) {
			found = neutral(found)
		}
		b.WriteString(neutral(text[:at[0]]) + found)
		text = text[end:]
	}
}

// glued reports whether an address continues a word, or stands where a link's address stands.
func glued(before string) bool {
	if before == "" {
		return false
	}
	last := before[len(before)-1]
	return last != ' ' && last != '\t' && last != '('
}

// ownPages are the pages of a repository that may be linked. An issue's would be told of it, and could be closed by it.
var ownPages = regexp.MustCompile(`^/(blob|tree|commit|compare)/[A-Za-z0-9/._%+,=-]*(#L[0-9]{1,9}(-L[0-9]{1,9})?)?$`)

func (s Sanitizer) mayLink(address string) bool {
	rest, ok := strings.CutPrefix(address, s.Target.WebURL())
	return ok && s.Target.ServerURL != "" && ownPages.MatchString(rest) && !strings.Contains(rest, "..")
}

func neutral(text string) string {
	if text == "" {
		return ""
	}
	text = entity.ReplaceAllString(text, "&amp;$1")
	text = less.ReplaceAllString(text, "&lt;")
	text = link.ReplaceAllString(text, "]"+breaker+"$1")
	text = image.ReplaceAllString(text, "!"+breaker+"[")
	text = scheme.ReplaceAllString(text, ":"+breaker+"$1")
	text = web.ReplaceAllString(text, "$1"+breaker+"$2")
	text = mailto.ReplaceAllString(text, "$1"+breaker+"$2")
	text = ghIssue.ReplaceAllString(text, "$1"+breaker+"$2")
	text = hash.ReplaceAllString(text, "#"+breaker+"$1")
	text = mention.ReplaceAllString(text, "@"+breaker)
	text = tilde.ReplaceAllString(text, "~"+breaker+"~"+breaker+"~")
	return dollar.ReplaceAllString(text, "&dollar;")
}
