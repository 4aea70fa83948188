package inbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/agentd/gh-agentd/internal/confine"
)

// RecordedCall is a call that was answered, with what it was made with.
type RecordedCall struct {
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
}

// maxRecorded bounds what is read back of a recording: some hundred of the largest documents.
const maxRecorded = 64 << 20

// Recorded returns the calls that were answered, oldest first, of a run with [Run.Record]; of any other none.
func (b *Box) Recorded() ([]RecordedCall, error) {
	root, err := confine.Open(b.dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	data, err := root.ReadFile(answerFile, maxRecorded)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var calls []RecordedCall
	for line := range bytes.Lines(data) {
		var call RecordedCall
		if err := json.Unmarshal(line, &call); err != nil {
			return nil, fmt.Errorf("%s: %w", answerFile, err)
		}
		calls = append(calls, call)
	}
	return calls, nil
}

// recordArguments appends a call that was answered. The box is locked.
func (b *Box) recordArguments(tool string, args json.RawMessage) error {
	if len(bytes.TrimSpace(args)) == 0 {
		args = json.RawMessage("{}")
	}
	line, err := json.Marshal(RecordedCall{Tool: tool, Arguments: args})
	if err != nil {
		return fmt.Errorf("record the call: %w", err)
	}
	return appendFile(filepath.Join(b.dir, answerFile), append(line, '\n'))
}
