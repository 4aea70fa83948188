package inbox

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/agentd/gh-agentd/internal/confine"
	"github.com/agentd/gh-agentd/specs"
)

// Verdict is what append_review or create_review handed over; exactly one of the two is set.
type Verdict struct {
	Challenge *specs.ChallengeInput `json:"challenge,omitempty"`
	Review    *specs.ReviewInput    `json:"review,omitempty"`
	// Contradiction says why the verdict cannot be believed although it is well formed, "" if it can:
	// APPROVED together with a HIGH finding.
	Contradiction string `json:"contradiction,omitempty"`
}

// Signal is what the signal tool handed over.
type Signal struct {
	Signal string `json:"signal"` // DONE, PASS or FAIL
	Text   string `json:"text,omitempty"`
}

// Verdict returns the verdict of the run; ok is false if none was handed over.
// A verdict that cannot be read is an error, never a verdict.
func (b *Box) Verdict() (verdict Verdict, ok bool, err error) {
	verdict, ok, err = result[Verdict](b, verdictFile)
	if ok && (verdict.Challenge == nil) == (verdict.Review == nil) {
		return Verdict{}, false, fmt.Errorf("%s holds no verdict", filepath.Join(b.dir, inboxDir, verdictFile))
	}
	return verdict, ok, err
}

// Questions returns the proposed questions; ok is false if the tool was not called.
func (b *Box) Questions() (questions []specs.Question, ok bool, err error) {
	in, ok, err := result[specs.QuestionsInput](b, questionsFile)
	return in.Questions, ok, err
}

// SelfReview returns the newest self-review of the run; ok is false if there is none.
func (b *Box) SelfReview() (review specs.SelfReviewInput, ok bool, err error) {
	return result[specs.SelfReviewInput](b, selfReviewFile)
}

// Signal returns the signal of the run; ok is false if there is none.
func (b *Box) Signal() (signal Signal, ok bool, err error) {
	return result[Signal](b, signalFile)
}

// result reads one file of inbox/ as strictly as it was written.
func result[T any](b *Box, name string) (value T, ok bool, err error) {
	root, err := confine.Open(filepath.Join(b.dir, inboxDir))
	if err != nil {
		return value, false, err
	}
	defer root.Close()
	data, err := root.ReadFile(name, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return value, false, nil
	}
	if err != nil {
		return value, false, err
	}
	if err := specs.DecodeStrict(data, &value); err != nil {
		var none T
		return none, false, fmt.Errorf("read %s: %w", filepath.Join(b.dir, inboxDir, name), err)
	}
	return value, true, nil
}
