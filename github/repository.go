package github

import "context"

// Repository is what we ask of a repository itself.
type Repository struct {
	Default string // branch
	Private bool   // not everybody sees it
}

// Repository reads it.
func (c *Client) Repository(ctx context.Context) (Repository, error) {
	r, _, err := c.rest.Repositories.Get(ctx, c.target.Owner, c.target.Repo)
	if err != nil {
		return Repository{}, c.explain(ctx, "read the repository", err)
	}
	return Repository{Default: r.GetDefaultBranch(), Private: r.GetPrivate()}, nil
}
