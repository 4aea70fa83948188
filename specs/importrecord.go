package specs

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// ImportFile is the name of the record of an import within the folder of a change.
const ImportFile = "IMPORT.yaml"

// ImportRecord says where an imported change comes from and what was made of it.
// It proves nothing. It is how the same import is known again, and how a reader finds what the words were.
type ImportRecord struct {
	Format  string         `yaml:"format"`            // agentd, openspec or speckit
	Source  string         `yaml:"source"`            // the folder that was read, relative to the top of the repository or to the folder that was named
	Claimed string         `yaml:"claimed,omitempty"` // where the files say that the change stands; nothing follows from it
	Notes   []string       `yaml:"notes,omitempty"`   // what a person should know, contradictions among it
	Files   []ImportedFile `yaml:"files"`             // sorted by path
}

// ImportedFile is one file that was read.
type ImportedFile struct {
	Path   string `yaml:"path"` // relative to the source
	SHA256 string `yaml:"sha256"`
	Became string `yaml:"became,omitempty"` // its path in the change's folder, "" where it was left out
}

// NewImportedFile names the content of a file.
func NewImportedFile(path string, content []byte, became string) ImportedFile {
	sum := sha256.Sum256(content)
	return ImportedFile{Path: path, SHA256: hex.EncodeToString(sum[:]), Became: became}
}

// YAML writes the record.
func (r ImportRecord) YAML() []byte {
	notes := make([]string, len(r.Notes))
	for i, note := range r.Notes {
		notes[i] = oneLine(note)
	}
	r.Notes = notes
	text, _ := yaml.Marshal(r) // plain structs of text always encode
	return text
}

// ParseImportRecord reads what YAML writes.
func ParseImportRecord(file string, src []byte) (ImportRecord, error) {
	var r ImportRecord
	err := decodeYAML(file, src, &r, false)
	return r, err
}

// Differs lists the paths of the files that are not the same in two records, sorted; none where both read the same.
// Where the source lies may differ, and so may what was made of it: another version of this program reads better.
func (r ImportRecord) Differs(other ImportRecord) []string {
	index := func(r ImportRecord) map[string]string {
		files := make(map[string]string, len(r.Files))
		for _, f := range r.Files {
			files[f.Path] = f.SHA256
		}
		return files
	}
	mine, theirs := index(r), index(other)
	differs := map[string]bool{}
	for _, side := range []map[string]string{mine, theirs} {
		for path := range side {
			if mine[path] != theirs[path] {
				differs[path] = true
			}
		}
	}
	if r.Format != other.Format {
		differs["("+strings.Join([]string{other.Format, r.Format}, " → ")+")"] = true
	}
	return slices.Sorted(maps.Keys(differs))
}
