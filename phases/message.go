package phases

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Message is a commit message, read.
type Message struct {
	Subject    string      // the first line
	Body       string      // what stands between the subject and the trailer block
	Transition *Transition // nil for a commit of a person
	ChangeHint ChangeID    // Agentd-Change, where it stands once and can be read
	TaskHints  []string    // Agentd-Task of a person's commit
}

// FormatMessage writes the message of a commit of ours:
// "agentd(<change>): <subject>", the body, and the trailer block as the last paragraph.
// The prefix is added where the subject does not have it yet.
//
// Subject and body may come from anywhere, agents included.
// They are made valid UTF-8 on clean lines, and nothing in them can become a trailer,
// or hide one from git. NUL is refused.
func FormatMessage(subject, body string, t Transition) (string, error) {
	if strings.ContainsRune(subject, 0) || strings.ContainsRune(body, 0) {
		return "", errors.New("the message has a NUL")
	}
	trailers, err := t.Trailers()
	if err != nil {
		return "", err
	}
	block, err := FormatTrailers(trailers)
	if err != nil {
		return "", err
	}
	message := titleLine(subject, t) + "\n\n"
	if body = cleanBody(body); body != "" {
		message += body + "\n\n"
	}
	return message + block, nil
}

// ParseMessage reads any commit message.
// Only Agentd-Phase, Agentd-Step or Agentd-From make a commit ours;
// it is an error, worded as a predicate, when such a commit cannot be read.
// The message that comes with the error still has its subject, body and change.
func ParseMessage(raw string) (Message, error) {
	head, last := splitMessage(raw)
	trailers, err := readTrailers(raw, last)
	if len(trailers) == 0 && len(last) > 0 {
		head = append(append(head[:len(head):len(head)], ""), last...)
	}
	var m Message
	if len(head) > 0 {
		m.Subject = strings.Trim(head[0], blanks)
		m.Body = strings.Trim(strings.Join(head[1:], "\n"), "\n")
	}
	if err != nil {
		return m, err
	}
	m.hints(trailers)
	if !isRecord(trailers) {
		return m, nil
	}
	m.TaskHints = nil
	t, err := TransitionFromTrailers(trailers)
	if err != nil {
		return m, err
	}
	m.Transition = &t
	return m, nil
}

// hints takes what a person may say about a commit. What cannot be read is not said.
func (m *Message) hints(trailers []Trailer) {
	changes := 0
	for _, t := range trailers {
		switch {
		case strings.EqualFold(t.Key, keyChange):
			changes++
			m.ChangeHint, _ = ParseChangeID(t.Value)
		case strings.EqualFold(t.Key, keyTask):
			if task, err := parseTask(t.Value); err == nil {
				m.TaskHints = append(m.TaskHints, task)
			}
		}
	}
	if changes > 1 {
		m.ChangeHint = ChangeID{}
	}
}

func isRecord(trailers []Trailer) bool {
	for _, t := range trailers {
		for _, key := range []string{keyStep, keyFrom, keyPhase} {
			if strings.EqualFold(t.Key, key) {
				return true
			}
		}
	}
	return false
}

// CheckPersonMessage judges the message of a person's commit.
// Of our keys people may write Agentd-Change and Agentd-Task; every other one is ours alone.
func CheckPersonMessage(raw string) error {
	trailers, err := ParseTrailers(raw)
	if err != nil {
		return fmt.Errorf("the message %w", err)
	}
	if key := reservedKey(trailers); key != "" {
		return &ReservedTrailerError{Key: key}
	}
	return nil
}

// reservedKey is the first key that only commits of ours may carry.
func reservedKey(trailers []Trailer) string {
	for _, t := range trailers {
		ours := len(t.Key) >= len(keyPrefix) && strings.EqualFold(t.Key[:len(keyPrefix)], keyPrefix)
		if ours && !strings.EqualFold(t.Key, keyChange) && !strings.EqualFold(t.Key, keyTask) {
			return t.Key
		}
	}
	return ""
}

// ReservedTrailerError refuses a key of ours in a person's commit.
type ReservedTrailerError struct{ Key string }

func (e *ReservedTrailerError) Error() string {
	return fmt.Sprintf("the trailer %s is written by gh-agentd only", e.Key)
}

// Hint says what a person may write.
func (e *ReservedTrailerError) Hint() string {
	return "people write Agentd-Change and Agentd-Task; decide with `gh agentd approve`, `reopen` or `abandon`"
}

const (
	maxSubject = 120      // runes
	maxBody    = 32 << 10 // bytes
)

// titleLine makes the first line. An empty subject says the step.
func titleLine(subject string, t Transition) string {
	prefix := "agentd(" + t.Change.String() + "): "
	subject = strings.TrimPrefix(OneLine(subject), prefix)
	if subject == "" {
		subject = string(t.Step)
	}
	if runes := []rune(subject); len(runes) > maxSubject {
		subject = strings.TrimRight(string(runes[:maxSubject]), " ") + "…"
	}
	return prefix + subject
}

// OneLine folds any text into one line that may stand in a trailer:
// valid UTF-8, no control characters, single blanks. It may be empty.
func OneLine(s string) string {
	return strings.Join(strings.FieldsFunc(cleanText(s), func(r rune) bool {
		return r == ' ' || r == '\t' || r == '\n'
	}), " ")
}

// cleanBody makes a body whose lines mean nothing to git.
func cleanBody(body string) string {
	body = cutBody(cleanText(body))
	var lines []string
	for line := range strings.Lines(body) {
		line = strings.TrimRight(line, " \t\n")
		if line == "" && (len(lines) == 0 || lines[len(lines)-1] == "") {
			continue
		}
		if isDivider(line) {
			line = " " + line
		}
		lines = append(lines, line)
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}

// isDivider knows the lines at which git stops to look for trailers:
// "---", as before a patch in a mail, and the scissors of git commit --verbose.
func isDivider(line string) bool {
	rest, ok := strings.CutPrefix(line, "---")
	if ok && (rest == "" || rest[0] == ' ' || rest[0] == '\t') {
		return true
	}
	return line != "" && line[0] != ' ' && strings.Contains(line, "------------------------ >8 ------------------------")
}

// cutBody keeps a history readable when an agent does not stop.
func cutBody(body string) string {
	if len(body) <= maxBody {
		return body
	}
	cut := maxBody
	for !utf8.RuneStart(body[cut]) {
		cut--
	}
	return fmt.Sprintf("%s\n\n… %d KB cut", body[:cut], (len(body)-cut+1023)>>10)
}

// cleanText makes valid UTF-8, ends every line in \n,
// and drops control characters and the marks that reorder text on a screen.
func cleanText(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	s = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u2028", "\n", "\u2029", "\n").Replace(s)
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r), r >= '\u202A' && r <= '\u202E', r >= '\u2066' && r <= '\u2069':
			return -1
		}
		return r
	}, s)
}
