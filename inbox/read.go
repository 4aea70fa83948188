package inbox

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agentd/gh-agentd/internal/confine"
	"github.com/agentd/gh-agentd/specs"
)

// maxDocument bounds one document, as specs bounds what it reads.
const maxDocument = specs.MaxDocument

// library is a change's folder as the read-only tools see it.
type library struct {
	change     string
	files      map[string][]byte
	validation specs.ValidateOptions
}

// readOnly runs a tool that needs nothing but the documents.
func readOnly(tool string, lib library, args map[string]any) (Reply, error) {
	switch tool {
	case toolListSpecs:
		return lib.listSpecs(), nil
	case toolReadAllRequirements:
		return lib.allRequirements(), nil
	case toolValidateChange:
		strict, _ := args["strict"].(bool)
		return lib.validate(strict), nil
	default:
		return Reply{}, fmt.Errorf("tool %q has no implementation", tool)
	}
}

// document is a file of the change as models read and edit it:
// the text is normalised, and the hash is the text's.
type document struct {
	Path    string `json:"path"`
	Hash    string `json:"hash"`
	Content string `json:"content"`
}

// newDocument makes a document of a file's bytes, or says why a model cannot have it.
func newDocument(name string, data []byte) (document, error) {
	if len(data) > maxDocument {
		return document{}, refuse("%q is %d bytes, the limit is %d", name, len(data), maxDocument)
	}
	if !utf8.Valid(data) {
		return document{}, refuse("%q is not UTF-8 text", name)
	}
	text := normalise(string(data))
	return document{Path: name, Hash: hash(text), Content: text}, nil
}

// hash names a text well enough to notice that it changed, and shortly enough to be copied by a model.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

func (d document) reply() Reply {
	return Reply{
		Text:       fmt.Sprintf("path: %s\nhash: %s\n\n%s", d.Path, d.Hash, d.Content),
		Structured: d,
	}
}

// readFile answers with one file of the change and the hash that an edit of it needs.
func (c *call) readFile() (Reply, error) {
	name, err := pathArgument(c.run.Change, c.args)
	if err != nil {
		return Reply{}, err
	}
	doc, err := c.document(name)
	if err != nil {
		return Reply{}, err
	}
	return doc.reply(), nil
}

// document reads one file of the change through the confined folder.
func (c *call) document(name string) (document, error) {
	data, err := c.change.ReadFile(name, maxDocument)
	if errors.Is(err, fs.ErrNotExist) {
		names, _ := c.change.List() // the list is a help, its failure no answer
		return document{}, missing(name, names)
	}
	if err != nil {
		return document{}, explain(err)
	}
	return newDocument(name, data)
}

// readFile is the same for a folder that is given as a value.
func (l library) readFile(args map[string]any) (Reply, error) {
	name, err := pathArgument(l.change, args)
	if err != nil {
		return Reply{}, err
	}
	data, ok := l.files[name]
	if !ok {
		return Reply{}, missing(name, sortedKeys(l.files))
	}
	doc, err := newDocument(name, data)
	if err != nil {
		return Reply{}, err
	}
	return doc.reply(), nil
}

// pathArgument returns the file that a model means, relative to the change's folder.
// Models see the folder in the repository too, and may name a file as it is called there.
// Names that lead out of the folder are refused, and names that hide: no document of ours begins with a dot.
func pathArgument(change string, args map[string]any) (string, error) {
	name, _ := args["path"].(string)
	name = strings.TrimPrefix(name, folderOf(change))
	if err := confine.CheckName(name); err != nil {
		return "", explain(err)
	}
	for element := range strings.SplitSeq(name, "/") {
		if strings.HasPrefix(element, ".") {
			return "", refuse("path %q is not a document of the change", clip(name, 120))
		}
	}
	return name, nil
}

// folderOf is the change's folder in the repository, with the slash behind it.
func folderOf(change string) string { return "agentd/changes/" + change + "/" }

// missing says that a file is not there, and which are.
func missing(name string, names []string) error {
	const enough = 60
	if len(names) == 0 {
		return refuse("%q does not exist; the change has no files yet", clip(name, 120))
	}
	more := ""
	if len(names) > enough {
		names, more = names[:enough], " and more"
	}
	return refuse("%q does not exist; the change has %s%s", clip(name, 120), strings.Join(names, ", "), more)
}

// changedFilesReply answers list_changed_files.
func changedFilesReply(files []string) Reply {
	files = slices.Sorted(slices.Values(files))
	structured := map[string]any{"files": append([]string{}, files...)}
	if len(files) == 0 {
		return Reply{Text: "The change has touched no file outside agentd/ yet.", Structured: structured}
	}
	return Reply{Text: strings.Join(files, "\n"), Structured: structured}
}
