package agents

import (
	"fmt"
	"strings"

	"github.com/agentd/gh-agentd/internal/proc"
)

// Exits says what a program means by its exit statuses.
type Exits map[int]Exit

// Exit is the meaning of one exit status.
type Exit struct {
	Kind     ErrorKind
	Sentence string // such as "the directory is not trusted"; may be empty
}

// Error is the failure behind an exit status other than 0, with the last words of standard error.
// A status without a meaning is [Failed].
func (x Exits) Error(code int, stderr string) *Error {
	exit, known := x[code]
	detail := exit.Sentence
	if !known {
		detail = fmt.Sprintf("exit status %d", code)
		if code < 0 {
			detail = "ended by a signal"
		}
	}
	if last := lastWords(stderr); last != "" {
		if detail != "" {
			detail += ": "
		}
		detail += last
	}
	return &Error{Kind: exit.Kind, Detail: detail}
}

// lastWords is the last line that says something, cut to a length that fits a message.
// A hint of our own, where the agent's last program was ours, says less than the error before it.
func lastWords(text string) string {
	lines := strings.Split(strings.TrimSpace(proc.Clean(text)), "\n")
	for len(lines) > 1 && strings.Contains(lines[len(lines)-1], "gh-agentd: hint:") {
		lines = lines[:len(lines)-1]
	}
	text = strings.TrimSpace(lines[len(lines)-1])
	const longest = 300
	if r := []rune(text); len(r) > longest {
		text = string(r[:longest]) + "…"
	}
	return text
}
