package github

import (
	"cmp"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/cli/go-gh/v2/pkg/repository"
)

// Target is one repository on one GitHub.
type Target struct {
	Host        string // lower case, without a port: github.com
	Owner, Repo string
	APIURL      string // of REST, ends in a slash
	GraphQLURL  string
	ServerURL   string // where people look at it, without a slash at the end
}

// String is [HOST/]OWNER/REPO, as gh writes it.
func (t Target) String() string {
	if t.Host == publicHost {
		return t.Owner + "/" + t.Repo
	}
	return t.Host + "/" + t.Owner + "/" + t.Repo
}

// WebURL is the repository's page.
func (t Target) WebURL() string { return t.ServerURL + "/" + t.Owner + "/" + t.Repo }

// Permalink is the page of a file, or of a line of it where line is above 0, at a commit.
func (t Target) Permalink(commit, path string, line int) string {
	segments := strings.Split(path, "/")
	for i, s := range segments {
		segments[i] = url.PathEscape(s)
	}
	link := t.WebURL() + "/blob/" + commit + "/" + strings.Join(segments, "/")
	if line > 0 {
		link += fmt.Sprintf("#L%d", line)
	}
	return link
}

// Remote is a remote of the clone.
type Remote struct{ Name, URL string }

// Sources are where a target can come from, the first that says something decides:
// Repo, GH_REPO, GITHUB_REPOSITORY in Actions, Remotes.
type Sources struct {
	Repo    string              // what the caller was told: [HOST/]OWNER/REPO or a URL
	Remotes []Remote            // upstream, github and origin come first, as in gh
	Getenv  func(string) string // required
	Hosts   Hosts
}

const publicHost = "github.com"

// Resolve finds the repository. A *NoRepositoryError says that none of the sources names one,
// a *TargetError that one of them cannot be used.
func Resolve(s Sources) (Target, error) {
	host := cmp.Or(s.Getenv("GH_HOST"), s.Hosts.Default, publicHost)
	server, err := serverOf(s.Getenv)
	if err != nil {
		return Target{}, err
	}
	if server.host != "" && s.Getenv("GH_HOST") == "" {
		host = server.host
	}
	named := []struct{ from, repo string }{{"--repo", s.Repo}, {"GH_REPO", s.Getenv("GH_REPO")}}
	if s.Getenv("GITHUB_ACTIONS") == "true" {
		named = append(named, struct{ from, repo string }{"GITHUB_REPOSITORY", s.Getenv("GITHUB_REPOSITORY")})
	}
	for _, n := range named {
		if n.repo == "" {
			continue
		}
		found, err := repository.ParseWithHost(n.repo, host)
		if err != nil {
			return Target{}, &TargetError{From: n.from, Value: n.repo, Reason: err.Error()}
		}
		return target(n.from, found, server, s.Getenv)
	}
	for _, r := range byPreference(s.Remotes) {
		found, ok := fromRemote(r.URL)
		if !ok || !(isGitHub(found.Host) || found.Host == server.host || found.Host == host || slices.Contains(s.Hosts.Known, found.Host)) {
			continue
		}
		return target("remote "+r.Name, found, server, s.Getenv)
	}
	return Target{}, &NoRepositoryError{Remotes: s.Remotes}
}

// part is what GitHub allows in names of owners and repositories; it keeps a name from becoming a path.
var part = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,100}$`)

func target(from string, r repository.Repository, server server, getenv func(string) string) (Target, error) {
	for _, name := range []string{r.Owner, r.Name} {
		if !part.MatchString(name) || name == "." || name == ".." {
			return Target{}, &TargetError{From: from, Value: r.Owner + "/" + r.Name, Reason: fmt.Sprintf("%q is no name of an owner or a repository", name)}
		}
	}
	t := Target{Host: strings.ToLower(r.Host), Owner: r.Owner, Repo: r.Name}
	if h, _, err := net.SplitHostPort(t.Host); err == nil {
		t.Host = h
	}
	t.ServerURL, t.APIURL, t.GraphQLURL = endpoints(t.Host)
	if server.host != "" && server.host != t.Host {
		return t, nil // the variables speak about another GitHub
	}
	if server.url != "" {
		t.ServerURL = server.url
	}
	if api := getenv("GITHUB_API_URL"); api != "" {
		if err := safeURL("GITHUB_API_URL", api); err != nil {
			return Target{}, err
		}
		t.APIURL = strings.TrimSuffix(api, "/") + "/"
		t.GraphQLURL = graphQLOf(t.APIURL)
	}
	if graph := getenv("GITHUB_GRAPHQL_URL"); graph != "" && getenv("GITHUB_API_URL") != "" {
		if err := safeURL("GITHUB_GRAPHQL_URL", graph); err != nil {
			return Target{}, err
		}
		t.GraphQLURL = graph
	}
	return t, nil
}

// server is what GITHUB_SERVER_URL says.
type server struct{ url, host string }

func serverOf(getenv func(string) string) (server, error) {
	text := strings.TrimSuffix(getenv("GITHUB_SERVER_URL"), "/")
	if text == "" {
		return server{}, nil
	}
	if err := safeURL("GITHUB_SERVER_URL", text); err != nil {
		return server{}, err
	}
	u, err := url.Parse(text)
	if err != nil {
		return server{}, &TargetError{From: "GITHUB_SERVER_URL", Value: text, Reason: err.Error()}
	}
	return server{url: text, host: strings.ToLower(u.Hostname())}, nil
}

// endpoints are where a host keeps pages, REST and GraphQL.
func endpoints(host string) (web, api, graph string) {
	web = "https://" + host
	switch {
	case host == publicHost || strings.HasSuffix(host, ".ghe.com"):
		return web, "https://api." + host + "/", "https://api." + host + "/graphql"
	case host == "github.localhost":
		return "http://" + host, "http://api." + host + "/", "http://api." + host + "/graphql"
	}
	return web, web + "/api/v3/", web + "/api/graphql"
}

func graphQLOf(api string) string {
	if server, ok := strings.CutSuffix(api, "/api/v3/"); ok {
		return server + "/api/graphql"
	}
	return api + "graphql"
}

// safeURL refuses what would carry a token in the clear, or somewhere unexpected.
func safeURL(from, text string) error {
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return &TargetError{From: from, Value: text, Reason: "it is no URL"}
	case u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return &TargetError{From: from, Value: u.Redacted(), Reason: "want https://HOST[:PORT][/PATH] and nothing else"}
	case u.Scheme == "https", u.Scheme == "http" && isLoopback(u.Hostname()):
		return nil
	}
	return &TargetError{From: from, Value: text, Reason: "it would carry the token unencrypted; want https"}
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || ip != nil && ip.IsLoopback()
}

func isGitHub(host string) bool {
	return host == publicHost || host == "github.localhost" || strings.HasSuffix(host, ".ghe.com")
}

func byPreference(remotes []Remote) []Remote {
	rank := func(name string) int {
		if i := slices.Index([]string{"upstream", "github", "origin"}, strings.ToLower(name)); i >= 0 {
			return i
		}
		return 3
	}
	sorted := slices.Clone(remotes)
	slices.SortStableFunc(sorted, func(a, b Remote) int { return cmp.Compare(rank(a.Name), rank(b.Name)) })
	return sorted
}

// scp is git's short form of an ssh URL.
var scp = regexp.MustCompile(`^([A-Za-z0-9_.-]+@)?([A-Za-z0-9_.-]{2,}):([^/\\:].*)$`)

// fromRemote reads a remote's URL; a path is no repository on GitHub.
func fromRemote(remote string) (repository.Repository, bool) {
	if m := scp.FindStringSubmatch(remote); m != nil && !strings.Contains(remote, "://") {
		remote = "ssh://" + m[1] + m[2] + "/" + m[3]
	}
	if !strings.Contains(remote, "://") {
		return repository.Repository{}, false
	}
	found, err := repository.ParseWithHost(remote, "")
	if err != nil {
		return repository.Repository{}, false
	}
	found.Host = strings.ToLower(found.Host)
	if found.Host == "ssh."+publicHost { // ssh over port 443
		found.Host = publicHost
	}
	return found, true
}
