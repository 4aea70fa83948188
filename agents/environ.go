package agents

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentd/gh-agentd/internal/proc"
)

// allowed are the variables that every agent gets: who and where one is, language, terminal, certificates, the way out.
// A name that ends in * stands for all that begin so.
var allowed = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "LC_*", "TERM", "COLORTERM", "NO_COLOR", "TZ",
	"TMPDIR", "TMP", "TEMP", "XDG_*",
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "no_proxy", "all_proxy",
	"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS",
	"SYSTEMROOT", "SYSTEMDRIVE", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "PATHEXT", "COMSPEC",
	proc.MarkVariable,
}

// forbidden never reach an agent, whatever a configuration asks for:
// with them it could speak to GitHub in the person's name, or redirect git.
var forbidden = []string{
	"GH_TOKEN", "GITHUB_TOKEN", "GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN", "ACTIONS_*",
	"GIT_*", "SSH_AUTH_SOCK", "SSH_AGENT_PID", "SSH_ASKPASS", "GCM_*",
}

// Forbidden are the variables that never reach an agent. A name that ends in * stands for all that begin so.
func Forbidden() []string { return slices.Clone(forbidden) }

// noPasswords makes git forget the person's credential helpers, and the header with which checkouts in Actions sign in:
// it reads this last, and an empty value takes all others back.
// It is not said by GIT_CONFIG_COUNT and its pairs, for Codex keeps variables with KEY in their names from its shell,
// and git refuses to work with what is left of them.
const noPasswords = "GIT_CONFIG_PARAMETERS='credential.helper=' 'http.https://github.com/.extraheader='"

// environment is what an agent is started with: the allowed part of the caller's variables, those it signs in with,
// those of the invocation, and ours. Of variables set twice the later one holds.
func environment(r Request, keys, extra []string) []string {
	var env []string
	for _, entry := range r.Environ {
		name, _, ok := strings.Cut(entry, "=")
		if ok && name != "" && !matches(name, forbidden) && (matches(name, allowed) || matches(name, keys)) {
			env = append(env, entry)
		}
	}
	for _, entry := range extra {
		if name, _, ok := strings.Cut(entry, "="); ok && !matches(name, forbidden) {
			env = append(env, entry)
		}
	}
	bin := r.Bin
	if bin == "" && r.Tools != nil {
		bin = r.Tools.Command
	}
	return lastWins(append(env, noPasswords, "GIT_TERMINAL_PROMPT=0",
		"GH_CONFIG_DIR="+filepath.Join(r.CallDir, "gh"), // there is none: `gh auth token` has nothing to tell
		"AGENTD_RUN="+r.RunDir, "AGENTD_BIN="+bin, "AGENTD_CHANGE="+r.Change, "AGENTD_STEP="+r.Step))
}

func matches(name string, patterns []string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		prefix, open := strings.CutSuffix(pattern, "*")
		return name == pattern || open && strings.HasPrefix(name, prefix)
	})
}

// lastWins removes all but the last entry of each name: programs disagree about which of two they see.
func lastWins(env []string) []string {
	last := make(map[string]int, len(env))
	for i, entry := range env {
		name, _, _ := strings.Cut(entry, "=")
		last[name] = i
	}
	out := env[:0]
	for i, entry := range env {
		if name, _, _ := strings.Cut(entry, "="); last[name] == i {
			out = append(out, entry)
		}
	}
	return out
}

// lookup is the value of a variable, or empty.
func lookup(environ []string, name string) string {
	for _, entry := range slices.Backward(environ) {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}

// secretsIn are the values of variables whose names say that they are secret.
func secretsIn(environ []string) []string {
	var values []string
	for _, secret := range proc.SecretsIn(environ) {
		values = append(values, secret.Value)
	}
	return values
}
