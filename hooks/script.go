package hooks

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/agentd/gh-agentd/templates"
)

// Name is a hook of git's, as its file is called.
type Name string

// The hooks that we have.
const (
	PrePush   Name = "pre-push"
	CommitMsg Name = "commit-msg"
)

// Names lists them.
func Names() []Name { return []Name{PrePush, CommitMsg} }

// Script is a hook of ours.
type Script struct {
	Hook      Name
	Program   string // absolute path of the program that judges
	Base      string // of pre-push: the reference whose folder agentd/ is watched, or ""
	AddChange bool   // of commit-msg: add Agentd-Change on a change's branch
}

// title begins the second line of every script of ours. It ends in the SHA-256 of what follows it.
const title = "# Hook of gh-agentd; the lines below have sha256 "

const shebang = "#!/bin/sh\n"

func (s Script) text() []byte {
	var script string
	switch s.Hook {
	case PrePush:
		script = templates.PrePushHook{Program: s.Program, Base: s.Base}.Render()
	case CommitMsg:
		script = templates.CommitMsgHook{Program: s.Program, AddChange: s.AddChange}.Render()
	}
	body := strings.TrimPrefix(script, shebang)
	return []byte(shebang + title + digest(body) + "\n" + body)
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// readScript knows a hook of ours, of any version. It is whole while nobody has changed it.
func readScript(name Name, data []byte) (s Script, whole, ours bool) {
	text := strings.TrimPrefix(string(data), shebang)
	rest, ours := strings.CutPrefix(text, title)
	sum, body, _ := strings.Cut(rest, "\n")
	if !ours {
		return Script{}, false, false
	}
	s = Script{Hook: name}
	for line := range strings.Lines(body) {
		line = strings.TrimSuffix(line, "\n")
		if program, ok := strings.CutPrefix(line, "program="); ok && s.Program == "" {
			s.Program = unquote(program)
		}
		if base, ok := strings.CutPrefix(line, "base="); ok && s.Base == "" && unquote(base) != "-" {
			s.Base = unquote(base)
		}
		s.AddChange = s.AddChange || line == "add=--add-change"
	}
	return s, sum == digest(body), true
}

// unquote undoes what the template does to a word.
func unquote(word string) string {
	return strings.ReplaceAll(strings.TrimSuffix(strings.TrimPrefix(word, "'"), "'"), `'\''`, "'")
}
