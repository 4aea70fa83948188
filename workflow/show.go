package workflow

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
)

// Show gives the text of one document of a change, as it is in the history.
type Show struct{ Bench *Bench }

// ShowRequest names a document.
type ShowRequest struct {
	Change phases.ChangeID
	What   string // "", proposal, tasks, clarifications, challenge, review, state, or the name of a spec
	Round  int    // of a challenge or review; 0 for the newest
}

// ShowResult is the document.
type ShowResult struct {
	Change  string `json:"change"`
	Path    string `json:"path"`
	Commit  string `json:"commit"`
	Content string `json:"content"`
}

// ShowNames are the documents that have a name of their own.
func ShowNames() []string {
	return []string{"proposal", "tasks", "clarifications", "challenge", "review", "state"}
}

// Run reads the document at the change's tip, or at the commit of the round.
func (s *Show) Run(ctx context.Context, req ShowRequest) (ShowResult, error) {
	result := ShowResult{Change: req.Change.String()}
	c, err := s.Bench.Store.Open(ctx, req.Change)
	if err != nil {
		return result, err
	}
	result.Commit = string(c.Tip)
	if req.Round > 0 {
		step := phases.Step(req.What)
		at := slices.IndexFunc(c.State.Transitions, func(t phases.Applied) bool { return t.Step == step && t.Round == req.Round })
		if at < 0 {
			return result, fmt.Errorf("change %q has no %s of round %d", req.Change, req.What, req.Round)
		}
		result.Commit = c.State.Transitions[at].Commit
		if c, err = s.Bench.Store.OpenAt(ctx, req.Change, asID(result.Commit)); err != nil {
			return result, err
		}
	}
	files, err := c.Files(ctx)
	if err != nil {
		return result, err
	}
	names := documentPaths(req.What, specs.ChangeDocs{Files: files})
	var text strings.Builder
	for _, name := range names {
		content, ok := files[name]
		if !ok {
			continue
		}
		result.Path = name
		text.Write(content)
	}
	if result.Path == "" {
		return result, &NoDocumentError{ID: req.Change, What: req.What, Have: slices.Sorted(keys(files))}
	}
	result.Content = text.String()
	return result, nil
}

// documentPaths are the files that a name stands for; what has no name of its own is a spec.
func documentPaths(what string, docs specs.ChangeDocs) []string {
	switch what {
	case "", "proposal":
		return []string{specs.ProposalPath}
	case "tasks":
		return []string{specs.TasksPath}
	case "clarifications":
		return []string{specs.ClarificationsPath}
	case "challenge":
		return []string{specs.ChallengeFile}
	case "review":
		return []string{specs.ReviewFile}
	case "state":
		return []string{specs.StateFile}
	case "specs":
		return specPaths(docs)
	}
	return []string{"specs/" + what + ".md", what}
}

// NoDocumentError says that a change has no such document.
type NoDocumentError struct {
	ID   phases.ChangeID
	What string
	Have []string
}

func (e *NoDocumentError) Error() string {
	if len(e.Have) == 0 {
		return fmt.Sprintf("change %q has no documents on its branch", e.ID)
	}
	return fmt.Sprintf("change %q has no %s (it has %s)", e.ID, e.What, strings.Join(e.Have, ", "))
}

// Hint names the next command.
func (e *NoDocumentError) Hint() string { return "`" + command("status", e.ID) + "`" }
