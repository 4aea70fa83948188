package hooks

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/agentd/gh-agentd/internal/confine"
	"github.com/agentd/gh-agentd/templates"
)

// Found is what stands under a hook's name in a folder.
type Found struct {
	Kind   FoundKind
	Script Script // where it is ours
	Text   []byte // where it is a file of somebody else's that can be read
	Before bool   // a hook that was there before is kept beside it
}

// FoundKind says whose a hook is.
type FoundKind string

// The kinds of [Found].
const (
	None    FoundKind = "none"
	Ours    FoundKind = "ours"
	Changed FoundKind = "changed" // was ours, and somebody edited it
	Foreign FoundKind = "foreign"
)

// maxHook is far above every script. A program may be larger; it is foreign all the same.
const maxHook = 1 << 20

// BeforeName is where the hook that was there before is kept, for the path or the name of a hook.
func BeforeName(hook string) string { return hook + "." + templates.HookBefore }

// beforeName is where the hook that was there before is kept.
func beforeName(name Name) string { return BeforeName(string(name)) }

// Look says what stands under a hook's name. A folder that does not exist holds none.
func Look(dir string, name Name) (Found, error) {
	found := Found{Kind: None}
	root, err := confine.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return found, nil
	}
	if err != nil {
		return found, err
	}
	defer root.Close()
	if _, err := os.Lstat(filepath.Join(dir, beforeName(name))); err == nil {
		found.Before = true
	}
	data, err := root.ReadFile(string(name), maxHook)
	_, other := errors.AsType[*confine.FileError](err) // a link, a folder, a large program
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case other:
		found.Kind = Foreign
	case err != nil:
		return found, err
	default:
		found.Kind, found.Text = Foreign, data
		if script, whole, ours := readScript(name, data); ours {
			found.Kind, found.Script = Changed, script
			if whole {
				found.Kind = Ours
			}
		}
	}
	return found, nil
}
