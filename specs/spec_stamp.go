package specs

import (
	"bytes"
	"time"
)

var (
	topLevelKey = lazy(`^["']?([A-Za-z_][A-Za-z0-9_-]*)["']?[ \t]*:`)
	stampValue  = lazy(`^(["']?(?:updated_at|archived_at)["']?[ \t]*:)[^#\r\n]*?([ \t]+#[^\r\n]*)?(\r?\n)$`)
)

// StampArchived sets updated_at and archived_at in the front matter of a spec, in UTC and whole seconds.
// Everything else stays byte for byte; a document without front matter, or with one that is never closed,
// comes back as it is.
func StampArchived(src []byte, at time.Time) []byte {
	text := bytes.TrimPrefix(src, utf8BOM)
	front, err := splitFrontmatter("", text)
	if err != nil || !front.present {
		return src
	}
	stamp := []byte(" " + seconds(at).Format(time.RFC3339))
	eol := []byte("\n")
	if bytes.HasSuffix(text[:front.start], []byte("\r\n")) {
		eol = []byte("\r\n")
	}

	var lines [][]byte
	written := map[string]bool{}
	skipping := false // the further lines of a value that was replaced
	for line := range bytes.Lines(front.yaml) {
		indented := len(line) > 0 && (line[0] == ' ' || line[0] == '\t')
		if skipping && indented {
			continue
		}
		skipping = false
		key := topLevelKey().FindSubmatch(line)
		if key == nil || string(key[1]) != "updated_at" && string(key[1]) != "archived_at" {
			lines = append(lines, line)
			continue
		}
		skipping = true
		lines = append(lines, stampLine(line, key[0], stamp, eol))
		written[string(key[1])] = true
	}
	for _, key := range []string{"updated_at", "archived_at"} {
		if !written[key] {
			lines = append(lines, bytes.Join([][]byte{[]byte(key + ":"), stamp, eol}, nil))
		}
	}

	out := bytes.Clone(src[:len(src)-len(text)+front.start])
	out = append(out, bytes.Join(lines, nil)...)
	return append(out, text[front.end:]...)
}

// ArchivedAt is the time that [StampArchived] has set, exactly as it writes it. A document without front matter
// has none to set, and is as it was archived at any time.
func ArchivedAt(src []byte) (time.Time, bool) {
	front, err := splitFrontmatter("", bytes.TrimPrefix(src, utf8BOM))
	if err != nil {
		return time.Time{}, false
	}
	if !front.present {
		return time.Time{}, true
	}
	for line := range bytes.Lines(front.yaml) {
		value, ok := bytes.CutPrefix(line, []byte("archived_at: "))
		if !ok {
			continue
		}
		value, _, _ = bytes.Cut(value, []byte(" #"))
		at, err := time.Parse(time.RFC3339, string(bytes.TrimSpace(value)))
		return at, err == nil
	}
	return time.Time{}, false
}

// stampLine replaces the value of a line and keeps a comment behind it.
func stampLine(line, key, stamp, eol []byte) []byte {
	if match := stampValue().FindSubmatch(line); match != nil {
		return bytes.Join([][]byte{match[1], stamp, match[2], match[3]}, nil)
	}
	return bytes.Join([][]byte{key, stamp, eol}, nil)
}
