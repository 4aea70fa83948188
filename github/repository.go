package github

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"

	"github.com/google/go-github/v60/github"
)

// Repository is what we ask of a repository itself.
type Repository struct {
	Default string        // branch
	Private bool          // not everybody sees it
	Buttons *MergeButtons // nil where GitHub does not show them to this account
}

// MergeButtons are the ways in which a pull request may be merged.
type MergeButtons struct{ Merge, Squash, Rebase bool }

// Branch is what protects a branch.
type Branch struct {
	Protected bool
	Checks    []string // that have to pass
}

// Branch reads it: the branch's own protection, and the rules of rulesets that hold for it.
func (c *Client) Branch(ctx context.Context, name string) (Branch, error) {
	op := "read the rules of branch " + name
	var own struct {
		Protected  bool
		Protection struct {
			Checks struct{ Contexts []string } `json:"required_status_checks"`
		}
	}
	path := c.target.repo("/branches/%s", url.PathEscape(name))
	req, err := c.rest.NewRequest(http.MethodGet, path, nil)
	if err == nil {
		_, err = c.rest.Do(ctx, req, &own)
	}
	if err != nil {
		return Branch{}, c.explain(ctx, op, err)
	}
	rules, _, err := c.rest.Repositories.GetRulesForBranch(ctx, c.target.Owner, c.target.Repo, url.PathEscape(name))
	if err != nil {
		return Branch{}, c.explain(ctx, op, err)
	}
	found := Branch{Protected: own.Protected || len(rules) > 0, Checks: own.Protection.Checks.Contexts}
	for _, rule := range rules {
		if rule.Type != "required_status_checks" || rule.Parameters == nil {
			continue
		}
		var required github.RequiredStatusChecksRuleParameters
		if err := json.Unmarshal(*rule.Parameters, &required); err != nil {
			return found, c.explain(ctx, op, err)
		}
		for _, check := range required.RequiredStatusChecks {
			found.Checks = append(found.Checks, check.Context)
		}
	}
	return found, nil
}

// Repository reads it.
func (c *Client) Repository(ctx context.Context) (Repository, error) {
	r, _, err := c.rest.Repositories.Get(ctx, c.target.Owner, c.target.Repo)
	if err != nil {
		return Repository{}, c.explain(ctx, "read the repository", err)
	}
	found := Repository{Default: r.GetDefaultBranch(), Private: r.GetPrivate()}
	if r.AllowMergeCommit != nil {
		found.Buttons = &MergeButtons{Merge: r.GetAllowMergeCommit(), Squash: r.GetAllowSquashMerge(), Rebase: r.GetAllowRebaseMerge()}
	}
	return found, nil
}
