package cli

import (
	"errors"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agentd/gh-agentd/config"
)

// budgetFlag is --budget: for this run, another limit than the configuration's, or none.
type budgetFlag struct {
	text string
	with func(config.Budget) config.Budget // nil where the flag was not given
}

func addBudgetFlag(cmd *cobra.Command, f *budgetFlag) {
	cmd.Flags().Var(f, "budget", "Let this run go on until `USD` are spent, instead of the limits in [budget]; or none")
}

func (f *budgetFlag) String() string { return f.text }
func (f *budgetFlag) Type() string   { return "USD" }

// Set reads an amount such as 3, 2.50 or $2.50, or the word none.
func (f *budgetFlag) Set(text string) error {
	if f.text = text; text == "none" {
		f.with = config.Budget.Without
		return nil
	}
	usd, err := strconv.ParseFloat(strings.TrimPrefix(text, "$"), 64)
	if err != nil || !(usd > 0 && usd < 1e6) {
		return errors.New(`want an amount of US dollars such as 2.50, or "none"`)
	}
	f.with = func(b config.Budget) config.Budget { return b.With(usd) }
	return nil
}
