package workflow

import (
	"context"
	"iter"
	"maps"

	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
)

// Validate checks documents by the rules; no model is asked.
type Validate struct{ Bench *Bench }

// ValidateRequest names one change, or all of them.
type ValidateRequest struct {
	Change phases.ChangeID
	All    bool
	Strict bool // lower findings count too
}

// ValidateResult has the changes in the order of their ids.
type ValidateResult struct {
	Changes []ChangeProblems `json:"changes"`
	Valid   bool             `json:"valid"`
}

// ChangeProblems is what the rules say of one change.
type ChangeProblems struct {
	Change   string         `json:"change"`
	Valid    bool           `json:"valid"`
	Problems specs.Problems `json:"problems"`
}

// Run validates the documents at the tips, as the history has them.
func (v *Validate) Run(ctx context.Context, req ValidateRequest) (ValidateResult, error) {
	result := ValidateResult{Changes: []ChangeProblems{}, Valid: true}
	add := func(id phases.ChangeID, docs specs.ChangeDocs) {
		options := v.Bench.ValidateOptions()
		options.Strict = req.Strict
		problems := docs.Validate(options)
		valid := !problems.HasHigh() && (!req.Strict || len(problems) == 0)
		if problems == nil {
			problems = specs.Problems{}
		}
		result.Changes = append(result.Changes, ChangeProblems{Change: id.String(), Valid: valid, Problems: problems})
		result.Valid = result.Valid && valid
	}
	if !req.All {
		c, err := v.Bench.Store.Open(ctx, req.Change)
		if err != nil {
			return result, err
		}
		docs, err := c.Docs(ctx)
		if err != nil {
			return result, err
		}
		if artefact, missing := specs.NextArtefact(docs); missing && len(artefact.Problems) == 0 {
			v.Bench.Say.Note(artefact.Path + " is not written yet")
		}
		add(c.ID, docs)
		return result, nil
	}
	for docs, err := range v.Bench.Store.AllDocs(ctx) {
		if err != nil {
			return result, err
		}
		id, err := phases.ParseChangeID(docs.ID)
		if err != nil {
			return result, err
		}
		add(id, docs)
	}
	return result, nil
}

func asID(s string) gitops.ID { return gitops.ID(s) }

func keys[V any](m map[string]V) iter.Seq[string] { return maps.Keys(m) }
