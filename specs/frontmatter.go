package specs

import (
	"bytes"
)

// frontmatter is the YAML block at the very beginning of a Markdown document.
// The zero value is a document without one.
type frontmatter struct {
	present    bool
	yaml       []byte // what stands between the fences
	line       int    // the line of the file on which yaml begins
	start, end int    // byte offsets of yaml in the source
	body       int    // byte offset behind the closing fence
}

// splitFrontmatter finds the front matter of a document whose byte order mark is gone already.
// Only the first line can open it, and the first line of three dashes (or dots) after it closes it,
// so that dashes in the text never end or begin anything.
// Front matter that is never closed is an error.
func splitFrontmatter(file string, src []byte) (frontmatter, error) {
	var front frontmatter
	offset, number := 0, 0
	for line := range bytes.Lines(src) {
		number++
		text := string(bytes.TrimRight(line, " \t\r\n"))
		switch {
		case number == 1 && text != "---":
			return frontmatter{}, nil
		case number == 1:
			front = frontmatter{present: true, line: 2, start: len(line)}
		case text == "---" || text == "...":
			front.end, front.body = offset, offset+len(line)
			front.yaml = src[front.start:front.end]
			return front, nil
		}
		offset += len(line)
	}
	if front.present {
		return frontmatter{}, &DocumentError{File: file, Line: 1,
			Message: "front matter begins here but is never closed by a line of three dashes"}
	}
	return frontmatter{}, nil
}
