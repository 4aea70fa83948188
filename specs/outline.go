package specs

import (
	"bytes"
	"slices"
	"strings"
	"sync"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// outline is the block structure of one Markdown document:
// what its headings, lists and fences are and where in the source they stand.
// Everything that gives a document its meaning is at the top level;
// a heading inside a fence, a quote or a list is text.
type outline struct {
	file   string
	src    []byte // without byte order mark; all offsets point into it
	base   int    // length of the byte order mark that was taken off
	front  frontmatter
	blocks []block
	extra  []element // review blocks behind the text
	starts []int     // offset of each line
}

// block is one block at the top level. Blocks follow each other without gaps.
type block struct {
	kind       blockKind
	level      int    // of a heading
	title      string // of a heading
	info       string // of a fence: its language
	start, end int    // from the beginning of the first line up to the next block
	body       int    // of a heading: where the line behind it begins
	items      []span // of a list
}

type blockKind uint8

const (
	otherBlock blockKind = iota
	headingBlock
	listBlock
	fenceBlock
)

// span is a range of bytes; for the item of a list, with the column where its text begins.
type span struct {
	start, end int
	column     int
}

// readOutline reads the structure of a document.
// The tag is the name of the element that older documents are wrapped in;
// its two lines are not part of the text.
func readOutline(file string, src []byte, tag string) (*outline, error) {
	text, err := readable(file, src)
	if err != nil {
		return nil, err
	}
	front, err := splitFrontmatter(file, text)
	if err != nil {
		return nil, err
	}
	o := &outline{file: file, src: text, base: len(src) - len(text), front: front}
	for offset := 0; offset < len(text); {
		o.starts = append(o.starts, offset)
		next := bytes.IndexByte(text[offset:], '\n')
		if next < 0 {
			break
		}
		offset += next + 1
	}
	masked := bytes.Clone(text)
	blank(masked[:front.body])
	o.extra = unwrap(masked, front.body, tag)
	o.blocks = parseBlocks(masked)
	return o, nil
}

// blank overwrites everything but line ends, so that what is masked keeps its lines and offsets.
func blank(text []byte) {
	for i, c := range text {
		if c != '\n' {
			text[i] = ' '
		}
	}
}

// parseBlocks lists the blocks at the top level.
// Inline markup has no meaning for us, so no inline parser runs;
// link definitions stay paragraphs.
func parseBlocks(src []byte) []block {
	for i := range src {
		if src[i] == '\r' {
			src[i] = ' ' // the end of a line on Windows
		}
	}
	flatten(src)
	root := blockParser().Parse(text.NewReader(src))

	var list []block
	for node := root.FirstChild(); node != nil; node = node.NextSibling() {
		if node.Pos() < 0 {
			continue
		}
		b := describe(node, src)
		b.start = lineStart(src, node.Pos())
		list = append(list, b)
	}
	for i := range list {
		b := &list[i]
		b.end = len(src)
		if i+1 < len(list) {
			b.end = list[i+1].start
		}
		b.body = min(max(b.body, b.start), b.end)
		for k := range b.items {
			b.items[k].end = b.end
			if k+1 < len(b.items) {
				b.items[k].end = b.items[k+1].start
			}
		}
	}
	return list
}

// blockParser is made once: it keeps nothing of what it has parsed.
var blockParser = sync.OnceValue(func() parser.Parser {
	return parser.NewParser(parser.WithBlockParsers(parser.DefaultBlockParsers()...))
})

// manyMarks is a line that opens more quotes and lists than anybody means.
// The parser's time grows with the square of their number.
var manyMarks = lazy(`^(?:[ \t]*(?:>|[-+*][ \t]|[0-9]{1,9}[.)][ \t])){50}`)

// tooDeep is the length of the marks with which a line is nested too deep, 0 where it is not.
func tooDeep(line []byte) int {
	// An expression that counts to fifty is slow, and hardly a line begins with so many marks.
	if len(line)-len(bytes.TrimLeft(line, " \t>-+*.)0123456789")) < 50 {
		return 0
	}
	at := manyMarks().FindIndex(line)
	if at == nil {
		return 0
	}
	return at[1]
}

// flatten makes mere text of lines that are nested too deep.
func flatten(src []byte) {
	for line := range bytes.Lines(src) {
		for i := range tooDeep(line) {
			line[i] = 'x'
		}
	}
}

// describe says what a node is; where it ends is known once its successor is.
func describe(node ast.Node, src []byte) block {
	switch node := node.(type) {
	case *ast.Heading:
		b := block{kind: headingBlock, level: node.Level}
		last := node.Pos()
		var words []string
		for i := range node.Lines().Len() {
			segment := node.Lines().At(i)
			words = append(words, strings.TrimSpace(string(segment.Value(src))))
			last = max(last, segment.Start)
		}
		b.title = strings.Join(words, " ")
		b.body = lineEnd(src, last)
		if !isATX(src[lineStart(src, node.Pos()):]) {
			b.body = lineEnd(src, b.body) // the underline
		}
		return b
	case *ast.FencedCodeBlock:
		return block{kind: fenceBlock, info: string(node.Language(src))}
	case *ast.List:
		b := block{kind: listBlock}
		for item := node.FirstChild(); item != nil; item = item.NextSibling() {
			if li, ok := item.(*ast.ListItem); ok && li.Pos() >= 0 {
				b.items = append(b.items, span{start: lineStart(src, li.Pos()), column: li.Offset})
			}
		}
		return b
	default:
		return block{}
	}
}

// isATX reports whether a heading is of the kind that begins with number signs.
func isATX(line []byte) bool {
	line = bytes.TrimLeft(line, " ")
	rest := bytes.TrimLeft(line, "#")
	signs := len(line) - len(rest)
	return signs >= 1 && signs <= 6 && (len(rest) == 0 || rest[0] == ' ' || rest[0] == '\t' || rest[0] == '\n')
}

// lineStart returns where the line around an offset begins.
func lineStart(src []byte, offset int) int {
	offset = min(offset, len(src))
	return bytes.LastIndexByte(src[:offset], '\n') + 1
}

// lineEnd returns where the line behind an offset begins.
func lineEnd(src []byte, offset int) int {
	offset = min(offset, len(src))
	next := bytes.IndexByte(src[offset:], '\n')
	if next < 0 {
		return len(src)
	}
	return offset + next + 1
}

// line returns the number of the line that holds an offset.
func (o *outline) line(offset int) int {
	index, exact := slices.BinarySearch(o.starts, offset)
	if exact {
		return index + 1
	}
	return max(index, 1)
}

// text returns a part of the source as text: line feeds only, no blank lines around it.
func (o *outline) text(start, end int) string {
	if start >= end {
		return ""
	}
	return trimBlankLines(normalLines(string(o.src[start:end])))
}

// end returns where the part of the document below the heading at index ends:
// at the next heading that is not below it, or where the text ends.
func (o *outline) end(index int) int { return o.endBefore(index, o.after(index)) }

// after returns the index of the next heading that is not below the one at index.
func (o *outline) after(index int) int {
	for next := index + 1; next < len(o.blocks); next++ {
		if b := o.blocks[next]; b.kind == headingBlock && b.level <= o.blocks[index].level {
			return next
		}
	}
	return len(o.blocks)
}

// endBefore returns where the part from the block at index up to the block at next ends.
// A closing wrapper or a review block ends it too.
func (o *outline) endBefore(index, next int) int {
	end := len(o.src)
	if next < len(o.blocks) {
		end = o.blocks[next].start
	}
	for _, element := range o.extra {
		if element.start >= o.blocks[index].start {
			end = min(end, element.start)
		}
	}
	return end
}

// section returns the text below the heading at index.
func (o *outline) section(index int) string {
	return o.text(o.blocks[index].body, o.end(index))
}

// find returns the index of the first heading of a level with one of the titles, compared without case.
func (o *outline) find(level int, titles ...string) (int, bool) {
	for i, b := range o.blocks {
		if b.kind == headingBlock && b.level == level && matchesTitle(b.title, titles) {
			return i, true
		}
	}
	return 0, false
}

func matchesTitle(title string, titles []string) bool {
	title = plainLabel(title)
	return slices.ContainsFunc(titles, func(want string) bool { return strings.EqualFold(want, title) })
}
