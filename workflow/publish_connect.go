package workflow

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agentd/gh-agentd/github"
	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/internal/proc"
)

// connect finds the repository on GitHub, the remote to push to, and a token. It makes no request.
func (p *publishing) connect(ctx context.Context) error {
	remotes, err := p.Repo.Remotes(ctx)
	if err != nil {
		return err
	}
	if p.remote, err = pushRemote(remotes, p.req.Remote); err != nil {
		return err
	}
	if p.target, err = p.repository(p.req.Repo, remotes); err != nil {
		return err
	}
	p.owner = p.forkOwner(remotes)
	p.result.Repository, p.result.Remote = p.target.String(), p.remote
	p.client, err = p.newClient(actionsAccount)
	return err
}

// actionsAccount is who a workflow's own token posts as. Only workflows of the repository itself can,
// so that what is marked as ours there is ours.
const actionsAccount = "github-actions[bot]"

// signIn makes a client, with these options of its caller's own.
func (b *Bench) signIn(target github.Target, o github.Options) (*github.Client, error) {
	token, err := github.FindToken(target, b.getenv)
	if err != nil {
		return nil, err
	}
	secrets := append(valuesOf(secretsOf(b.Environ)), token.Value)
	o.Token, o.Redact = token.Value, proc.NewRedactor(secrets).String
	o.Pause, o.Now, o.UserAgent = b.pause, b.Now, "gh-agentd/"+b.Version
	return github.New(target, o)
}

// newClient makes the client of a publication. The marked reviews of the accounts count as ours.
func (p *publishing) newClient(accounts ...string) (*github.Client, error) {
	return p.signIn(p.target, github.Options{Accounts: accounts, Local: p.localFiles})
}

func (b *Bench) getenv(name string) string { return lookup(b.Environ, name) }

// repository is where the pull request belongs.
func (b *Bench) repository(repo string, remotes []gitops.Remote) (github.Target, error) {
	return github.Resolve(github.Sources{
		Repo: repo, Remotes: githubRemotes(remotes), Getenv: b.getenv, Hosts: github.SignedInHosts(),
	})
}

// forkOwner is whose fork the branch is pushed to, "" where that is the repository of the pull request.
func (p *publishing) forkOwner(remotes []gitops.Remote) string {
	at := slices.IndexFunc(remotes, func(r gitops.Remote) bool { return r.Name == p.remote })
	fork, err := github.Resolve(github.Sources{
		Remotes: githubRemotes(remotes[at : at+1]), Hosts: github.SignedInHosts(),
		Getenv: func(name string) string {
			if name == "GH_REPO" || name == "GITHUB_REPOSITORY" {
				return "" // they name the other side
			}
			return p.getenv(name)
		},
	})
	if err != nil || fork.Host != p.target.Host || strings.EqualFold(fork.Owner, p.target.Owner) {
		return ""
	}
	return fork.Owner
}

func githubRemotes(remotes []gitops.Remote) []github.Remote {
	list := make([]github.Remote, len(remotes))
	for i, r := range remotes {
		list[i] = github.Remote{Name: r.Name, URL: r.URL}
	}
	return list
}

// pushRemote is the remote that was named, or the main one.
func pushRemote(remotes []gitops.Remote, named string) (string, error) {
	if len(remotes) == 0 {
		return "", &NoRemoteError{}
	}
	if named == "" {
		return mainRemote(remotes), nil
	}
	for _, r := range remotes {
		if r.Name == named {
			return named, nil
		}
	}
	return "", &NoRemoteError{Name: named}
}

// NoRemoteError says that there is nothing to push to.
type NoRemoteError struct{ Name string } // "" where there is none at all

func (e *NoRemoteError) Error() string {
	if e.Name == "" {
		return "nothing to push to: this repository has no remote"
	}
	return fmt.Sprintf("there is no remote %q", e.Name)
}

// Hint names the next command.
func (e *NoRemoteError) Hint() string {
	if e.Name == "" {
		return "`gh repo create --source .`, or `git remote add origin <url>`"
	}
	return "git remote"
}

// pause waits where GitHub asks for it, and says so.
func (b *Bench) pause(ctx context.Context, wait github.Pause) error {
	b.Say.Note(fmt.Sprintf("GitHub: %s, going on in %s (try %d of %d)", wait.Why, wait.For.Round(time.Second), wait.Try, wait.Most))
	b.Say.Wait(b.Now().Add(wait.For))
	return wait.Sleep(ctx)
}
