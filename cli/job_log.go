package cli

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"io"
	"sync"

	"github.com/agentd/gh-agentd/internal/proc"
)

// redactor blanks what must not stand in a log or on a page: the secrets of the environment,
// and the token as git sends it.
func (a *app) redactor() *proc.Redactor {
	var values []string
	for _, secret := range proc.SecretsIn(a.env.Environ) {
		values = append(values, secret.Value, base64.StdEncoding.EncodeToString([]byte("x-access-token:"+secret.Value)))
	}
	return proc.NewRedactor(values)
}

// redact sends all that is printed from here on through the redactor.
func (a *app) redact(r *proc.Redactor) {
	err := &redactedLines{w: a.env.Err, r: r}
	a.env.Err, a.streams.err, a.progress.w = err, err, err
	a.streams.out.w = &redactedLines{w: a.streams.out.w, r: r}
}

// disableCommands keeps the runner from obeying what is printed until enable is called:
// what agents, checks and titles say must not set variables or hide lines.
func (a *app) disableCommands() (enable func()) {
	if !a.inActions() {
		return func() {}
	}
	word := rand.Text()
	fmt.Fprintf(a.env.Err, "::stop-commands::%s\n", word)
	return func() { fmt.Fprintf(a.env.Err, "::%s::\n", word) }
}

// redactedLines passes whole lines on. All that we print ends with one.
type redactedLines struct {
	w io.Writer
	r *proc.Redactor

	mu   sync.Mutex
	held []byte
}

// Write holds back a line that is not whole yet.
func (l *redactedLines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held = append(l.held, p...)
	end := bytes.LastIndexByte(l.held, '\n') + 1
	if end == 0 {
		return len(p), nil
	}
	_, err := l.w.Write(l.r.Bytes(bytes.Clone(l.held[:end])))
	l.held = append(l.held[:0], l.held[end:]...)
	return len(p), err
}
