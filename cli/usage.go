package cli

import (
	"bufio"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cli/go-gh/v2/pkg/tableprinter"
	"github.com/spf13/cobra"

	"github.com/agentd/gh-agentd/workflow"
)

func newUsageCommand(a *app) *cobra.Command {
	var (
		by string
		j  *jsonFlags
	)
	cmd := &cobra.Command{
		Use:   "usage [<id>]",
		Short: "Show what agents have used and cost",
		Long: a.text(`
Show the tokens, time and cost of agent calls, as the history of the changes records them.
What an agent did not report is counted as unknown, never as nothing.`),
		Example: a.text(`
$ gh agentd usage
$ gh agentd usage add-oauth --by step
$ gh agentd usage --by month --json key,usd`),
		Args: withArgs(0, 1, "the change's id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			request := workflow.UsageRequest{By: by}
			if len(args) == 1 {
				id, err := a.changeID(cmd, args[0])
				if err != nil {
					return err
				}
				request.Change = id
				if !cmd.Flags().Changed("by") {
					request.By = "step"
				}
			}
			if !slices.Contains(workflow.UsageKeys(), request.By) {
				return usage(cmd, fmt.Errorf("--by knows %s, not %q", strings.Join(workflow.UsageKeys(), ", "), by))
			}
			bench, err := a.bench(cmd.Context())
			if err != nil {
				return err
			}
			sum := workflow.Usage{Bench: bench}
			result, err := sum.Run(cmd.Context(), request)
			if err != nil {
				return err
			}
			if j.wanted() {
				return j.write(a.streams, result.Rows)
			}
			if err := a.usageTable(request.By, result); err != nil {
				return err
			}
			if lost := result.Lost; lost.Calls > 0 {
				a.progress.Note("not in the history, because nothing came of it: " + usedText(lost))
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&by, "by", "change", "Sum up by `key`: change, step, role, agent or month")
	_ = cmd.RegisterFlagCompletionFunc("by", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return workflow.UsageKeys(), cobra.ShellCompDirectiveNoFileComp
	})
	j = addJSON(cmd, []workflow.UsageRow{})
	cmd.ValidArgsFunction = a.completeIDs
	exitCodes(cmd, ExitGate, ExitInterrupted)
	return cmd
}

func (a *app) usageTable(by string, result workflow.UsageResult) error {
	s, p := a.streams, paint(a.streams.color)
	out := bufio.NewWriter(s.out) // the printer writes field by field
	table := tableprinter.New(out, s.outTTY, s.width())
	rows := result.Rows
	if s.outTTY {
		table.AddHeader([]string{strings.ToUpper(by), "CALLS", "IN", "CACHED", "OUT", "TIME", "USD"}, tableprinter.WithColor(p.muted))
		if len(rows) > 1 {
			rows = append(slices.Clone(rows), workflow.UsageRow{Key: "total", UsageTotals: result.Total})
		}
	}
	for _, row := range rows {
		table.AddField(row.Key, tableprinter.WithColor(p.bold))
		calls := strconv.Itoa(row.Calls)
		if s.outTTY && row.Unknown > 0 {
			calls += fmt.Sprintf(" (%d unknown)", row.Unknown)
		}
		table.AddField(calls)
		for _, n := range []*int64{row.In, row.Cached, row.Out} {
			switch {
			case n == nil:
				table.AddField("")
			case s.outTTY:
				table.AddField(thousands(*n))
			default:
				table.AddField(strconv.FormatInt(*n, 10))
			}
		}
		if s.outTTY {
			table.AddField(duration(time.Duration(row.Millis) * time.Millisecond))
		} else {
			table.AddField(strconv.FormatInt(row.Millis, 10))
		}
		table.AddField(dollars(row.USD))
		if !s.outTTY {
			table.AddField(strconv.Itoa(row.Unknown))
		}
		table.EndRow()
	}
	return errors.Join(table.Render(), out.Flush())
}

// usageLine is what a run has cost, in one line; "" where no agent was called.
func usageLine(u workflow.UsageTotals) string {
	if u.Calls == 0 {
		return ""
	}
	return "used so far: " + usedText(u)
}

func usedText(u workflow.UsageTotals) string {
	if u.In == nil || u.Unknown == u.Calls {
		return plural(u.Calls, "agent call") + " that did not tell what was used"
	}
	text := fmt.Sprintf("%s, %s tokens in, %s out", plural(u.Calls, "agent call"), thousands(*u.In), thousands(*u.Out))
	if cost := dollars(u.USD); cost != "" {
		text += ", $" + cost
	}
	if u.Unknown > 0 {
		text += fmt.Sprintf(" (%s without numbers)", plural(u.Unknown, "call"))
	}
	return text
}

// thousands is a number of tokens at a glance: 912, 24.6k, 1.2M.
func thousands(n int64) string {
	switch {
	case n < 1000:
		return strconv.FormatInt(n, 10)
	case n < 1_000_000:
		return strconv.FormatFloat(float64(n)/1000, 'f', 1, 64) + "k"
	}
	return strconv.FormatFloat(float64(n)/1_000_000, 'f', 1, 64) + "M"
}

// dollars is a price, "" where it is not known.
func dollars(usd *float64) string {
	if usd == nil {
		return ""
	}
	return strconv.FormatFloat(*usd, 'f', 4, 64)
}
