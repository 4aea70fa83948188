package githubtest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vektah/gqlparser/v2/ast"
)

// Server is one GitHub.
type Server struct {
	http *httptest.Server
	dir  string // where its repositories are
	git  git

	mu       sync.Mutex
	spec     *description
	graphQL  *ast.Schema
	seq      int64 // ids and the clock
	users    map[string]*user
	tokens   map[string]token
	repos    []*Repo
	faults   []*fault
	requests []Request
	problems []string
	released chan struct{} // closed when the server stops, for requests that hang
}

// New starts a GitHub that keeps its repositories below a folder. Close stops it.
func New(dir string) (*Server, error) {
	spec, err := loadDescription()
	if err != nil {
		return nil, err
	}
	graphQL, err := loadGraphQL()
	if err != nil {
		return nil, err
	}
	s := &Server{dir: dir, spec: spec, graphQL: graphQL, users: map[string]*user{}, tokens: map[string]token{}, released: make(chan struct{})}
	if s.git, err = findGit(dir); err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/api/v3/", s.serveREST)
	mux.HandleFunc("/api/graphql", s.serveGraphQL)
	mux.HandleFunc("/", s.serveGit)
	mux.HandleFunc("/releases/", s.serveAsset)
	s.http = httptest.NewServer(mux)
	return s, nil
}

// Socket also serves github.com on a Unix socket, as the setting http_unix_socket of gh wants it. Close ends that too.
func (s *Server) Socket(path string) error {
	listener, err := net.Listen("unix", path)
	if err != nil {
		return err
	}
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Host == "api.github.com" {
			r.URL.Path = "/api/v3" + r.URL.Path
		}
		s.http.Config.Handler.ServeHTTP(w, r)
	})}
	go func() {
		<-s.released
		_ = server.Close()
	}()
	go func() { _ = server.Serve(listener) }() // it ends with an error, always
	return nil
}

// Start is New for a test, which fails where a request or an answer was not what GitHub's description says.
func Start(t testing.TB) *Server {
	t.Helper()
	s, err := New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.Close()
		for _, p := range s.Problems() {
			t.Errorf("not GitHub's wire: %s", p)
		}
	})
	return s
}

// Close stops the server.
func (s *Server) Close() {
	close(s.released)
	s.http.CloseClientConnections()
	s.http.Close()
}

// URL is where its pages would be, and below it its git: what GITHUB_SERVER_URL says.
func (s *Server) URL() string { return s.http.URL }

// APIURL is what GITHUB_API_URL says. It has a path, so that a client which forgets it is found out.
func (s *Server) APIURL() string { return s.http.URL + "/api/v3" }

// Problems are requests and answers that do not fit GitHub's description.
func (s *Server) Problems() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.problems)
}

// id is the next number. One sequence for everything, as ids on GitHub tell nothing about their kind.
func (s *Server) id() int64 {
	s.seq++
	return s.seq
}

// now is a clock that goes on with what happens.
func (s *Server) now() string {
	s.seq++
	return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC).Add(time.Duration(s.seq) * time.Second).Format(time.RFC3339)
}

// call is one request to REST or GraphQL.
type call struct {
	*Server
	op     string // operation id, or "graphql/" and the field
	method string
	path   string // below the API
	header http.Header
	query  map[string]string
	params map[string]string // of the path
	body   map[string]any
	raw    []byte
	token  token
}

// answer is what is said to it.
type answer struct {
	status int
	header http.Header
	body   any // nil is none
}

func (s *Server) serveREST(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimPrefix(r.URL.EscapedPath(), "/api/v3")
	c := &call{Server: s, method: r.Method, path: path, header: r.Header, query: map[string]string{}}
	for key, values := range r.URL.Query() {
		c.query[key] = values[0]
	}
	if !c.read(w, r) {
		return
	}
	s.mu.Lock()
	original := c.path
	moved := c.follow()
	op, params := s.spec.route(c.method, c.path)
	c.params = params
	if op != nil {
		c.op = op.ID
	}
	c.path = original
	s.mu.Unlock()
	s.serve(w, r, c, func() answer {
		switch {
		case op == nil:
			s.problems = append(s.problems, fmt.Sprintf("no operation of ours: %s %s", c.method, c.path))
			return failure(http.StatusNotFound, "Not Found")
		case c.token.login == "":
			return failure(http.StatusUnauthorized, "Bad credentials")
		case moved != nil && c.method == http.MethodGet:
			return *moved
		case moved != nil:
			moved.status = http.StatusTemporaryRedirect
			return *moved
		}
		s.problems = append(s.problems, s.spec.checkRequest(op, c)...)
		a := c.dispatch()
		a.body = s.spec.fill(op, a.status, a.body, s.APIURL())
		s.problems = append(s.problems, s.spec.checkAnswer(op, a)...)
		return a
	})
}

// read takes in the body and who asks.
func (c *call) read(w http.ResponseWriter, r *http.Request) bool {
	data, err := io.ReadAll(io.LimitReader(r.Body, 8<<20))
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return false
	}
	c.raw = data
	c.Server.mu.Lock()
	defer c.Server.mu.Unlock()
	if len(data) > 0 {
		if err := json.Unmarshal(data, &c.body); err != nil {
			c.problems = append(c.problems, fmt.Sprintf("%s %s: body: %v", r.Method, r.URL.Path, err))
		}
	}
	scheme, value, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if strings.EqualFold(scheme, "token") || strings.EqualFold(scheme, "bearer") {
		c.token = c.tokens[value]
	}
	return true
}

// serve does the work between the faults, and keeps what was asked.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, c *call, work func() answer) {
	s.mu.Lock()
	fault := s.faultFor(c.op)
	if fault != nil && fault.kind.until != nil {
		s.mu.Unlock()
		select {
		case <-fault.kind.until:
		case <-s.released:
		}
		s.mu.Lock()
	}
	var a answer
	if fault == nil || fault.kind.works() {
		a = work()
	}
	if fault != nil && fault.kind.status > 0 {
		a = fault.kind.answer()
	}
	record := Request{Op: c.op, Method: c.method, Path: c.path, Query: c.query, Body: json.RawMessage(c.raw), Login: c.token.login, Status: a.status}
	s.requests = append(s.requests, record)
	s.mu.Unlock()
	if fault != nil && fault.kind.kill != nil {
		fault.kind.kill()
	}
	if fault != nil && fault.kind.hangs {
		select {
		case <-r.Context().Done():
		case <-s.released:
		}
		return
	}
	if fault != nil && fault.kind.cuts != whole {
		cut(w, fault.kind.cuts, a)
		return
	}
	write(w, a)
}

func write(w http.ResponseWriter, a answer) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("X-GitHub-Media-Type", "github.v3; format=json")
	for key, values := range a.header {
		w.Header()[key] = values
	}
	var data []byte
	switch body := a.body.(type) {
	case nil:
	case string:
		w.Header().Set("Content-Type", "text/html")
		data = []byte(body)
	default:
		data, _ = json.Marshal(a.body) // maps of texts and numbers
	}
	w.Header().Set("Content-Length", fmt.Sprint(len(data)))
	w.WriteHeader(a.status)
	_, _ = w.Write(data) // whoever asked may be gone
}

func ok(body any) answer { return answer{status: http.StatusOK, body: body} }

// failure is an error as GitHub writes it; details are plain texts.
func failure(status int, message string, details ...string) answer {
	body := map[string]any{"message": message, "documentation_url": "https://docs.github.com/rest"}
	if len(details) > 0 {
		list := make([]any, len(details))
		for i, d := range details {
			list[i] = d
		}
		body["errors"] = list
	}
	return answer{status: status, body: body}
}

func unprocessable(details ...string) answer {
	return failure(http.StatusUnprocessableEntity, "Unprocessable Entity", details...)
}

// invalid is the other shape of a 422: an object for each detail.
func invalid(resource, message string) answer {
	return answer{status: http.StatusUnprocessableEntity, body: map[string]any{
		"message": "Validation Failed", "documentation_url": "https://docs.github.com/rest",
		"errors": []any{map[string]any{"resource": resource, "code": "custom", "message": message}},
	}}
}

// Request is one request that was made.
type Request struct {
	Op     string // GitHub's operation id, such as "pulls/create-review", or "graphql/" and the field
	Method string
	Path   string
	Query  map[string]string
	Body   json.RawMessage
	Login  string // "" without a valid token
	Status int    // of the answer that was, or would have been, sent; 0 where nothing was done
}

// Requests are all requests of the API since the last time they were asked for.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	taken := s.requests
	s.requests = nil
	return taken
}

// Writes are the operations among Requests that could change something, in order.
func (s *Server) Writes() []string {
	var ops []string
	for _, r := range s.Requests() {
		query := r.Op == "graphql/viewer" || r.Op == "graphql/nodes"
		if r.Method != http.MethodGet && !query {
			ops = append(ops, cmp.Or(r.Op, r.Method+" "+r.Path))
		}
	}
	return ops
}

// folder makes a folder of the server's.
func (s *Server) folder(names ...string) (string, error) {
	dir := filepath.Join(append([]string{s.dir}, names...)...)
	return dir, os.MkdirAll(dir, 0o777)
}
