package workflow

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/agentd/gh-agentd/gitops"
)

// tamperNote remembers what an agent changed of what decides how git behaves.
// As long as it is there, any git command of ours could run what the agent wrote.
type tamperNote struct {
	Agent string            `json:"agent"`
	Step  string            `json:"step"`
	Files map[string]string `json:"files"` // path → its digest as the agent left it
}

func (b *Bench) tamperedFile() string {
	return filepath.Join(b.Repo.CommonDir(), "agentd", "tampered.json")
}

// noteTampering keeps word of files that an agent made or changed. What it took away cannot run anything.
func (b *Bench) noteTampering(agent, step string, found []gitops.Tampering, after gitops.Fingerprint) error {
	note := tamperNote{Agent: agent, Step: step, Files: map[string]string{}}
	for _, t := range found {
		digest := after.Digest(t.Path)
		if digest != "" && slices.Contains([]gitops.TamperKind{gitops.TamperConfig, gitops.TamperHook, gitops.TamperInfo}, t.Kind) {
			note.Files[t.Path] = digest
		}
	}
	if len(note.Files) == 0 {
		return nil
	}
	data, err := json.Marshal(note)
	if err != nil {
		return err
	}
	return writeWhole(b.tamperedFile(), append(data, '\n'))
}

// untampered refuses to work where something is still as an agent left it, and forgets the note once nothing is.
func (b *Bench) untampered() error {
	path := b.tamperedFile()
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var note tamperNote
	if err := json.Unmarshal(data, &note); err != nil {
		return &GateError{Gate: "tampering", Reason: path + " cannot be read, so nobody knows what an agent changed", Next: "look at .git/config and the hooks, then delete the file"}
	}
	for file, left := range note.Files {
		now, err := gitops.ControlDigest(file)
		if err != nil {
			return err
		}
		if now == left {
			return &GateError{
				Gate:   "tampering",
				Reason: fmt.Sprintf("%s is still as %s left it during %s, and git would do what it says", file, note.Agent, note.Step),
				Next:   fmt.Sprintf("look at it and undo it; if you want it so, delete %s", path),
			}
		}
	}
	return os.Remove(path)
}
