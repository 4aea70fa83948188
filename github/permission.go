package github

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Permission is what somebody may do in the repository.
type Permission int

// The permissions, from least to most. GitHub's "triage" is Read and its "maintain" is Write.
const (
	None Permission = iota
	Read
	Write
	Admin
)

func (p Permission) String() string {
	return [...]string{"none", "read", "write", "admin"}[p]
}

// ParsePermission reads GitHub's word.
func ParsePermission(word string) (Permission, error) {
	switch strings.ToLower(word) {
	case "none":
		return None, nil
	case "read", "triage":
		return Read, nil
	case "write", "maintain":
		return Write, nil
	case "admin":
		return Admin, nil
	}
	return None, fmt.Errorf("%q is no permission", word)
}

// Permission is what an account may do. A login that does not exist, or is not to be seen, may do nothing.
func (c *Client) Permission(ctx context.Context, a Account) (Permission, error) {
	op := "read the permission of " + a.String()
	level, _, err := c.rest.Repositories.GetPermissionLevel(ctx, c.target.Owner, c.target.Repo, a.String())
	if err != nil {
		err = c.explain(ctx, op, err)
		if _, ok := errors.AsType[*NotFoundError](err); ok {
			return None, nil
		}
		return None, err
	}
	p, err := ParsePermission(level.GetPermission())
	if err != nil {
		return None, fmt.Errorf("%s: %w", op, err)
	}
	return p, nil
}
