package inbox

import (
	"fmt"
	"strings"

	"github.com/agentd/gh-agentd/specs"
)

// specSummary is one line of list_specs.
type specSummary struct {
	ID           string `json:"id"`
	Path         string `json:"path"`
	Title        string `json:"title,omitempty"`
	Requirements int    `json:"requirements"`
	Scenarios    int    `json:"scenarios"`
	Error        string `json:"error,omitempty"` // why the file cannot be read
}

// specRequirements is one spec of read_all_requirements.
type specRequirements struct {
	ID           string               `json:"id"`
	Title        string               `json:"title,omitempty"`
	Requirements []requirementSummary `json:"requirements"`
	Error        string               `json:"error,omitempty"`
}

// requirementSummary is one requirement of read_all_requirements.
type requirementSummary struct {
	Ref         string `json:"ref"` // as tasks and findings write it: auth#R1
	Title       string `json:"title"`
	Priority    string `json:"priority,omitempty"`
	Description string `json:"description"`
}

// Bounds of an answer: a model that needs more reads the documents one by one.
const (
	maxReplyText = 512 << 10
	maxProblems  = 200
)

// specs lists the ids of the change's specs in order.
func (l library) specs() []specs.SpecID {
	var ids []specs.SpecID
	for _, name := range sortedKeys(l.files) {
		if id, ok := specAt(name); ok {
			ids = append(ids, id)
		}
	}
	return ids
}

// spec reads one of them.
func (l library) spec(id specs.SpecID) (*specs.Spec, error) {
	spec, _, err := specs.ParseSpec(id.Path(), l.files[id.Path()])
	return spec, err
}

// specAt returns the id of the spec that lives at a path relative to the change's folder.
func specAt(name string) (specs.SpecID, bool) {
	base, ok := strings.CutPrefix(name, "specs/")
	if !ok {
		return "", false
	}
	if base, ok = strings.CutSuffix(base, ".md"); !ok {
		return "", false
	}
	id, err := specs.ParseSpecID(base)
	return id, err == nil
}

func (l library) listSpecs() Reply {
	summaries, text := []specSummary{}, strings.Builder{}
	for _, id := range l.specs() {
		summary := specSummary{ID: string(id), Path: id.Path()}
		if spec, err := l.spec(id); err != nil {
			summary.Error = err.Error()
			fmt.Fprintf(&text, "%s: cannot be read: %v\n", id, err)
		} else {
			summary.Title, summary.Requirements, summary.Scenarios = spec.Title, len(spec.Requirements), len(spec.Scenarios)
			fmt.Fprintf(&text, "%s: %s (requirements: %d, scenarios: %d)\n",
				id, oneLine(spec.Title), len(spec.Requirements), len(spec.Scenarios))
		}
		summaries = append(summaries, summary)
	}
	if len(summaries) == 0 {
		text.WriteString("The change has no specs.\n")
	}
	return Reply{Text: text.String(), Structured: map[string]any{"specs": summaries}}
}

func (l library) allRequirements() Reply {
	all, text := []specRequirements{}, strings.Builder{}
	ids := l.specs()
	for _, id := range ids {
		if text.Len() > maxReplyText {
			break
		}
		all = append(all, l.requirements(id, &text))
	}
	left := len(ids) - len(all)
	switch {
	case len(ids) == 0:
		text.WriteString("The change has no specs.\n")
	case left > 0:
		fmt.Fprintf(&text, "[… %d more specs left out: read them with read_file]\n", left)
	}
	return Reply{Text: text.String(), Structured: map[string]any{"specs": all, "left_out": left}}
}

// requirements collects those of one spec, and writes them for models that read text.
func (l library) requirements(id specs.SpecID, text *strings.Builder) specRequirements {
	entry := specRequirements{ID: string(id), Requirements: []requirementSummary{}}
	spec, err := l.spec(id)
	if err != nil {
		entry.Error = err.Error()
		fmt.Fprintf(text, "# %s\n\ncannot be read: %v\n\n", id, err)
		return entry
	}
	entry.Title = spec.Title
	fmt.Fprintf(text, "# %s: %s\n\n", id, oneLine(spec.Title))
	for _, requirement := range spec.Requirements {
		summary := requirementSummary{
			Ref:         fmt.Sprintf("%s#%s", id, requirement.ID),
			Title:       requirement.Title,
			Priority:    requirement.Priority,
			Description: strings.TrimSpace(requirement.Description),
		}
		entry.Requirements = append(entry.Requirements, summary)
		summary.write(text)
	}
	return entry
}

func (r requirementSummary) write(text *strings.Builder) {
	fmt.Fprintf(text, "## %s: %s", r.Ref, oneLine(r.Title))
	if r.Priority != "" {
		fmt.Fprintf(text, " (%s)", r.Priority)
	}
	fmt.Fprintf(text, "\n\n%s\n\n", r.Description)
}

// validate checks the whole change; strict can only be added to what the run asks for.
func (l library) validate(strict bool) Reply {
	options := l.validation
	options.Strict = options.Strict || strict
	problems := specs.ChangeDocs{ID: l.change, Files: l.files}.Validate(options)
	problems.Sort()
	for i := range problems {
		problems[i].File = strings.TrimPrefix(problems[i].File, folderOf(l.change)) // as the tools name files
	}

	high, medium, low := problems.Counts()
	var text strings.Builder
	fmt.Fprintf(&text, "%d HIGH, %d MEDIUM, %d LOW\n", high, medium, low)
	left := max(0, len(problems)-maxProblems)
	problems = problems[:len(problems)-left]
	for _, problem := range problems {
		fmt.Fprintf(&text, "%s\n", problem)
		if problem.Hint != "" {
			fmt.Fprintf(&text, "  hint: %s\n", problem.Hint)
		}
	}
	if left > 0 {
		fmt.Fprintf(&text, "[… %d more problems left out]\n", left)
	}
	return Reply{Text: text.String(), Structured: map[string]any{
		"valid":    high == 0,
		"high":     high,
		"medium":   medium,
		"low":      low,
		"problems": append(specs.Problems{}, problems...),
	}}
}
