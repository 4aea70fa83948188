package phases

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxNameLength is the longest change or spec id.
// With every prefix and suffix that git, file systems and the Agent Skills rule add,
// 64 characters stay legal everywhere.
const MaxNameLength = 64

// ChangeID names one change.
// It is a legal part of a branch name and a legal folder name on every system,
// so whatever is built from it needs no escaping.
// The zero value names nothing; [ParseChangeID] is the only way to make another.
type ChangeID struct{ name string }

// ParseChangeID turns what a person typed into an id.
// The error is an [*IDError].
func ParseChangeID(s string) (ChangeID, error) {
	if err := CheckName(s); err != nil {
		return ChangeID{}, err
	}
	return ChangeID{name: s}, nil
}

// ChangeIDFromBranch reads the id out of "agentd/<id>" or "refs/heads/agentd/<id>".
// It answers false for every other branch.
func ChangeIDFromBranch(branch string) (ChangeID, bool) {
	name, ok := strings.CutPrefix(strings.TrimPrefix(branch, "refs/heads/"), branchPrefix)
	if !ok {
		return ChangeID{}, false
	}
	id, err := ParseChangeID(name)
	return id, err == nil
}

const branchPrefix = "agentd/"

// String is the id as a person types it; "" for the zero value.
func (id ChangeID) String() string { return id.name }

// IsZero reports whether the id names nothing.
func (id ChangeID) IsZero() bool { return id.name == "" }

// Branch is the branch that the change lives on.
func (id ChangeID) Branch() string { return branchPrefix + id.name }

// Ref is the full name of [ChangeID.Branch].
func (id ChangeID) Ref() string { return "refs/heads/" + id.Branch() }

// Dir is the folder of the open change.
func (id ChangeID) Dir() string { return "agentd/changes/" + id.name }

// ArchiveDir is the folder of the archived change.
func (id ChangeID) ArchiveDir() string { return "agentd/archive/" + id.name }

// ArchiveRefPrefix is where the tips of archived branches are kept; a number follows.
func (id ChangeID) ArchiveRefPrefix() string { return "refs/agentd/archive/" + id.name + "/" }

// SubjectsRef holds the trees that verdicts of the change are about.
func (id ChangeID) SubjectsRef() string { return "refs/agentd/subjects/" + id.name }

// MarshalText is [ChangeID.String]; it refuses the zero value.
func (id ChangeID) MarshalText() ([]byte, error) {
	if id.IsZero() {
		return nil, CheckName("")
	}
	return []byte(id.name), nil
}

// UnmarshalText is [ParseChangeID].
func (id *ChangeID) UnmarshalText(text []byte) error {
	parsed, err := ParseChangeID(string(text))
	if err != nil {
		return err
	}
	*id = parsed
	return nil
}

// CheckName is the one rule for change and spec ids:
// 1 to 64 lower-case letters, digits and single hyphens,
// a letter or digit at both ends, and no name that Windows keeps for a device.
// The error is an [*IDError].
func CheckName(s string) error {
	reason := nameFault(s)
	if reason == "" {
		return nil
	}
	return &IDError{Input: s, Reason: reason, Suggestion: Slug(s)}
}

// nameFault says what is wrong with a name; "" when nothing is.
// Length comes first, so that a huge input is refused without being read.
func nameFault(s string) string {
	switch {
	case strings.Trim(s[:min(len(s), MaxNameLength)], " \t\r\n") == "" && len(s) <= MaxNameLength:
		return "it is empty"
	case len(s) > MaxNameLength:
		return fmt.Sprintf("it is %d bytes long, the limit is %d", len(s), MaxNameLength)
	}
	for _, r := range s {
		if !isNameRune(r) {
			return fmt.Sprintf("%s is not a lower-case letter, a digit or a hyphen", strconv.QuoteRuneToASCII(r))
		}
	}
	switch {
	case s[0] == '-' || s[len(s)-1] == '-':
		return "it begins or ends with a hyphen"
	case strings.Contains(s, "--"):
		return "it has two hyphens in a row"
	case isDevice(s):
		return "the name is reserved for a device on Windows"
	}
	return ""
}

func isNameRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-'
}

// isDevice knows the names that Windows resolves to devices in every folder.
func isDevice(s string) bool {
	switch s {
	case "con", "prn", "aux", "nul":
		return true
	}
	rest, ok := strings.CutPrefix(s, "com")
	if !ok {
		rest, ok = strings.CutPrefix(s, "lpt")
	}
	return ok && len(rest) == 1 && rest[0] >= '0' && rest[0] <= '9'
}

// IDError refuses a change or spec id before anything is touched.
type IDError struct {
	Input      string // as it was given
	Reason     string // what is wrong with it
	Suggestion string // a legal id near it; "" when there is none
}

// Error shows the input with every unusual code point escaped, cut after 64 bytes.
func (e *IDError) Error() string {
	if e.Input == "" {
		return "the id is empty"
	}
	return fmt.Sprintf("%s is not a legal id: %s", quoteShort(e.Input), e.Reason)
}

// Hint proposes what to type instead.
func (e *IDError) Hint() string {
	if e.Suggestion == "" {
		return "use 1 to 64 lower-case letters, digits and single hyphens, such as add-oauth"
	}
	return fmt.Sprintf("use %q", e.Suggestion)
}

// quoteShort quotes in ASCII, so that look-alike letters show what they are.
func quoteShort(s string) string {
	if len(s) <= MaxNameLength {
		return strconv.QuoteToASCII(s)
	}
	cut := MaxNameLength
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return strconv.QuoteToASCII(s[:cut]) + "…"
}

// slugWindow bounds how much of an input [Slug] looks at.
const slugWindow = 4 * MaxNameLength

// Slug proposes a legal id for any text: "Add OAuth 2.0!" becomes "add-oauth-2-0".
// The answer is "" when the text has no letter or digit that could be kept.
func Slug(s string) string {
	var b strings.Builder
	gap := false
	for _, r := range s[:min(len(s), slugWindow)] {
		r = unicode.ToLower(narrow(r))
		switch {
		case unicode.Is(unicode.Mn, r):
			// A combining accent: its letter is kept, nothing is parted.
		case !isNameRune(r) || r == '-':
			gap = true
		default:
			if gap && b.Len() > 0 {
				b.WriteByte('-')
			}
			gap = false
			b.WriteRune(r)
		}
	}
	slug := strings.Trim(b.String()[:min(b.Len(), MaxNameLength)], "-")
	if isDevice(slug) {
		return slug + "-change"
	}
	return slug
}

// narrow maps the full-width forms of ASCII to ASCII.
func narrow(r rune) rune {
	if r >= '！' && r <= '～' {
		return r - '！' + '!'
	}
	return r
}
