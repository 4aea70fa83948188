package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/workflow"
)

// completeIDs offers the changes that have a branch here, as first argument.
func (a *app) completeIDs(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	repo, err := gitops.Open(cmd.Context(), gitops.Env{Dir: a.workDir(), Environ: a.env.Environ})
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	refs, err := repo.Refs(cmd.Context(), "refs/heads/agentd/")
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var ids []string
	for _, ref := range refs {
		if id, ok := phases.ChangeIDFromBranch(ref.Name); ok && strings.HasPrefix(id.String(), typed) {
			ids = append(ids, id.String())
		}
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}

// completeShow offers ids, then documents.
func (a *app) completeShow(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(args) != 1 {
		return a.completeIDs(cmd, args, typed)
	}
	names := slices.DeleteFunc(append(workflow.ShowNames(), "specs"), func(name string) bool { return !strings.HasPrefix(name, typed) })
	return names, cobra.ShellCompDirectiveNoFileComp
}
