package cli

import (
	"fmt"
	"strings"

	"github.com/agentd/gh-agentd/workflow"
)

// inActions reports whether GitHub Actions runs us.
func (a *app) inActions() bool { return a.env.getenv("GITHUB_ACTIONS") == "true" }

// annotate shows violations at their files. They go to standard error: the runner reads both streams.
func (a *app) annotate(r workflow.CheckResult) {
	for _, v := range r.Violations {
		text := v.Message + "\n" + a.named(v.Hint)
		fmt.Fprintf(a.streams.err, "::error file=%s,title=%s::%s\n", property(placeToShow(v)), property("gh-agentd: "+v.Rule), data(harmless(text)))
	}
	for _, note := range r.Notes {
		fmt.Fprintf(a.streams.err, "::warning title=%s::%s\n", property("gh-agentd"), data(harmless(note)))
	}
}

// placeToShow is the file of a violation, or else the one that a reader of the change opens first.
func placeToShow(v workflow.CheckViolation) string {
	switch {
	case v.Path != "":
		return v.Path
	case v.Change != "":
		return "agentd/changes/" + v.Change + "/STATE.yaml"
	}
	return "agentd/config.toml"
}

// data escapes the text of a workflow command, property one of its values, as the runner's toolkit does.
func data(text string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(text)
}

func property(text string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(text)
}

// harmless keeps lines that the runner prints from being commands:
// of the old form, which counts anywhere in a line, and of the new one, which counts after blanks.
func harmless(text string) string {
	text = strings.ReplaceAll(text, "##[", "# #[")
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(strings.TrimSpace(line), "::") {
			lines[i] = strings.Replace(line, "::", ": :", 1)
		}
	}
	return strings.Join(lines, "\n")
}
