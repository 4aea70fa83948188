package gitops

import (
	"encoding/base64"
	"fmt"
	"strconv"
)

// SignedIn is the repository whose conversations with a server carry a token, as those of actions/checkout do:
// in a header of HTTP, for that server alone. Other commands, and whatever they start, know nothing of it.
// It stands in the environment of git, never in a file or on a command line.
func (r *Repo) SignedIn(server, token string) *Repo {
	count := 0
	if text, ok := lookup(r.caller, "GIT_CONFIG_COUNT"); ok { // what the caller says with `git -c` goes on to hold
		count, _ = strconv.Atoi(text)
	}
	key := "http." + server + "/.extraheader"
	basic := base64.StdEncoding.EncodeToString([]byte("x-access-token:" + token))
	in := *r
	in.credentials = []string{"GIT_CONFIG_COUNT=" + strconv.Itoa(count+2)}
	// The empty value takes back a header that the checkout kept: GitHub refuses two.
	for i, value := range []string{"", "AUTHORIZATION: basic " + basic} {
		in.credentials = append(in.credentials,
			fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", count+i, key), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", count+i, value))
	}
	return &in
}

// As is the repository in which commits that we make are by the given author, whatever git is configured to.
func (r *Repo) As(name, email string) *Repo {
	as := *r
	as.settle(append(without(r.caller, locationVars),
		"GIT_AUTHOR_NAME="+name, "GIT_AUTHOR_EMAIL="+email, "GIT_COMMITTER_NAME="+name, "GIT_COMMITTER_EMAIL="+email))
	return &as
}
