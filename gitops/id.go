package gitops

import (
	"fmt"
	"strconv"
	"time"
)

// ID names a git object: 40 hexadecimal digits in a SHA-1 repository, 64 in a SHA-256 one.
// The zero value names nothing; IDs come from git and are compared with ==.
type ID string

// IsZero says that the ID names nothing.
func (id ID) IsZero() bool { return id == "" }

// Short is the ID cut to the length that people read.
func (id ID) Short() string { return string(id[:min(len(id), 10)]) }

// ParseID reads the full name of an object, such as an event or a hook's input gives it.
// The all-zero name of nothing becomes the zero ID.
func ParseID(s string) (ID, error) { return parseID(s) }

// parseID turns what git printed into an ID. Git's all-zero name of nothing becomes the zero ID.
func parseID(s string) (ID, error) {
	if len(s) != 40 && len(s) != 64 {
		return "", fmt.Errorf("%q is not an object id", s)
	}
	zero := true
	for i := range len(s) {
		c := s[i]
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return "", fmt.Errorf("%q is not an object id", s)
		}
		zero = zero && c == '0'
	}
	if zero {
		return "", nil
	}
	return ID(s), nil
}

// Mode is the kind of a tree entry, as git writes it.
type Mode uint32

// The modes that git stores. Nothing else is ever written.
const (
	ModeTree       Mode = 0o040000
	ModeFile       Mode = 0o100644
	ModeExecutable Mode = 0o100755
	ModeSymlink    Mode = 0o120000
	ModeGitlink    Mode = 0o160000 // a commit of another repository: a submodule
)

// String is git's own spelling of a mode in an index or a diff: six octal digits.
func (m Mode) String() string { return fmt.Sprintf("%06o", uint32(m)) }

// IsFile says that the entry is a regular file, executable or not.
func (m Mode) IsFile() bool { return m == ModeFile || m == ModeExecutable }

// kind is the type of object that an entry of this mode names.
func (m Mode) kind() string {
	switch m {
	case ModeTree:
		return "tree"
	case ModeGitlink:
		return "commit"
	default:
		return "blob"
	}
}

func parseMode(s string) (Mode, error) {
	n, err := strconv.ParseUint(s, 8, 32)
	if err != nil {
		return 0, fmt.Errorf("%q is not a mode", s)
	}
	return canonicalMode(Mode(n)), nil
}

// canonicalMode maps the modes of old trees, such as 100664, to those that git writes today.
func canonicalMode(m Mode) Mode {
	switch m & 0o170000 {
	case 0:
		return 0
	case 0o040000:
		return ModeTree
	case 0o100000:
		if m&0o111 != 0 {
			return ModeExecutable
		}
		return ModeFile
	case 0o120000:
		return ModeSymlink
	default:
		return ModeGitlink
	}
}

// Entry is one line of a tree object.
type Entry struct {
	Name string
	Mode Mode
	ID   ID
}

// Signature is who did something, and when.
type Signature struct {
	Name, Email string
	When        time.Time
}

// Commit is a commit object. Message is raw: exactly the bytes that the object holds.
type Commit struct {
	ID        ID
	Tree      ID
	Parents   []ID
	Author    Signature
	Committer Signature
	Message   string
}
