package gitops

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
)

// decodeCommit reads a commit object with go-git.
// The names of tree and parents are read here, for v5 knows only names of 20 bytes.
func decodeCommit(id ID, raw []byte) (Commit, error) {
	c := Commit{ID: id}
	rest := raw
	for len(rest) > 0 {
		head, after, _ := bytes.Cut(rest, []byte("\n"))
		key, value, _ := strings.Cut(string(head), " ")
		if key != "tree" && key != "parent" {
			break
		}
		name, err := parseID(value)
		if err != nil {
			return Commit{}, fmt.Errorf("commit %s: %s %w", id.Short(), key, err)
		}
		if key == "tree" {
			c.Tree = name
		} else {
			c.Parents = append(c.Parents, name)
		}
		rest = after
	}
	if len(id) == sha256.Size*2 {
		raw = append([]byte("tree "+plumbing.ZeroHash.String()+"\n"), rest...)
	}
	var decoded object.Commit
	if err := decoded.Decode(memoryObject(plumbing.CommitObject, id, raw)); err != nil {
		return Commit{}, fmt.Errorf("commit %s: %w", id.Short(), err)
	}
	c.Author, c.Committer = Signature(decoded.Author), Signature(decoded.Committer)
	c.Message = decoded.Message
	return c, nil
}

// decodeTree reads the entries of a tree object.
func decodeTree(id ID, raw []byte) ([]Entry, error) {
	if len(id) == sha256.Size*2 {
		return decodeWideTree(id, raw)
	}
	var tree object.Tree
	if err := tree.Decode(memoryObject(plumbing.TreeObject, id, raw)); err != nil {
		return nil, fmt.Errorf("tree %s: %w", id.Short(), err)
	}
	entries := make([]Entry, len(tree.Entries))
	for i, e := range tree.Entries {
		entries[i] = Entry{Name: e.Name, Mode: Mode(e.Mode), ID: ID(e.Hash.String())}
	}
	return entries, nil
}

// encodeTree is the content of a tree object with these entries, in whatever order they come.
func (r *Repo) encodeTree(entries []Entry) ([]byte, error) {
	sorted := slices.SortedFunc(slices.Values(entries), func(a, b Entry) int {
		return cmp.Compare(sortName(a), sortName(b))
	})
	for i, e := range sorted {
		if err := checkEntry(e, r.idLength()); err != nil {
			return nil, err
		}
		if i > 0 && sorted[i-1].Name == e.Name {
			return nil, fmt.Errorf("tree with two entries named %q", e.Name)
		}
	}
	if r.format == "sha256" {
		return encodeWideTree(sorted)
	}
	tree := object.Tree{Entries: make([]object.TreeEntry, len(sorted))}
	for i, e := range sorted {
		tree.Entries[i] = object.TreeEntry{Name: e.Name, Mode: filemode.FileMode(e.Mode), Hash: plumbing.NewHash(string(e.ID))}
	}
	var encoded plumbing.MemoryObject
	if err := tree.Encode(&encoded); err != nil {
		return nil, fmt.Errorf("encode tree: %w", err)
	}
	return contentOf(&encoded), nil
}

// sortName is what git compares: a folder's name as if it ended in a slash.
func sortName(e Entry) string {
	if e.Mode == ModeTree {
		return e.Name + "/"
	}
	return e.Name
}

// checkEntry refuses what git would refuse to check out, or what would leave the folder it stands in.
func checkEntry(e Entry, idLength int) error {
	switch {
	case e.Name == "" || e.Name == "." || e.Name == ".." || strings.EqualFold(e.Name, ".git") || strings.ContainsAny(e.Name, "/\x00"):
		return fmt.Errorf("%q is not a name for a tree entry", e.Name)
	case canonicalMode(e.Mode) != e.Mode || e.Mode == 0:
		return fmt.Errorf("%s is not a mode, for %q", e.Mode, e.Name)
	case len(e.ID) != idLength:
		return fmt.Errorf("%q is not an object id here, for %q", e.ID, e.Name)
	}
	_, err := hex.DecodeString(string(e.ID))
	return err
}

// name is what git calls an object with this content.
func (r *Repo) name(kind string, content []byte) (ID, error) {
	if r.format == "sha256" {
		return wideName(kind, content), nil
	}
	t, err := plumbing.ParseObjectType(kind)
	if err != nil {
		return "", err
	}
	return ID(plumbing.ComputeHash(t, content).String()), nil
}

// HashTree is the name of a tree with these entries. Nothing is written and no process is started.
func (r *Repo) HashTree(entries []Entry) (ID, error) {
	content, err := r.encodeTree(entries)
	if err != nil {
		return "", err
	}
	return r.name("tree", content)
}

// HashBlob is the name of a file's content.
func (r *Repo) HashBlob(content []byte) (ID, error) { return r.name("blob", content) }

// The name of the tree without entries, which git knows without storing it.
func (r *Repo) emptyTree() ID {
	if r.format == "sha256" {
		return "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"
	}
	return "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
}

func (r *Repo) idLength() int {
	if r.format == "sha256" {
		return sha256.Size * 2
	}
	return len(plumbing.ZeroHash) * 2
}

// named is an object in memory whose name is known. go-git would compute it again at each decoding,
// with a SHA-1 that looks for collisions, and nobody would ask for it.
type named struct {
	plumbing.MemoryObject
	id plumbing.Hash
}

func (o *named) Hash() plumbing.Hash { return o.id }

func memoryObject(t plumbing.ObjectType, id ID, raw []byte) *named {
	o := &named{id: plumbing.NewHash(string(id))}
	o.SetType(t)
	_, _ = o.Write(raw) // memory takes everything
	return o
}

func contentOf(o *plumbing.MemoryObject) []byte {
	var content bytes.Buffer
	reader, err := o.Reader()
	if err == nil {
		_, err = content.ReadFrom(reader)
	}
	if err != nil {
		return nil
	}
	return content.Bytes()
}
