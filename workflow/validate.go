package workflow

import (
	"context"
	"iter"
	"maps"
	"runtime"
	"sync"

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
	if req.All {
		return v.all(ctx, req.Strict)
	}
	c, err := v.Bench.Store.Open(ctx, req.Change)
	if err != nil {
		return ValidateResult{Changes: []ChangeProblems{}}, err
	}
	docs, err := c.Docs(ctx)
	if err != nil {
		return ValidateResult{Changes: []ChangeProblems{}}, err
	}
	if artefact, missing := specs.NextArtefact(docs); missing && len(artefact.Problems) == 0 {
		v.Bench.Say.Note(artefact.Path + " is not written yet")
	}
	if docs.Main, err = v.Bench.mainSpecs(ctx, c, docs); err != nil {
		return ValidateResult{Changes: []ChangeProblems{}}, err
	}
	checked := check(docs, v.Bench.RulesFor(c), req.Strict)
	return ValidateResult{Changes: []ChangeProblems{checked}, Valid: checked.Valid}, nil
}

// all reads one change after the other and checks as many at once as there are processors.
func (v *Validate) all(ctx context.Context, strict bool) (ValidateResult, error) {
	result := ValidateResult{Changes: []ChangeProblems{}, Valid: true}
	var checked []*ChangeProblems // in the order of reading, each filled in by its own goroutine
	var checking sync.WaitGroup
	free := make(chan struct{}, runtime.GOMAXPROCS(0))
	defer checking.Wait()
	for docs, err := range v.Bench.Store.AllDocs(ctx) {
		if err != nil {
			return result, err
		}
		one := new(ChangeProblems)
		checked = append(checked, one)
		free <- struct{}{}
		checking.Go(func() {
			rules := v.Bench.validateOptions()
			_, rules.Legacy = docs.Files[specs.ImportFile] // nothing is replayed here, and nothing rests on it
			*one = check(docs, rules, strict)
			<-free
		})
	}
	checking.Wait()
	for _, one := range checked {
		result.Changes = append(result.Changes, *one)
		result.Valid = result.Valid && one.Valid
	}
	return result, nil
}

// check applies the rules to the documents of one change.
func check(docs specs.ChangeDocs, options specs.ValidateOptions, strict bool) ChangeProblems {
	options.Strict = strict
	problems := docs.Validate(options)
	valid := !problems.HasHigh() && (!strict || len(problems) == 0)
	if problems == nil {
		problems = specs.Problems{}
	}
	return ChangeProblems{Change: docs.ID, Valid: valid, Problems: problems}
}

func asID(s string) gitops.ID { return gitops.ID(s) }

func keys[V any](m map[string]V) iter.Seq[string] { return maps.Keys(m) }
