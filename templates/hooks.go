package templates

import (
	"embed"
	"strings"
	"text/template"
)

//go:embed hooks/*
var hookFiles embed.FS

// HookBefore ends the name under which the hook that was there before is kept, and called by ours.
const HookBefore = "before-agentd"

// PrePushHook is our hook for pushes: a script for any POSIX shell.
type PrePushHook struct {
	Program string // path of the program that judges, absolute
	Base    string // the reference whose folder agentd/ is watched, such as refs/heads/main; "" for none
}

// Render writes the script.
func (h PrePushHook) Render() string {
	if h.Base == "" {
		h.Base = "-" // no reference is called that
	}
	return renderHook("pre-push.sh", h)
}

// CommitMsgHook is our hook for messages of commits: a script for any POSIX shell.
type CommitMsgHook struct {
	Program   string // path of the program that judges, absolute
	AddChange bool   // on a change's branch, add Agentd-Change to messages without it
}

// Render writes the script.
func (h CommitMsgHook) Render() string { return renderHook("commit-msg.sh", h) }

// HookCall is what a shell script of somebody else's needs in it to call our hook of that name.
// Its standard input is afterwards what it was before.
// In a clone without our hook it does nothing, so that it may be committed.
func HookCall(name string) string { return renderHook("call-"+name+".sh", nil) }

// LefthookCall is what lefthook.yml needs in it to call our hooks.
func LefthookCall() string { return renderHook("lefthook.yml", nil) }

func renderHook(name string, value any) string {
	funcs := template.FuncMap{"quote": shellQuote, "suffix": func() string { return HookBefore }}
	parsed := template.Must(template.New(name).Funcs(funcs).Option("missingkey=error").ParseFS(hookFiles, "hooks/"+name, "hooks/again.sh"))
	var out strings.Builder
	if err := parsed.Execute(&out, value); err != nil {
		panic("templates: embedded hook " + name + ": " + err.Error())
	}
	return out.String()
}

// shellQuote makes one word of any text without NUL.
func shellQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
