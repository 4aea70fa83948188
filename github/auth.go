package github

import (
	"strings"

	"github.com/cli/go-gh/v2/pkg/auth"
)

// Hosts are the GitHubs that gh is signed in to.
type Hosts struct {
	Default string   // which one is meant where nothing names one
	Known   []string // all of them
}

// SignedInHosts asks gh's files.
// It and [FindToken] are the only places that reach past the values they are given:
// go-gh reads the environment of the process and gh's hosts.yml, and starts `gh auth token` for what a keyring keeps.
func SignedInHosts() Hosts {
	host, _ := auth.DefaultHost()
	known := auth.KnownHosts()
	for i := range known {
		known[i] = strings.ToLower(known[i])
	}
	return Hosts{Default: strings.ToLower(host), Known: known}
}

// Token is a token and where it was found.
type Token struct{ Value, Source string }

// FindToken finds the token for a host, by gh's rules:
// GH_TOKEN and GITHUB_TOKEN are for github.com and ghe.com, GH_ENTERPRISE_TOKEN and GITHUB_ENTERPRISE_TOKEN for all others,
// then comes what gh stored. In Actions, GITHUB_TOKEN is also the token of the server that runs the workflow.
// Without one, the error is a *SignInError.
func FindToken(t Target, getenv func(string) string) (Token, error) {
	names := []string{"GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN"}
	if isGitHub(t.Host) {
		names = []string{"GH_TOKEN", "GITHUB_TOKEN"}
	} else if server, err := serverOf(getenv); err == nil && getenv("GITHUB_ACTIONS") == "true" && server.host == t.Host {
		names = append(names, "GITHUB_TOKEN")
	}
	for _, name := range names {
		if value := getenv(name); value != "" {
			return Token{Value: value, Source: name}, nil
		}
	}
	if value, source := auth.TokenForHost(t.Host); value != "" {
		return Token{Value: value, Source: source}, nil
	}
	return Token{}, &SignInError{Host: t.Host}
}
