package githubtest

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Repo is a repository. Its fields are set before it is used.
type Repo struct {
	Owner, Name string
	Dir         string // the bare repository

	NoDrafts          bool // its plan has no draft pull requests
	ActionsMayApprove bool // its settings let workflows approve
	SquashOnly        bool // its settings allow no other way to merge
	MostFiles         int  // that are listed of a pull request; 0 is 3,000, as on GitHub

	server   *Server
	id       int64
	fork     *Repo // whose fork it is
	old      []string
	gone     bool
	private  bool
	rights   map[string]string
	pulls    []*pull
	statuses []map[string]any    // the newest last
	required map[string][]string // statuses, by branch
	latest   *release
}

// NewRepo makes a repository with branch main and one commit that holds the files.
func (s *Server) NewRepo(owner, name string, files map[string]string) (*Repo, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	dir, err := s.folder(owner, name+".git")
	if err != nil {
		return nil, err
	}
	r := &Repo{Owner: owner, Name: name, Dir: dir, server: s, id: s.id(), rights: map[string]string{owner: "admin"}}
	s.user(owner)
	if _, err := s.git.run(dir, "", "init", "--quiet", "--bare", "--initial-branch=main", "--template="); err != nil {
		return nil, err
	}
	if err := setUp(dir); err != nil {
		return nil, err
	}
	s.repos = append(s.repos, r)
	_, err = r.commit("main", "first", files)
	return r, err
}

// Fork makes a fork, which belongs to somebody else.
func (r *Repo) Fork(owner string) (*Repo, error) {
	s := r.server
	s.mu.Lock()
	defer s.mu.Unlock()
	dir, err := s.folder(owner, r.Name+".git")
	if err != nil {
		return nil, err
	}
	if _, err := s.git.run(s.dir, "", "clone", "--quiet", "--bare", r.Dir, dir); err != nil {
		return nil, err
	}
	s.user(owner)
	f := &Repo{Owner: owner, Name: r.Name, Dir: dir, server: s, id: s.id(), fork: r, rights: map[string]string{owner: "admin"}}
	s.repos = append(s.repos, f)
	return f, setUp(dir)
}

// GitURL is where the repository is cloned from and pushed to over HTTP, with a token as password.
func (r *Repo) GitURL() string { return r.server.URL() + "/" + r.name() + ".git" }

// Allow gives a person a permission: read, triage, write, maintain, admin.
func (r *Repo) Allow(login, level string) {
	r.server.mu.Lock()
	defer r.server.mu.Unlock()
	r.rights[login] = level
}

// Private hides the repository from everybody without a permission.
func (r *Repo) Private() {
	r.server.mu.Lock()
	defer r.server.mu.Unlock()
	r.private = true
}

// Rename gives the repository another name; the old one leads to it.
func (r *Repo) Rename(name string) error {
	r.server.mu.Lock()
	defer r.server.mu.Unlock()
	dir := filepath.Join(r.server.dir, r.Owner, name+".git")
	if err := os.Rename(r.Dir, dir); err != nil {
		return err
	}
	r.old = append(r.old, r.name())
	r.Name, r.Dir = name, dir
	return nil
}

// Delete removes a repository. Pull requests from it lose their head.
func (r *Repo) Delete() {
	r.server.mu.Lock()
	defer r.server.mu.Unlock()
	for _, other := range r.server.repos {
		other.refresh()
	}
	r.gone = true
}

// Protect refuses pushes to a branch.
func (r *Repo) Protect(branch string) error {
	f, err := os.OpenFile(filepath.Join(r.Dir, "protected"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(f, "refs/heads/"+branch); err != nil {
		return err
	}
	return f.Close()
}

// protected says whether pushes to a branch are refused.
func (r *Repo) protected(branch string) bool {
	list, err := os.ReadFile(filepath.Join(r.Dir, "protected"))
	return err == nil && slices.Contains(strings.Split(string(list), "\n"), "refs/heads/"+branch)
}

// Commit puts a commit with these files on top of a branch, which is made from main where it does not exist.
// A file whose content is "" is removed. It returns the commit.
func (r *Repo) Commit(branch, message string, files map[string]string) (string, error) {
	r.server.mu.Lock()
	defer r.server.mu.Unlock()
	return r.commit(branch, message, files)
}

func (r *Repo) commit(branch, message string, files map[string]string) (string, error) {
	g, ref := r.server.git, "refs/heads/"+branch
	parent := g.rev(r.Dir, ref)
	if parent == "" {
		parent = g.rev(r.Dir, "refs/heads/main")
	}
	// One stream for fast-import is one process, however many files there are.
	var b strings.Builder
	fmt.Fprintf(&b, "commit %s\ncommitter GitHub <noreply@github.com> 1767323045 +0000\ndata %d\n%s\n", ref, len(message), message)
	if parent != "" {
		fmt.Fprintf(&b, "from %s\n", parent)
	}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		if files[path] == "" {
			fmt.Fprintf(&b, "D %s\n", path)
			continue
		}
		fmt.Fprintf(&b, "M 100644 inline %s\ndata %d\n%s\n", path, len(files[path]), files[path])
	}
	b.WriteString("\ndone\n")
	if _, err := g.run(r.Dir, b.String(), "fast-import", "--quiet", "--done", "--force"); err != nil {
		return "", err
	}
	return g.rev(r.Dir, ref), nil
}

// SetBranch points a branch at a commit, as a forced push does; "" removes it.
func (r *Repo) SetBranch(branch, commit string) error {
	args := []string{"update-ref", "refs/heads/" + branch, commit}
	if commit == "" {
		args = []string{"update-ref", "-d", "refs/heads/" + branch}
	}
	_, err := r.server.git.run(r.Dir, "", args...)
	return err
}

// Head is the commit of a branch, "" where there is none.
func (r *Repo) Head(branch string) string { return r.server.git.rev(r.Dir, "refs/heads/"+branch) }

func (r *Repo) name() string { return r.Owner + "/" + r.Name }

func (r *Repo) permission(login string) string {
	if level := r.rights[login]; level != "" {
		return level
	}
	if r.private {
		return "none"
	}
	return "read"
}

func (s *Server) find(owner, name string) *Repo {
	for _, r := range s.repos {
		if !r.gone && strings.EqualFold(r.name(), owner+"/"+name) {
			return r
		}
	}
	return nil
}

// follow leads a path to where it is found now: an old name is answered with a redirect to the id.
func (c *call) follow() *answer {
	words := strings.SplitN(strings.TrimPrefix(c.path, "/"), "/", 4)
	for _, r := range c.repos {
		if len(words) > 1 && words[0] == "repositories" && words[1] == fmt.Sprint(r.id) {
			c.path = "/repos/" + r.name() + strings.TrimPrefix(c.path, "/repositories/"+words[1])
			return nil
		}
		if len(words) < 3 || words[0] != "repos" {
			continue
		}
		old := words[1] + "/" + words[2]
		if !slices.ContainsFunc(r.old, func(name string) bool { return strings.EqualFold(name, old) }) {
			continue
		}
		to := c.APIURL() + "/repositories/" + fmt.Sprint(r.id) + strings.TrimPrefix(c.path, "/repos/"+old)
		var query []string
		for key, value := range c.query {
			query = append(query, key+"="+value)
		}
		if len(query) > 0 {
			to += "?" + strings.Join(query, "&")
		}
		return &answer{status: http.StatusMovedPermanently, header: http.Header{"Location": {to}}, body: map[string]any{
			"message": "Moved Permanently", "url": to, "documentation_url": "https://docs.github.com/rest",
		}}
	}
	return nil
}

func (r *Repo) wire() map[string]any {
	return map[string]any{
		"id": r.id, "node_id": fmt.Sprintf("R_%d", r.id), "name": r.Name, "full_name": r.name(), "private": r.private, "fork": r.fork != nil,
		"owner": r.server.user(r.Owner).wire(), "html_url": r.server.URL() + "/" + r.name(), "default_branch": "main",
		"allow_merge_commit": !r.SquashOnly, "allow_squash_merge": true, "allow_rebase_merge": !r.SquashOnly,
	}
}
