package foreign

import (
	"fmt"

	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
)

// Format is the tool that a tree was written by.
type Format string

// The formats.
const (
	Agentd   Format = "agentd"
	OpenSpec Format = "openspec"
	SpecKit  Format = "speckit"
)

// HomeChange names the change that brings what belongs to no open change of a format:
// the main specs of the other tool, and the changes that it has archived, as files.
func (f Format) HomeChange() string { return "import-" + string(f) }

// Collection is all that a tree holds.
type Collection struct {
	Changes []Change // in the order of their formats and paths; the specs first
	Notes   []string // what concerns no single change
}

// Change is one change as it will be imported.
type Change struct {
	Name    string // as its folder is called
	ID      string // the legal id made of it, "" where there is none
	Format  Format
	Path    string       // the folder in the tree
	Claimed string       // where its files say that it stands, in their words; "" where they do not say
	Phase   phases.Phase // Proposed or Rejected; None for what is history and no open change
	Into    string       // for history: the change whose files keep it, "" where it stays where it is

	Title       string            // one line for the log
	Description string            // what it is for, as far as its files say
	Files       map[string][]byte // by path relative to the change's folder
	Record      specs.ImportRecord
	Notes       []Note
	Err         error // why it cannot be read at all; then there are no files
}

// Note is something that a person should know of an import.
type Note struct {
	Contradiction bool   `json:"contradiction"` // the files claim what their record does not bear out
	Text          string `json:"text"`
}

func (c *Change) note(format string, args ...any) {
	c.Notes = append(c.Notes, Note{Text: fmt.Sprintf(format, args...)})
}

func (c *Change) contradicts(format string, args ...any) {
	c.Notes = append(c.Notes, Note{Contradiction: true, Text: fmt.Sprintf(format, args...)})
}

// draft collects what becomes of the files of one change.
type draft struct {
	Change
	src    Tree              // the files of its folder
	became map[string]string // where each file went
	whole  map[string]bool   // the files of which every word went there
}

func newDraft(format Format, folder, name string, src Tree) *draft {
	d := &draft{src: src, became: map[string]string{}, whole: map[string]bool{}}
	d.Format, d.Path, d.Name, d.Phase = format, folder, name, phases.Proposed
	d.Files = map[string][]byte{}
	d.name(name)
	return d
}

// name makes an id of the folder's name, and says so where it is not the same.
func (d *draft) name(name string) {
	d.ID = name
	err := phases.CheckName(name)
	if err == nil {
		return
	}
	if d.ID = phases.Slug(name); d.ID == "" {
		d.Err = err
		return
	}
	d.note("%q is no legal id here: it becomes %q", name, d.ID)
}

// path is a file of the source as messages name it.
func (d *draft) path(name string) string { return join(d.Path, name) }

// put writes a file of the change that was made of a file of the source.
func (d *draft) put(name string, content []byte, from string) {
	d.Files[name] = content
	if from != "" {
		d.became[from] = name
	}
}

// mostFiles is how many files of a source one change takes; its folder may hold a thousand in all.
const mostFiles = 900

// The folder of a change that keeps originals, and the one that keeps what was archived elsewhere.
const (
	sourceFolder  = "source"
	historyFolder = "history"
)

// finish keeps the original of every file that did not go into the change word by word, and writes the record.
func (d *draft) finish() Change {
	if d.Err != nil {
		d.Files = nil
		return d.Change
	}
	for name, content := range d.Files {
		if len(content) > specs.MaxDocument {
			d.Err = fmt.Errorf("%s would have %d bytes, the limit is %d", name, len(content), specs.MaxDocument)
		}
	}
	if len(d.src) > mostFiles {
		d.Err = fmt.Errorf("%s holds %d files, the limit is %d", d.Path, len(d.src), mostFiles)
	}
	if d.Err != nil {
		d.Files = nil
		return d.Change
	}
	d.Record = specs.ImportRecord{Format: string(d.Format), Source: d.Path, Claimed: d.Claimed, Files: []specs.ImportedFile{}}
	for _, name := range d.src.paths() {
		content := d.src[name]
		to := d.became[name]
		if kept := sourceFolder + "/" + name; !d.whole[name] && !generated(name) {
			d.Files[kept] = content
			if to == "" {
				to = kept
			}
		}
		d.Record.Files = append(d.Record.Files, specs.NewImportedFile(name, content, to))
	}
	for _, note := range d.Notes {
		d.Record.Notes = append(d.Record.Notes, note.Text)
	}
	return d.Change
}

// generated reports files that other tools make anew for each run: they say nothing about the change.
func generated(name string) bool {
	switch name {
	case "GEMINI.md", "AGENTS.md", "CLAUDE.md":
		return true
	}
	return false
}
