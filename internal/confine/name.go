package confine

import (
	"fmt"
	"path"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"
)

// NameError says why a name was refused. It is fit to be shown to a model.
type NameError struct {
	Name   string
	Reason string // such as "is outside the folder"
}

func (e *NameError) Error() string { return fmt.Sprintf("path %q %s", e.Name, e.Reason) }

// CheckName says whether a name may be used inside a folder:
// slash-separated, relative, without empty, "." or ".." elements, valid UTF-8 without control characters,
// and without anything that another system would read as a separator, a drive or a stream.
// The error is a [*NameError].
func CheckName(name string) error {
	refuse := func(reason string) error { return &NameError{Name: name, Reason: reason} }
	switch {
	case name == "":
		return refuse("is empty")
	case len(name) > maxName:
		return &NameError{Name: name[:40] + "…", Reason: fmt.Sprintf("is longer than %d bytes", maxName)}
	case !utf8.ValidString(name):
		return refuse("is not valid UTF-8")
	case strings.ContainsFunc(name, isInvisible):
		return refuse("contains a control or invisible character")
	case strings.ContainsRune(name, '\\'):
		return refuse("contains a backslash; use / between folders")
	case path.IsAbs(name) || filepath.IsAbs(name) || strings.Contains(name, ":"):
		return refuse("is outside the folder")
	case strings.Contains(name, "%"):
		// A percent-encoded "..": no tool decodes it today, and none shall begin to.
		return refuse("contains a percent sign")
	}
	for element := range strings.SplitSeq(name, "/") {
		switch element {
		case "..":
			return refuse("is outside the folder")
		case "", ".":
			return refuse("is not in its shortest form")
		}
		if strings.HasSuffix(element, ".") || strings.HasSuffix(element, " ") {
			return refuse("has an element that ends in a dot or a space")
		}
	}
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return refuse("is outside the folder")
	}
	return nil
}

// maxName is PATH_MAX of Linux; no document of ours comes near it.
const maxName = 4096

func isInvisible(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) }
