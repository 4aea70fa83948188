package specs

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"github.com/agentd/gh-agentd/phases"
)

// ReadVerdict reads the verdict of a CHALLENGE.md, REVIEW.md or ARCHIVE_REVIEW.md that an older tool wrote.
// It serves import only: nothing that this tool writes is ever decided by reading it back.
//
// An answer is exactly one ticked box, or exactly one of the words on a line of its own,
// within the section whose heading is Verdict or Status.
// Everything else is [phases.Unknown]: two answers, none, a template that nobody filled in,
// a word in a quote, a fence, a comment or a sentence, a word with a condition behind it.
// NEEDS_FIX is read as NEEDS_CHANGES; whether NEEDS_REVISION means a plan or code is for the caller to know.
func ReadVerdict(src []byte) phases.Verdict {
	src, err := readable("", src)
	if err != nil || !utf8.Valid(src) {
		return phases.Unknown
	}
	src = withoutFrontmatter(bytes.ReplaceAll(src, []byte("\r\n"), []byte("\n")))
	for line := range bytes.Lines(src) {
		if tooDeep(line) > 0 {
			return phases.Unknown
		}
	}
	// No inline parser runs: a word within markup is read, and refused, as it stands in the file.
	blocks := parser.NewParser(parser.WithBlockParsers(parser.DefaultBlockParsers()...))
	document := blocks.Parse(text.NewReader(src))

	var answers []phases.Verdict
	section := 0 // level of the heading that opened the section we are in, 0 outside
	for node := document.FirstChild(); node != nil; node = node.NextSibling() {
		if unfilled(node, src) {
			return phases.Unknown
		}
		if heading, ok := node.(*ast.Heading); ok {
			if section > 0 && heading.Level > section {
				continue // a heading within the section says nothing
			}
			section = 0
			if title, rest, ok := verdictHeading(heading, src); ok {
				section = heading.Level
				answers = append(answers, boxesInHeading(title, rest)...)
			}
			continue
		}
		if section > 0 {
			answers = append(answers, answersIn(node, src)...)
		}
	}
	if len(answers) != 1 {
		return phases.Unknown
	}
	return answers[0]
}

// withoutFrontmatter takes off a leading block between two lines of dashes,
// which Markdown would take for a rule and headings.
func withoutFrontmatter(src []byte) []byte {
	rest, ok := bytes.CutPrefix(src, []byte("---\n"))
	if !ok {
		return src
	}
	for line := range bytes.Lines(rest) {
		rest = rest[len(line):]
		if string(bytes.TrimRight(line, " \t\n")) == "---" {
			return rest
		}
	}
	return src
}

// placeholder is text in brackets that a template leaves to its author.
// A link or a reference is not one, nor is what stands in a code span.
var placeholder = lazy(`\[(Title|Brief|Overall assessment|What should be done|What's wrong|How to fix|Description|Summary)\b[^\]\n]*\](?:[^(:\[]|$)`)

var anyCode = lazy("`[^`\n]*`")

// unfilled reports whether a block is still the template's.
func unfilled(node ast.Node, src []byte) bool {
	found := false
	_ = ast.Walk(node, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering && n.Type() == ast.TypeBlock && isProse(n) {
			found = found || placeholder().Match(anyCode().ReplaceAll(n.Lines().Value(src), nil))
		}
		if found || n.Type() == ast.TypeInline {
			return ast.WalkSkipChildren, nil
		}
		return ast.WalkContinue, nil
	})
	return found
}

func isProse(n ast.Node) bool {
	switch n.Kind() {
	case ast.KindParagraph, ast.KindTextBlock, ast.KindHeading:
		return true
	default:
		return false
	}
}

// verdictHeading splits "Status: [x] APPROVED | [ ] NEEDS_FIX" into its title and the rest.
func verdictHeading(heading *ast.Heading, src []byte) (title, rest string, ok bool) {
	title, rest, _ = strings.Cut(string(heading.Lines().Value(src)), ":")
	title = strings.TrimSpace(title)
	return title, strings.TrimSpace(rest), strings.EqualFold(title, "Verdict") || strings.EqualFold(title, "Status")
}

// boxesInHeading reads the one inline form that occurs. A bare word in a heading is not an answer.
func boxesInHeading(title, rest string) []phases.Verdict {
	if rest == "" {
		return nil
	}
	var answers []phases.Verdict
	for choice := range strings.SplitSeq(rest, "|") {
		if box := tickedBox().FindStringSubmatch(strings.TrimSpace(choice)); box != nil {
			answers = append(answers, labelVerdict(box[1]))
		}
	}
	return answers
}

// answersIn returns the answers in a block of the section: every ticked box, and every paragraph that is one word.
// Quotes, fences, HTML and rules hold none.
func answersIn(node ast.Node, src []byte) []phases.Verdict {
	switch node.Kind() {
	case ast.KindParagraph:
		return paragraphAnswer(string(node.Lines().Value(src)))
	case ast.KindList:
		var answers []phases.Verdict
		for item := node.FirstChild(); item != nil; item = item.NextSibling() {
			answers = append(answers, itemAnswers(item, src)...)
		}
		return answers
	default:
		return nil
	}
}

// paragraphAnswer accepts the word, alone or as "**Verdict**: word", in the first line.
// Other lines may only be further labels, such as "**Next Steps**: …": within a sentence the word means nothing.
func paragraphAnswer(paragraph string) []phases.Verdict {
	lines := strings.Split(strings.TrimSpace(paragraph), "\n")
	word := bareWord().FindStringSubmatch(strings.TrimSpace(lines[0]))
	if word == nil {
		return nil
	}
	for _, line := range lines[1:] {
		if !labelLine().MatchString(strings.TrimSpace(line)) {
			return nil
		}
	}
	return []phases.Verdict{wordVerdict(word[1] + word[2])}
}

// itemAnswers reads a list item and the lists within it.
func itemAnswers(item ast.Node, src []byte) []phases.Verdict {
	var answers []phases.Verdict
	for child := item.FirstChild(); child != nil; child = child.NextSibling() {
		if child.Kind() == ast.KindList {
			answers = append(answers, answersIn(child, src)...)
			continue
		}
		if child != item.FirstChild() || !isProse(child) {
			continue
		}
		if box := tickedBox().FindStringSubmatch(strings.TrimSpace(string(child.Lines().Value(src)))); box != nil {
			verdict := labelVerdict(box[1])
			if verdict == phases.Approved && child.NextSibling() != nil {
				verdict = phases.Unknown // more is said about it below the box
			}
			answers = append(answers, verdict)
		}
	}
	return answers
}

const verdictWords = `APPROVED|NEEDS_REVISION|REJECTED|NEEDS_CHANGES|MAJOR_ISSUES|NEEDS_FIX`

var (
	tickedBox = lazy(`(?s)^\[[xX]\]\s+(.*)$`)
	bareWord  = lazy(`^(?:(?:\*\*Verdict\*\*:|\*\*Verdict:\*\*|Verdict:)[ \t]+)?(?:\*\*(` + verdictWords + `)\*\*|(` + verdictWords + `))$`)
	labelLine = lazy(`^\*\*[^*]+\*\*:|^\*\*[^*]+:\*\*`)
	boxLabel  = lazy(`(?s)^(?:\*\*(` + verdictWords + `)\*\*|(` + verdictWords + `))(?:\s+[-–—]\s+(.*))?$`)
)

// labelVerdict reads the label of a ticked box: the word, and behind a dash what the template says of it.
// An approval with other words behind it may be one with a condition, and is Unknown.
func labelVerdict(label string) phases.Verdict {
	match := boxLabel().FindStringSubmatch(strings.TrimSpace(label))
	if match == nil {
		return phases.Unknown
	}
	verdict, more := wordVerdict(match[1]+match[2]), match[3]
	if verdict == phases.Approved && more != "" && !slices.Contains(templateApprovals(), more) {
		return phases.Unknown
	}
	return verdict
}

// templateApprovals is what the older tool's templates say behind APPROVED.
func templateApprovals() []string {
	return []string{
		"Ready for implementation",
		"Ready for merge",
		"Ready for merge (all tests pass, no HIGH issues)",
		"Merge quality acceptable, ready for archive",
	}
}

func wordVerdict(word string) phases.Verdict {
	if word == "NEEDS_FIX" {
		return phases.NeedsChanges
	}
	return phases.Verdict(word)
}
