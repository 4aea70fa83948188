package inbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/agentd/gh-agentd/internal/confine"
)

// CallRecord is one line of the log of calls.
type CallRecord struct {
	Tool  string    `json:"tool"`
	OK    bool      `json:"ok"`
	Error string    `json:"error,omitempty"` // one line, bounded
	Kept  string    `json:"kept,omitempty"`  // digest of the result that a run has only one of: what was handed over
	Time  time.Time `json:"time"`
	MS    int64     `json:"ms"`
}

// Bounds of one record; the number of records is bounded by the budget.
const (
	maxRecordTool  = 80
	maxRecordError = 300
)

// Calls returns the records of the calls so far, oldest first.
// A call that was cancelled leaves no record, and of those after the budget was used up only the first does.
func (b *Box) Calls() ([]CallRecord, error) {
	data, err := b.readRecords()
	if err != nil {
		return nil, err
	}
	var records []CallRecord
	for line := range bytes.Lines(data) {
		var record CallRecord
		// A process killed while it wrote leaves half a line; it counts, but says nothing.
		if json.Unmarshal(line, &record) == nil {
			records = append(records, record)
		}
	}
	return records, nil
}

// Exhausted reports whether a call was refused because the budget is used up: the run should be stopped.
func (b *Box) Exhausted() bool {
	log, err := b.readLog()
	return err == nil && log.calls > b.run.maxCalls()
}

// callLog is what a call needs to know of the calls before it.
type callLog struct {
	calls int
	torn  bool // the last line has no end: a process was killed while it wrote
}

func (b *Box) readLog() (callLog, error) {
	data, err := b.readRecords()
	if err != nil {
		return callLog{}, err
	}
	log := callLog{calls: bytes.Count(data, []byte("\n"))}
	if len(data) > 0 && data[len(data)-1] != '\n' {
		log.calls, log.torn = log.calls+1, true
	}
	return log, nil
}

func (b *Box) readRecords() ([]byte, error) {
	root, err := confine.Open(b.dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	data, err := root.ReadFile(recordFile, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}

// record appends one line. The box is locked.
func (b *Box) record(log callLog, tool, kept string, started time.Time, outcome error) error {
	record := CallRecord{
		Tool: clip(oneLine(tool), maxRecordTool),
		OK:   outcome == nil,
		Kept: kept,
		Time: started.UTC(),
		MS:   b.now().Sub(started).Milliseconds(),
	}
	if outcome != nil {
		record.Error = clip(oneLine(outcome.Error()), maxRecordError)
	}
	line, err := json.Marshal(record)
	if err != nil {
		return fmt.Errorf("record the call: %w", err)
	}
	line = append(line, '\n')
	if log.torn {
		line = append([]byte{'\n'}, line...)
	}
	return appendFile(filepath.Join(b.dir, recordFile), line)
}

// appendFile adds to the end of a file in one write.
// It is not synced: a record that a power cut takes away is missed by nobody.
func appendFile(path string, data []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("record the call: %w", err)
	}
	_, err = file.Write(data)
	if err = errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("record the call: %w", err)
	}
	return nil
}
