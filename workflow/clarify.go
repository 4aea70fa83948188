package workflow

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/agentd/gh-agentd/agents"
	"github.com/agentd/gh-agentd/changes"
	"github.com/agentd/gh-agentd/config"
	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
	"github.com/agentd/gh-agentd/templates"
)

// maxQuestions is the most that a person is asked before a plan.
const maxQuestions = 5

// Clarify asks the questions that only a person can answer, or takes the answers from a file.
type Clarify struct{ Bench *Bench }

// ClarifyRequest has either answers, or asks for questions.
type ClarifyRequest struct {
	Change      phases.ChangeID
	Description string
	Answers     []byte // JSON of create_clarifications; nil to ask
	Print       bool   // answer the questions as they are, for a skill that asks the person itself
	Base        string
}

// ClarifyResult is what came of it.
type ClarifyResult struct {
	Change    string           `json:"change"`
	Questions []specs.Question `json:"questions"`
	Path      string           `json:"path,omitempty"`
	Commit    string           `json:"commit,omitempty"`
}

// Run clarifies. With Print nothing is committed.
func (u *Clarify) Run(ctx context.Context, req ClarifyRequest) (result ClarifyResult, err error) {
	result.Change = req.Change.String()
	err = u.Bench.exclusively(ctx, req.Change, "clarify", func(b *Bench) error {
		p := &planning{Bench: b, req: PlanRequest{Change: req.Change, Description: req.Description, Base: req.Base}}
		if err := p.ready(ctx, req.Change); err != nil {
			return err
		}
		if req.Answers != nil {
			return p.takeAnswers(ctx, req.Answers, &result)
		}
		return p.askQuestions(ctx, req.Print, &result)
	})
	return result, err
}

func (p *planning) takeAnswers(ctx context.Context, answers []byte, result *ClarifyResult) error {
	var in specs.ClarificationsInput
	if err := specs.DecodeStrict(answers, &in); err != nil {
		return fmt.Errorf("read answers: %w", err)
	}
	if in.ChangeID != "" && in.ChangeID != p.req.Change.String() {
		return fmt.Errorf("the answers are for change %q, not for %q", in.ChangeID, p.req.Change)
	}
	if wrong := in.Validate(); len(wrong) > 0 {
		return fmt.Errorf("read answers: %s", strings.Join(wrong, "; "))
	}
	document, err := in.Clarifications(p.req.Change.String(), p.Now().UTC(), p.answeredBefore(ctx))
	if err != nil {
		return err
	}
	record := changes.Record{
		Subject: "clarified", Files: map[string][]byte{specs.ClarificationsPath: document.Markdown()},
		Transition: phases.Transition{Step: phases.StepClarify, Actor: phases.Human},
	}
	return p.writeClarification(ctx, record, result)
}

// answeredBefore are the answers that the history holds, nil if there are none.
func (p *planning) answeredBefore(ctx context.Context) *specs.Clarifications {
	c, err := p.Store.Open(ctx, p.req.Change)
	if err != nil {
		return nil // writeClarification says what is wrong
	}
	files, err := c.Files(ctx)
	if err != nil {
		return nil
	}
	have, _, err := specs.ParseClarifications(specs.ClarificationsPath, files[specs.ClarificationsPath])
	if err != nil {
		return nil
	}
	return have
}

func (p *planning) askQuestions(ctx context.Context, print bool, result *ClarifyResult) error {
	base, err := p.base(ctx)
	if err != nil {
		return err
	}
	p.workspaceOf(gitops.ID(base.Commit))
	if p.req.Description == "" {
		c, err := p.Store.Open(ctx, p.req.Change)
		if _, missing := errors.AsType[*changes.NotFoundError](err); missing {
			return &MissingDescriptionError{ID: p.req.Change}
		}
		if err == nil {
			err = c.State.Allows(phases.EventPlan)
		}
		if err != nil {
			return err
		}
		p.req.Description = description(c)
	}
	if print {
		result.Questions, _, err = p.questions(ctx, p.work, p.req.Change, p.req.Description)
		return err
	}
	if p.Ask == nil {
		return &ClarifyFirstError{ID: p.req.Change}
	}
	record, err := p.clarify(ctx, p.work, p.req.Change, p.req.Description)
	if err != nil {
		return err
	}
	return p.writeClarification(ctx, record, result)
}

// writeClarification begins the change with the answers, or adds them to one that is still being planned.
func (p *planning) writeClarification(ctx context.Context, record changes.Record, result *ClarifyResult) error {
	c, err := p.Store.Open(ctx, p.req.Change)
	if _, missing := errors.AsType[*changes.NotFoundError](err); missing {
		if p.req.Description == "" {
			return &MissingDescriptionError{ID: p.req.Change}
		}
		base, err := p.base(ctx)
		if err != nil {
			return err
		}
		record.Body = p.req.Description
		c, err = p.Store.Begin(ctx, changes.Beginning{
			ID: p.req.Change, Base: base, Profile: p.Config.Workflow.Profile, DependsOn: dependsOn(base), Record: record,
		})
		if err != nil {
			return err
		}
	} else if err != nil {
		return err
	} else if same, err := unchanged(ctx, c, record.Files); err != nil {
		return err
	} else if !same { // the same answers again, after an interruption, are no second step
		if c, err = p.append(ctx, c, record); err != nil {
			return err
		}
	}
	result.Path = c.ID.Dir() + "/" + specs.ClarificationsPath
	result.Commit = string(c.Tip)
	return nil
}

// unchanged says whether the change holds these files already, byte for byte.
func unchanged(ctx context.Context, c *changes.Change, files map[string][]byte) (bool, error) {
	have, err := c.Files(ctx)
	if err != nil {
		return false, err
	}
	for name, content := range files {
		if old, ok := have[name]; !ok || !bytes.Equal(old, content) {
			return false, nil
		}
	}
	return true, nil
}

// questions lets the proposer say what it cannot know.
func (b *Bench) questions(ctx context.Context, w *workspace, id phases.ChangeID, description string) ([]specs.Question, *handover, error) {
	dir, err := w.dir(ctx)
	if err != nil {
		return nil, nil, err
	}
	var asked []specs.Question
	h, err := b.take(ctx, id, nil, dir, turn{
		step: phases.StepClarify, role: config.Proposer, round: 1, access: agents.ToolsOnly,
		doing: fmt.Sprintf("is looking for what must be asked about %s", id),
		prompt: func(tools templates.Tools, failure string) string {
			return templates.ClarifyPrompt{Change: id.String(), Description: description, Max: maxQuestions, Tools: tools, Failure: failure}.Render()
		},
		check: func(h *handover) string {
			questions, ok, err := h.box.Questions()
			if err != nil || !ok {
				return "it proposed no questions (an empty list says that none are needed)"
			}
			asked = questions
			return ""
		},
	})
	if err != nil {
		return nil, h, err
	}
	b.Say.Done(fmt.Sprintf("%s has %s about %s", h.player.agent.Name(), plural(len(asked), "question"), id))
	return asked, h, nil
}

// clarify asks the person and makes the record of the answers.
func (b *Bench) clarify(ctx context.Context, w *workspace, id phases.ChangeID, description string) (changes.Record, error) {
	asked, h, err := b.questions(ctx, w, id, description)
	if err != nil {
		return changes.Record{}, err
	}
	document := specs.Clarifications{Change: id.String(), Created: b.Now().UTC()}
	for _, q := range asked {
		answer, err := b.answer(ctx, q)
		if err != nil {
			return changes.Record{}, err
		}
		document.Questions = append(document.Questions, answer)
	}
	subject := "clarified: no questions were needed"
	if len(asked) > 0 {
		subject = "clarified: " + plural(len(asked), "question") + " answered"
	}
	return changes.Record{
		Subject: subject,
		Files:   map[string][]byte{specs.ClarificationsPath: document.Markdown()},
		Calls:   h.calls,
		Transition: phases.Transition{
			Step: phases.StepClarify, Agent: h.agentID(), Usage: &h.usage, Actor: phases.Human,
		},
	}, nil
}

// answer asks one question. A person may always answer in their own words.
func (b *Bench) answer(ctx context.Context, q specs.Question) (specs.Clarification, error) {
	question := Question{Title: q.Question, Help: q.Header}
	for _, o := range q.Options {
		question.Options = append(question.Options, Option{Label: o.Label, Description: o.Description, Recommended: o.Recommended})
	}
	own := len(question.Options)
	question.Options = append(question.Options, Option{Label: "Something else"})
	var picks []int
	if q.MultiSelect {
		many, err := b.Ask.ChooseMany(ctx, question)
		if err != nil {
			return specs.Clarification{}, err
		}
		picks = many
	} else {
		one, err := b.Ask.Choose(ctx, question)
		if err != nil {
			return specs.Clarification{}, err
		}
		picks = []int{one}
	}
	var labels, reasons []string
	for _, pick := range picks {
		if pick == own {
			text, err := b.Ask.Text(ctx, q.Question, "")
			if err != nil {
				return specs.Clarification{}, err
			}
			labels = append(labels, text)
			continue
		}
		labels = append(labels, q.Options[pick].Label)
		reasons = append(reasons, q.Options[pick].Description)
	}
	return specs.Clarification{
		Topic: q.Topic, Question: q.Question, Answer: strings.Join(labels, "; "), Rationale: strings.Join(reasons, "\n"),
	}, nil
}

// plural counts things in words: "1 question", "2 questions".
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
