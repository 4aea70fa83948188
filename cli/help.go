package cli

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The keys of cobra's annotations that our help reads.
const (
	annotationCodes  = "exit-codes"  // "10 11 12"
	annotationFields = "json-fields" // "change,phase"
	annotationOrder  = "order"       // place among its siblings; cobra itself sorts by name
)

// codeMeanings are the exit codes of the program, as DESIGN and README list them.
var codeMeanings = [...]struct {
	code    int
	meaning string
}{
	{ExitOK, "done"},
	{ExitError, "an error: usage, a lock that is held, an agent that failed"},
	{ExitCancelled, "cancelled: a prompt was declined"},
	{ExitSignIn, "an agent or GitHub needs a sign-in"},
	{ExitDecision, "a person must decide"},
	{ExitGate, "a gate refused: phase, staleness, invalid documents, a conflict, a diverged branch"},
	{ExitLimit, "a limit was reached: rounds, a loop that stalls, budget"},
	{ExitInterrupted, "interrupted"},
}

// exitCodes says with which codes a command can end; 0 and 1 are always among them.
func exitCodes(cmd *cobra.Command, codes ...int) {
	codes = append(codes, ExitOK, ExitError)
	slices.Sort(codes)
	texts := make([]string, 0, len(codes))
	for _, code := range slices.Compact(codes) {
		texts = append(texts, strconv.Itoa(code))
	}
	annotate(cmd, annotationCodes, strings.Join(texts, " "))
}

func annotate(cmd *cobra.Command, key, value string) {
	if cmd.Annotations == nil {
		cmd.Annotations = map[string]string{}
	}
	cmd.Annotations[key] = value
}

// helpPage writes the help of a command in gh's layout.
func helpPage(w io.Writer, cmd *cobra.Command, p paint) {
	text := cmd.Long
	if text == "" {
		text = cmd.Short
	}
	fmt.Fprintln(w, strings.TrimSpace(text))
	section(w, p, "USAGE", useLine(cmd))
	if len(cmd.Aliases) > 0 {
		parent := strings.TrimSuffix(cmd.CommandPath(), cmd.Name())
		var lines []string
		for _, alias := range cmd.Aliases {
			lines = append(lines, parent+alias)
		}
		section(w, p, "ALIASES", strings.Join(lines, "\n"))
	}
	for _, group := range cmd.Groups() {
		section(w, p, strings.ToUpper(group.Title), commandLines(cmd, group.ID))
	}
	title := "COMMANDS"
	if len(cmd.Groups()) > 0 {
		title = "MORE COMMANDS"
	}
	section(w, p, title, commandLines(cmd, ""))
	section(w, p, "FLAGS", flagLines(cmd.NonInheritedFlags()))
	section(w, p, "INHERITED FLAGS", flagLines(cmd.InheritedFlags()))
	if fields := cmd.Annotations[annotationFields]; fields != "" {
		section(w, p, "JSON FIELDS", wrap(strings.ReplaceAll(fields, ",", ", "), 76))
	}
	section(w, p, "EXIT CODES", codeLines(cmd))
	section(w, p, "EXAMPLES", strings.TrimSpace(cmd.Example))
	if cmd.HasAvailableSubCommands() {
		section(w, p, "LEARN MORE", fmt.Sprintf("Use `%s <command> --help` for more about a command.", cmd.CommandPath()))
	}
}

// useLine is cobra's, with our two-word name kept whole.
func useLine(cmd *cobra.Command) string {
	line := cmd.CommandPath()
	if _, args, ok := strings.Cut(cmd.Use, " "); ok {
		line += " " + args
	}
	if cmd.HasAvailableSubCommands() && !strings.Contains(line, "<command>") {
		line += " <command>"
	}
	return line + " [flags]"
}

func section(w io.Writer, p paint, title, body string) {
	if body == "" {
		return
	}
	fmt.Fprintf(w, "\n%s\n", p.bold(title))
	for line := range strings.Lines(body) {
		if line = strings.TrimRight(line, "\n"); line != "" {
			line = "  " + line
		}
		fmt.Fprintln(w, line)
	}
}

func commandLines(cmd *cobra.Command, group string) string {
	var shown []*cobra.Command
	width := 0
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() && c.GroupID == group {
			shown = append(shown, c)
			width = max(width, len(c.Name()))
		}
	}
	slices.SortStableFunc(shown, func(a, b *cobra.Command) int {
		return cmp.Compare(a.Annotations[annotationOrder], b.Annotations[annotationOrder])
	})
	var b strings.Builder
	for _, c := range shown {
		fmt.Fprintf(&b, "%-*s  %s\n", width+1, c.Name()+":", c.Short)
	}
	return b.String()
}

func flagLines(flags *pflag.FlagSet) string {
	type row struct{ name, usage string }
	var rows []row
	width := 0
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		name := "    --" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", --" + f.Name
		}
		if value != "" {
			name += " " + value
		}
		rows = append(rows, row{name, usage})
		width = max(width, len(name))
	})
	var b strings.Builder
	for _, r := range rows {
		fmt.Fprintf(&b, "%-*s   %s\n", width, r.name, r.usage)
	}
	return b.String()
}

func codeLines(cmd *cobra.Command) string {
	own := strings.Fields(cmd.Annotations[annotationCodes])
	var b strings.Builder
	for _, c := range codeMeanings {
		if slices.Contains(own, strconv.Itoa(c.code)) {
			fmt.Fprintf(&b, "%-3d  %s\n", c.code, c.meaning)
		}
	}
	return b.String()
}

// wrap breaks text at spaces, so that no line is longer than width where that is possible.
func wrap(text string, width int) string {
	var b strings.Builder
	column := 0
	for _, word := range strings.Fields(text) {
		switch {
		case column == 0:
		case column+1+len(word) > width:
			b.WriteByte('\n')
			column = 0
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	return b.String()
}
