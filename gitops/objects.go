package gitops

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/agentd/gh-agentd/internal/proc"
)

// The largest objects that are read into memory. Larger ones are a [*TooLargeError].
const (
	MaxCommit = 4 << 20
	MaxTree   = 64 << 20
	MaxBlob   = 64 << 20
)

// TooLargeError says that an object is larger than we read.
type TooLargeError struct {
	Name        string
	Size, Limit int64
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("%s has %d bytes, at most %d are read", e.Name, e.Size, e.Limit)
}

// Objects reads objects through one running `git cat-file`.
// It has one owner: no two goroutines may use it at the same time, for a half-read answer would become the next one's.
// The owner closes it.
type Objects struct {
	repo   *Repo
	git    *proc.Process
	out    *bufio.Reader
	unbind func() bool // ends what ctx can do to the process; false if it has done it
	broken error       // once the conversation is out of step, every call says so
}

// Objects starts a reader that lives until Close or until ctx ends.
// It also sees what is written after its start.
// Under a [Lock] it takes the one that was closed before, if there is one.
func (r *Repo) Objects(ctx context.Context) (*Objects, error) {
	o := r.spare.take()
	if o != nil && !o.answers() { // somebody ended it meanwhile, such as an agent that ends every git
		_ = o.git.Close()
		o = nil
	}
	if o == nil {
		git, err := proc.Start(context.WithoutCancel(ctx), r.command(call{args: []string{"cat-file", "--batch-command", "-z"}}))
		if err != nil {
			return nil, err
		}
		o = &Objects{repo: r, git: git, out: bufio.NewReaderSize(git.Stdout, 64<<10)}
	}
	o.unbind = context.AfterFunc(ctx, o.git.Terminate)
	return o, nil
}

// Close ends the process, or under a [Lock] keeps it for the next reader.
func (o *Objects) Close() error {
	if free := o.unbind(); free && o.broken == nil && o.repo.spare.keep(o) {
		o.broken = errClosed
		return nil
	}
	o.broken = cmp.Or(o.broken, errClosed)
	return o.git.Close()
}

// answers says whether git is still there.
func (o *Objects) answers() bool {
	_, _, _, err := o.Kind(string(o.repo.emptyTree()))
	return err == nil || errors.Is(err, ErrNotFound)
}

var errClosed = errors.New("objects: closed")

// spare is the reader that nobody uses at the moment: starting git is what costs when little is read at a time.
// A nil spare keeps none.
type spare struct {
	mu     sync.Mutex
	reader *Objects
	closed bool
}

func (s *spare) take() *Objects {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.reader
	s.reader = nil
	return o
}

// keep takes over the process of o, unless there is a spare one already.
func (s *spare) keep(o *Objects) bool {
	if s == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reader != nil || s.closed {
		return false
	}
	kept := *o
	s.reader = &kept
	return true
}

// close ends the spare reader, and every later one with its own Close.
func (s *spare) close() error {
	s.mu.Lock()
	o := s.reader
	s.reader, s.closed = nil, true
	s.mu.Unlock()
	if o == nil {
		return nil
	}
	return o.git.Close()
}

// Commit reads a commit, as it was written: no replacement, no graft, no re-encoding.
func (o *Objects) Commit(id ID) (Commit, error) {
	raw, err := o.object(id, "commit", MaxCommit)
	if err != nil {
		return Commit{}, err
	}
	return decodeCommit(id, raw)
}

// CommitAt reads the commit that a revision names, such as a branch's full name.
func (o *Objects) CommitAt(rev string) (Commit, error) {
	id, kind, raw, err := o.Lookup(rev)
	if err != nil {
		return Commit{}, err
	}
	if kind != "commit" {
		return Commit{}, fmt.Errorf("%q is a %s, not a commit", rev, kind)
	}
	return decodeCommit(id, raw)
}

// Tree reads the entries of a tree, in git's order. The empty tree has none, whether or not it is stored.
func (o *Objects) Tree(id ID) ([]Entry, error) {
	if id == o.repo.emptyTree() {
		return nil, nil
	}
	raw, err := o.object(id, "tree", MaxTree)
	if err != nil {
		return nil, err
	}
	return decodeTree(id, raw)
}

// TreeAt reads the tree that a revision names, most often "<commit>:<path>", with its entries.
// The error matches [ErrNotFound] if there is no such thing.
func (o *Objects) TreeAt(rev string) (ID, []Entry, error) {
	id, kind, raw, err := o.Lookup(rev)
	if err != nil {
		return "", nil, err
	}
	if kind != "tree" {
		return "", nil, fmt.Errorf("%q is a %s, not a tree", rev, kind)
	}
	entries, err := decodeTree(id, raw)
	return id, entries, err
}

// Blob reads the content of a file as it is stored, before any filter.
func (o *Objects) Blob(id ID) ([]byte, error) { return o.object(id, "blob", MaxBlob) }

// askedTogether is how many requests git is sent before the first answer is read:
// all of them fit into the smallest pipe, so that neither side ever waits for the other to read.
const askedTogether = 50

// Blobs reads several files. Git looks for the next one while this one is taken over:
// of many small files, waiting for each answer is what costs.
func (o *Objects) Blobs(ids []ID) ([][]byte, error) {
	all := make([][]byte, 0, len(ids))
	for some := range slices.Chunk(ids, askedTogether) {
		var requests strings.Builder
		for _, id := range some {
			if id.IsZero() {
				return nil, fmt.Errorf("blob without a name: %w", ErrNotFound)
			}
			requests.WriteString("contents " + string(id) + "\x00")
		}
		if err := o.send(requests.String()); err != nil {
			return nil, err
		}
		var failed error // the answers behind a failure are still to be read
		for _, id := range some {
			content, err := o.content(id, "blob", MaxBlob)
			if failed == nil {
				failed = err
			}
			all = append(all, content)
		}
		if failed != nil {
			return nil, failed
		}
	}
	return all, nil
}

// Lookup reads what a revision names, most often "<commit>:<path>" with a path from the top.
// Symbolic links on the path are not followed. The error matches [ErrNotFound] if there is no such thing.
func (o *Objects) Lookup(rev string) (id ID, kind string, content []byte, err error) {
	id, kind, size, err := o.ask("contents", rev)
	if err != nil {
		return "", "", nil, err
	}
	content, err = o.body(rev, size, limitOf(kind))
	return id, kind, content, err
}

// Kind is the type of an object ("commit", "tree", "blob" or "tag") and its size, without its content.
func (o *Objects) Kind(rev string) (id ID, kind string, size int64, err error) {
	return o.ask("info", rev)
}

// FirstParents walks from tip along first parents, newest first.
// At the end of a shallow history the error matches [ErrNotFound].
func (o *Objects) FirstParents(tip ID) iter.Seq2[Commit, error] {
	return func(yield func(Commit, error) bool) {
		for id := tip; ; {
			commit, err := o.Commit(id)
			if !yield(commit, err) || err != nil || len(commit.Parents) == 0 {
				return
			}
			id = commit.Parents[0]
		}
	}
}

func (o *Objects) object(id ID, kind string, limit int64) ([]byte, error) {
	if id.IsZero() {
		return nil, fmt.Errorf("%s without a name: %w", kind, ErrNotFound)
	}
	if err := o.send("contents " + string(id) + "\x00"); err != nil {
		return nil, err
	}
	return o.content(id, kind, limit)
}

// content reads the answer to a request for the content of an object.
func (o *Objects) content(id ID, kind string, limit int64) ([]byte, error) {
	_, have, size, err := o.head(string(id))
	if err != nil {
		return nil, err
	}
	raw, err := o.body(string(id), size, limit)
	if err == nil && have != kind {
		return nil, fmt.Errorf("%s is a %s, not a %s", id.Short(), have, kind)
	}
	return raw, err
}

// ask sends one request and reads the line that begins its answer.
func (o *Objects) ask(verb, name string) (ID, string, int64, error) {
	if name == "" || strings.ContainsRune(name, 0) {
		return "", "", 0, fmt.Errorf("object %q: %w", name, ErrNotFound)
	}
	if err := o.send(verb + " " + name + "\x00"); err != nil {
		return "", "", 0, err
	}
	return o.head(name)
}

func (o *Objects) send(requests string) error {
	if o.broken != nil {
		return o.broken
	}
	if _, err := io.WriteString(o.git.Stdin, requests); err != nil {
		return o.fail(err)
	}
	return nil
}

// head reads the line that begins an answer: "<id> <type> <size>", or "<request> missing".
func (o *Objects) head(name string) (ID, string, int64, error) {
	if o.broken != nil {
		return "", "", 0, o.broken
	}
	// The request comes back in the answer when nothing is found, with its line breaks.
	var head string
	for range 1 + strings.Count(name, "\n") {
		text, err := o.out.ReadString('\n')
		if err != nil {
			return "", "", 0, o.fail(err)
		}
		head += text
		if id, kind, size, ok := parseHead(head); ok {
			return id, kind, size, nil
		}
	}
	return "", "", 0, fmt.Errorf("object %q: %w", name, ErrNotFound)
}

func parseHead(head string) (id ID, kind string, size int64, ok bool) {
	words := strings.Split(strings.TrimSuffix(head, "\n"), " ")
	if len(words) != 3 {
		return "", "", 0, false
	}
	id, errID := parseID(words[0])
	size, errSize := strconv.ParseInt(words[2], 10, 64)
	return id, words[1], size, errID == nil && errSize == nil
}

// body reads what follows the head. What is too large is read past, so that the next answer is the next one.
func (o *Objects) body(name string, size, limit int64) ([]byte, error) {
	if size > limit {
		if _, err := io.CopyN(io.Discard, o.out, size+1); err != nil {
			return nil, o.fail(err)
		}
		return nil, &TooLargeError{Name: name, Size: size, Limit: limit}
	}
	content := make([]byte, size+1)
	if _, err := io.ReadFull(o.out, content); err != nil {
		return nil, o.fail(err)
	}
	return content[:size:size], nil
}

func (o *Objects) fail(err error) error {
	o.broken = fmt.Errorf("read objects: %w", err)
	if said := strings.TrimSpace(proc.Clean(string(o.git.Stderr()))); said != "" {
		o.broken = &GitError{Args: []string{"cat-file"}, Code: -1, Stderr: said}
	}
	return o.broken
}

func limitOf(kind string) int64 {
	switch kind {
	case "commit", "tag":
		return MaxCommit
	case "tree":
		return MaxTree
	default:
		return MaxBlob
	}
}
