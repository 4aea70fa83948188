package hooks

import (
	"bytes"
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/agentd/gh-agentd/internal/confine"
	"github.com/agentd/gh-agentd/templates"
)

// Call is the lines in a file of somebody else's that call our hooks.
// They find our scripts through git and do nothing in a clone without them, so that a team can commit them.
type Call struct {
	Path string // the file, absolute
	Text string // what belongs into it
	name string // the file, below top
	top  string
	hook Name // "" where one file configures all hooks
}

// Calls are what a place needs so that our scripts are called. Git's own folder needs none.
func (p Place) Calls() []Call {
	var calls []Call
	switch p.Kind {
	case Lefthook:
		calls = append(calls, Call{Path: filepath.Join(p.Top, filepath.FromSlash(p.File)), Text: templates.LefthookCall(), name: p.File, top: p.Top})
	case Husky, Folder, Elsewhere:
		for _, hook := range Names() {
			call := Call{Path: filepath.Join(p.Runs, string(hook)), Text: templates.HookCall(string(hook)), hook: hook}
			if p.Top != "" {
				call.top, call.name = p.Top, path.Join(p.Sub, string(hook))
				call.Path = filepath.Join(p.Top, filepath.FromSlash(call.name))
			}
			calls = append(calls, call)
		}
	}
	return calls
}

// Covers says whether the call is for a hook.
func (c Call) Covers(name Name) bool { return c.hook == "" || c.hook == name }

// The lines around what Write writes. What follows a begin says how the file was before.
const (
	callBegin   = "# gh-agentd: begin"
	callEnd     = "# gh-agentd: end\n"
	ownFile     = ", in a file made for it\n"
	openLine    = ", after a line without an end\n"
	anyFile     = "\n"
	callHookDir = "agentd/hooks/"
)

// Made says whether the file calls the hook: by our lines, or by a person's own.
func (c Call) Made(name Name) (bool, error) {
	text, err := c.read()
	if errors.Is(err, fs.ErrNotExist) || err == nil && text == nil {
		return false, nil
	}
	return bytes.Contains(text, []byte(callHookDir+string(name))), err
}

// read returns the file. A file that is not one to be read has no text.
func (c Call) read() ([]byte, error) {
	dir, name := c.top, c.name
	if dir == "" {
		dir, name = filepath.Dir(c.Path), filepath.Base(c.Path)
	}
	root, err := confine.Open(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	text, err := root.ReadFile(name, maxHook)
	if _, other := errors.AsType[*confine.FileError](err); other {
		return nil, nil
	}
	return text, err
}

// shellLine is a first line that makes a file a shell script.
var shellLine = regexp.MustCompile(`^#!.*[/ ](sh|bash|dash|ash|ksh|zsh)\b`)

// Write puts the lines into the file, which is made where there is none.
// The pre-push lines come first, for what reads standard input after them still finds it,
// the commit-msg lines last, for what stands before them may rewrite the message.
// The error is a [*KeptError] where that would not mean what it should.
func (c Call) Write() (Done, error) {
	if c.top == "" {
		return "", c.kept("is outside of this repository")
	}
	root, err := confine.Open(c.top)
	if err != nil {
		return "", err
	}
	defer root.Close()
	text, err := root.ReadFile(c.name, maxHook)
	bad, isBad := errors.AsType[*confine.FileError](err)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Written, root.WriteExact(c.name, []byte(shebang+c.block(ownFile)), true)
	case isBad:
		return "", c.kept(bad.Reason)
	case err != nil:
		return "", err
	case bytes.Contains(text, []byte(callBegin)), bytes.Contains(text, []byte(callHookDir)):
		return Present, nil
	}
	if c.hook == "" {
		if path.Ext(c.name) != ".yml" && path.Ext(c.name) != ".yaml" {
			return "", c.kept("is not YAML")
		}
		if topLevel.Match(text) {
			return "", c.kept("configures pre-push or commit-msg already")
		}
	} else if bytes.HasPrefix(text, []byte("#!")) && !shellLine.Match(text) {
		return "", c.kept("is not a shell script")
	}
	return Updated, root.WriteFile(c.name, c.insert(text))
}

// topLevel finds our hooks, and what makes a file one that lines cannot simply be added to.
var topLevel = regexp.MustCompile(`(?m)^(["']?(pre-push|commit-msg)["']?\s*:|\{|---\s*$|\.\.\.\s*$)`)

func (c Call) kept(reason string) error {
	return &KeptError{Path: c.Path, Reason: reason, Next: "add the lines that `gh agentd hook status` prints yourself"}
}

func (c Call) insert(text []byte) []byte {
	at := len(text)
	if c.hook == PrePush {
		at = 0
		if bytes.HasPrefix(text, []byte("#!")) {
			at = len(text)
			if end := bytes.IndexByte(text, '\n'); end >= 0 {
				at = end + 1
			}
		}
	}
	before, after := text[:at], text[at:]
	if len(before) > 0 && before[len(before)-1] != '\n' {
		return append(append(append([]byte{}, before...), '\n'), c.block(openLine)...)
	}
	return append(append(append([]byte{}, before...), c.block(anyFile)...), after...)
}

func (c Call) block(was string) string { return callBegin + was + c.Text + callEnd }

// Remove takes the lines out again, and leaves the file as it was before, byte for byte.
func (c Call) Remove() (Done, error) {
	if c.top == "" {
		return Absent, nil
	}
	root, err := confine.Open(c.top)
	if err != nil {
		return "", err
	}
	defer root.Close()
	text, err := root.ReadFile(c.name, maxHook)
	if _, isBad := errors.AsType[*confine.FileError](err); isBad || errors.Is(err, fs.ErrNotExist) {
		return Absent, nil
	}
	if err != nil {
		return "", err
	}
	for _, was := range []string{ownFile, openLine, anyFile} {
		before, after, found := strings.Cut(string(text), c.block(was))
		switch {
		case !found:
			continue
		case was == ownFile && before == shebang && after == "":
			return Removed, root.Remove(c.name)
		case was == openLine && after == "":
			before = strings.TrimSuffix(before, "\n")
		}
		return Removed, root.WriteFile(c.name, []byte(before+after))
	}
	if bytes.Contains(text, []byte(callBegin)) {
		return "", &KeptError{Path: c.Path, Reason: "has our lines, and they were changed", Next: "look at them, and delete them yourself"}
	}
	return Absent, nil
}
