package github

import (
	"context"
	"net/http"

	"github.com/google/go-github/v60/github"
)

// PullDraft is a pull request as it shall be.
type PullDraft struct {
	Branch string // required
	Owner  string // whose fork the branch is in, "" for the repository itself
	Base   string // required, for a new one; a person may have pointed an open one elsewhere
	Title  string // for a new one, and sanitized; afterwards it is a person's
	Body   string // our part of the body; a model's words in it went through [Sanitizer.Text]
	Draft  bool   // for a new one
	// Again makes a new one where the last one was closed or merged; without it that is a *ClosedError.
	Again bool
}

// EnsuredPull is a pull request and what was done to it.
type EnsuredPull struct {
	PullRequest
	Created, Updated bool
	NoDraft          bool // a draft was wanted, and the repository's plan has none
}

// PlanPull says which write brings the pull request about, given those that the branch has, the newest first.
// Without a request nothing is to be done. The sanitizer's target is the repository.
func PlanPull(s Sanitizer, d PullDraft, have []PullRequest) (request *Request, open *PullRequest, err error) {
	open, err = pick(d, have)
	if err != nil {
		return nil, nil, err
	}
	if open == nil {
		r := d.create(s)
		return &r, nil, nil
	}
	if body := capRegion(open.Body, s.Redact(d.Body)); body != open.Body {
		r := newRequest(http.MethodPatch, s.Target.repo("/pulls/%d", open.Number), struct {
			Body string `json:"body"`
		}{body})
		return &r, open, nil
	}
	return nil, open, nil
}

// pick is the open pull request, that to our base before others.
func pick(d PullDraft, have []PullRequest) (*PullRequest, error) {
	var open *PullRequest
	for i, p := range have {
		if !p.Closed && (open == nil || p.Base == d.Base && open.Base != d.Base) {
			open = &have[i]
		}
	}
	if open == nil && len(have) > 0 && !d.Again {
		return nil, have[0].refuse()
	}
	return open, nil
}

func (d PullDraft) create(s Sanitizer) Request {
	head := d.Branch
	if d.Owner != "" && d.Owner != s.Target.Owner {
		head = d.Owner + ":" + d.Branch
	}
	return newRequest(http.MethodPost, s.Target.repo("/pulls"), struct {
		Title string `json:"title"`
		Head  string `json:"head"`
		Base  string `json:"base"`
		Body  string `json:"body"`
		Draft bool   `json:"draft"`
	}{s.Title(d.Title, titleLimit), head, d.Base, capRegion("", s.Redact(d.Body)), d.Draft})
}

const (
	// bodyLimit stays below GitHub's 65,536 characters, which it may count in UTF-16.
	bodyLimit  = 60_000
	titleLimit = 256
)

// capRegion sets our region, and cuts it where the body gets too long. The person's part is never cut.
func capRegion(body, text string) string {
	set := SetRegion(body, text)
	if over := utf16Len(set) - bodyLimit; over > 0 {
		text = cutUTF16(text, utf16Len(text)-over)
		set = SetRegion(body, text)
	}
	return set
}

// EnsurePull makes the branch have an open pull request with our part in its body.
// It never changes a title, a base, or a word outside our part.
func (c *Client) EnsurePull(ctx context.Context, d PullDraft) (EnsuredPull, error) {
	op := "open the pull request of " + d.Branch
	var created, noDraft bool
	for try := 1; ; try++ {
		have, err := c.Pulls(ctx, d.Owner, d.Branch)
		if err != nil {
			return EnsuredPull{}, err
		}
		request, open, err := PlanPull(c.sanitize, d, have)
		if err != nil {
			return EnsuredPull{}, err
		}
		if request == nil {
			return EnsuredPull{PullRequest: *open, NoDraft: noDraft, Created: created}, nil
		}
		if open != nil {
			op = "update the pull request of " + d.Branch
		}
		var done github.PullRequest
		err = c.send(ctx, op, *request, &done)
		if err == nil {
			return EnsuredPull{PullRequest: pullOf(&done), Created: open == nil, Updated: open != nil, NoDraft: noDraft}, nil
		}
		refused := refusal(err)
		switch {
		case refused != nil && d.Draft && refused.says("draft pull requests are not supported"):
			d.Draft, noDraft = false, true
		case refused != nil && refused.says("already exists"): // somebody was faster, or the list lagged behind
		case unclear(err):
			created = open == nil
		default:
			return EnsuredPull{}, err
		}
		if try == attempts {
			return EnsuredPull{}, err
		}
	}
}

// SetDraft makes a pull request a draft, or ready for review. It reports whether it did.
func (c *Client) SetDraft(ctx context.Context, number int, draft bool) (bool, error) {
	op, mutation := "mark the pull request ready for review", readyMutation
	if draft {
		op, mutation = "make the pull request a draft", draftMutation
	}
	for try := 1; ; try++ {
		p, err := c.Pull(ctx, number)
		if err != nil {
			return false, err
		}
		if p.Draft == draft {
			return try > 1, nil
		}
		if err := p.refuse(); err != nil {
			return false, err
		}
		err = c.graph(ctx, op, mutation, map[string]any{"id": p.NodeID}, nil)
		if err == nil {
			return true, nil
		}
		if !unclear(err) || try == attempts {
			return false, err
		}
	}
}
