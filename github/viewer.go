package github

import (
	"context"
	"strings"
	"time"

	"github.com/google/go-github/v60/github"
)

// fullHour is the window of the primary limit, for answers that do not tell the rest of it.
const fullHour = time.Hour

// Account is who does something on GitHub.
type Account struct {
	Login string // without the "[bot]" that REST writes and GraphQL does not
	Bot   bool   // an app
}

// String is the login as REST writes it.
func (a Account) String() string {
	if a.Bot {
		return a.Login + botSuffix
	}
	return a.Login
}

// Is reports whether two accounts are the same; GitHub's logins know no case.
func (a Account) Is(b Account) bool { return a.Bot == b.Bot && strings.EqualFold(a.Login, b.Login) }

const botSuffix = "[bot]"

// ParseAccount reads a login as REST and events write it; kind is their word for what it is, "" where they have none.
func ParseAccount(login, kind string) Account { return account(login, kind) }

func account(login, kind string) Account {
	name, bot := strings.CutSuffix(login, botSuffix)
	return Account{Login: name, Bot: bot || kind == "Bot"}
}

func accountOf(u *github.User) Account { return account(u.GetLogin(), u.GetType()) }

// actionsBot is who a workflow's own token is.
const actionsBot = "github-actions"

// Viewer is whose token it is. `GET /user` is refused to apps, GraphQL answers all.
func (c *Client) Viewer(ctx context.Context) (Account, error) {
	var data struct {
		Viewer struct{ Login, ID string }
	}
	if err := c.graph(ctx, "ask who is signed in", viewerQuery, nil, &data); err != nil {
		return Account{}, err
	}
	a := account(data.Viewer.Login, "")
	a.Bot = a.Bot || c.bot || strings.HasPrefix(data.Viewer.ID, "BOT_")
	return a, nil
}
