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
//
// A verdict is what exactly one answered call handed over: the log of calls must know one, and the file must be what it left.
// A file that nobody handed over, one that was changed or taken away afterwards,
// and one that cannot be read are a [*VerdictError], never a verdict.
func (b *Box) Verdict() (verdict Verdict, ok bool, err error) {
	data, err := b.readResult(verdictFile)
	if err != nil {
		return Verdict{}, false, err
	}
	calls, err := b.Calls()
	if err != nil {
		return Verdict{}, false, err
	}
	handed := keptBy(calls, toolAppendReview, toolCreateReview)
	if data == nil && len(handed) == 0 {
		return Verdict{}, false, nil
	}
	file := filepath.Join(b.dir, inboxDir, verdictFile)
	refuse := func(reason string) (Verdict, bool, error) {
		return Verdict{}, false, &VerdictError{File: file, Reason: reason}
	}
	switch {
	case data == nil:
		return refuse("a verdict was handed over, and the file was taken away")
	case len(handed) == 0:
		return refuse("no call of a tool handed it over")
	case len(handed) > 1:
		return refuse(fmt.Sprintf("%d calls of tools handed over a verdict", len(handed)))
	case handed[0] != digest(data):
		return refuse("it is not what the call of the tool handed over")
	}
	if err := specs.DecodeStrict(data, &verdict); err != nil {
		return refuse(err.Error())
	}
	if (verdict.Challenge == nil) == (verdict.Review == nil) {
		return refuse("it holds no verdict")
	}
	return verdict, true, nil
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
	data, err := b.readResult(name)
	if err != nil || data == nil {
		return value, false, err
	}
	if err := specs.DecodeStrict(data, &value); err != nil {
		var none T
		return none, false, fmt.Errorf("read %s: %w", filepath.Join(b.dir, inboxDir, name), err)
	}
	return value, true, nil
}

// readResult returns one file of inbox/, nil if it is not there.
func (b *Box) readResult(name string) ([]byte, error) {
	root, err := confine.Open(filepath.Join(b.dir, inboxDir))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	data, err := root.ReadFile(name, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}
