package config

import (
	"errors"
	"strings"
	"testing"
)

func TestLoad_wrongValues(t *testing.T) {
	tests := []struct{ name, src, want string }{
		{"DC-01 syntax", "[workflow]\nprofile = spec\n", "config.toml:2: workflow.profile: "},
		{"DC-01 table twice", "[review]\nscan = \"auto\"\n[review]\n", "config.toml:3: "},
		{"DC-04 duplicate key", "[review]\nscan = \"auto\"\nscan = \"off\"\n", "config.toml:3: "},
		{"DC-10 conflict", "a = 1\n<<<<<<< ours\nb = 1\n=======\nb = 2\n>>>>>>> theirs\n", "config.toml:2: unresolved merge conflict"},
		{"DC-16 size", "# " + strings.Repeat("x", MaxFile), "config.toml: file has 262146 bytes, the limit is 262144"},
		{"DC-03 nested arrays", "a = 1\nb = " + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000), "config.toml:2: nested more than 64 levels deep"},
		{"DC-03 nested tables", "a = " + strings.Repeat("{a=", 20_000) + "1" + strings.Repeat("}", 20_000), "config.toml:1: nested more than 64 levels deep"},
		{"DC-03 long key", strings.Repeat("a.", 100_000) + "a = 1", "config.toml:1: nested more than 64 levels deep"},
		{"DC-03 long header", "\n[" + strings.Repeat("a.", 100_000) + "a]", "config.toml:2: nested more than 64 levels deep"},
		{"DC-03 long key within", "a = {" + strings.Repeat("a.", 100_000) + "a = 1}", "config.toml:1: nested more than 64 levels deep"},
		{"invalid UTF-8", "a = 1\nb = \"\xff\"\n", "config.toml:2: not valid UTF-8"},
		{"negative count", "[workflow]\n\nplanning_iterations = -1", "config.toml:3: workflow.planning_iterations: want a whole number from 0 to 100, got -1"},
		{"fraction", "[workflow]\nplanning_iterations = 1.5", "config.toml:2: workflow.planning_iterations: want a whole number from 0 to 100, got 1.5"},
		{"text for truth", "[workflow]\nhuman_in_loop = \"no\"", `config.toml:2: workflow.human_in_loop: want true or false, got "no"`},
		{"worktrees here", "[workflow]\nworktree_dir = \".\"", `config.toml:2: workflow.worktree_dir: want a folder outside the checkout, such as "../{project}-agentd", got "."`},
		{"worktrees below", "[workflow]\nworktree_dir = \"agentd\"", "config.toml:2: workflow.worktree_dir: want a folder outside the checkout"},
		{"worktrees out and in", "[workflow]\nworktree_dir = \"a/../b\"", "config.toml:2: workflow.worktree_dir: want a folder outside the checkout"},
		{"worktrees in the project", "[workflow]\nworktree_dir = \"../{project}/trees\"", "config.toml:2: workflow.worktree_dir: want a folder outside the checkout"},
		{"worktrees nowhere", "[workflow]\nworktree_dir = \"\"", "config.toml:2: workflow.worktree_dir: want a folder outside the checkout"},
		{"worktrees at home", "[workflow]\nworktree_dir = \"~/work\"", "config.toml:2: workflow.worktree_dir: want a folder outside the checkout"},
		{"profile", "[workflow]\nprofile = \"pair\"", `config.toml:2: workflow.profile: want "spec" or "crew", got "pair"`},
		{"choice of another type", "[github]\npublish = true", "config.toml:2: github.publish: want a text in quotes, got true"},
		{"empty choice", "[github]\npublish = \"\"", `config.toml:2: github.publish: want "always", "ask" or "never", got ""`},
		{"value for table", "workflow = 3", "config.toml:1: workflow: want a table, got 3"},
		{"table for list", "[review.commands]\n", "config.toml:1: review.commands: want a list of texts, got a table"},
		{"list of numbers", "[review]\ncommands = [1]", "config.toml:2: review.commands: want a list of texts, but element 1 is 1"},
		{"blank command", "[review]\ncommands = [\"go test\", \" \"]", `config.toml:2: review.commands: want a list of texts, but element 2 is " "`},
		{"duration without unit", "[limits]\nidle = \"6\"", `config.toml:2: limits.idle: want a duration above 0 such as "90s" or "20m", got "6"`},
		{"duration as number", "[limits.wall]\nreviewer = 6", `config.toml:2: limits.wall.reviewer: want a duration above 0 such as "90s" or "20m", got 6`},
		{"pattern", "[validation]\nwhen_pattern = \"(\"", "config.toml:2: validation.when_pattern: want a regular expression: "},
		{"severity", "[validation.severity_map]\nmissing_heading = \"Fatal\"", `config.toml:2: validation.severity_map.missing_heading: unknown severity "Fatal"`},
		{"unknown agent", "[roles]\nreviewer = \"codx\"", `config.toml:2: roles.reviewer: want "claude", "codex", "gemini" or "replay", got "codx"`},
		{"agent name", "[agents.\"a/b\"]\ncommand = \"x\"", "config.toml:1: agents.\"a/b\": "},
		{"agent without command", "[agents.own]\nprompt = \"stdin\"", `config.toml:1: agents.own: want a command, such as command = ["own"]`},
		{"agent twice", "[codex]\ncommand = \"a\"\n[agents.codex]\ncommand = \"b\"", `config.toml:3: agents.codex: agent "codex" has two tables, [codex] and [agents.codex]; keep one`},
		{"empty program", "[codex]\ncommand = \"\"", "config.toml:2: codex.command: want the name of a program"},
		{"prompt placeholder", "[agents.own]\ncommand = [\"own\"]\nprompt = \"arg\"", "config.toml:2: agents.own.command: want the placeholder {prompt} in it"},
		{"model placeholder", "[agents.own]\ncommand = [\"own\"]\nmodel = \"-m\"", "config.toml:3: agents.own.model: want the placeholder {model} in it"},
		{"unknown placeholder", "[agents.own]\ncommand = [\"own\", \"--x={nonsense}\"]", "config.toml:2: agents.own.command: unknown placeholder {nonsense}; known are {change} {dir} "},
		{"unknown placeholder in env", "[agents.own]\ncommand = \"own\"\n[agents.own.env]\nA = \"{nonsense}\"", "config.toml:4: agents.own.env.A: unknown placeholder {nonsense}; known are "},
		{"unknown placeholder of a built-in", "[codex]\nmodel = \"{model}{nonsense}\"", "config.toml:2: codex.model: unknown placeholder {nonsense}"},
		{"prompt where it is no argument", "[agents.own]\ncommand = [\"own\", \"{prompt}\"]", `config.toml:2: agents.own.command: {prompt} needs prompt = "arg"`},
		{"program of a placeholder", "[agents.own]\ncommand = [\"{model}\"]", `config.toml:2: agents.own.command: the program "{model}" is a placeholder`},
		{"variable of GitHub", "[agents.own]\ncommand = \"own\"\nenv = {GH_TOKEN = \"x\"}", "config.toml:3: agents.own.env.GH_TOKEN: this variable never reaches an agent"},
		{"variable of git", "[codex]\nenv = {GIT_DIR = \"x\"}", "config.toml:2: codex.env.GIT_DIR: this variable never reaches an agent"},
		{"variable of ours", "[agents.own]\ncommand = \"own\"\nenv = {AGENTD_RUN = \"x\"}", "config.toml:3: agents.own.env.AGENTD_RUN: this variable never reaches an agent"},
		{"default model", "[codex]\ndefault = \"flash\"", `config.toml:2: codex.default: no model has the id "flash"`},
		{"effort of the first model", "[[codex.models]]\nid = \"a\"\nmodel = \"m\"\nreasoning = \"huge\"\n[[codex.models]]\nid = \"b\"\nmodel = \"m\"\nreasoning = \"low\"\n",
			`config.toml:4: codex.models[0].reasoning: want low, medium, high or extra high, got "huge"`},
		{"model twice", "[[codex.models]]\nid = \"a\"\nmodel = \"m\"\n[[codex.models]]\nid = \"a\"\nmodel = \"m\"\n", `config.toml:5: codex.models[1].id: id "a" is used twice`},
		{"model without name", "[[codex.models]]\nid = \"a\"\n", "config.toml:1: codex.models[0].model: missing"},
		{"complexity", "[[codex.models]]\nid = \"a\"\nmodel = \"m\"\ncomplexity = \"huge\"", `config.toml:4: codex.models[0].complexity: want "low", "medium", "high" or "critical", got "huge"`},
		{"AG-25 price NaN", "[prices.m]\ninput = nan\noutput = 1", "config.toml:2: prices.m.input: want a number from 0 to 1000000, got NaN"},
		{"AG-25 price negative", "[prices.m]\ninput = 1\noutput = -1", "config.toml:3: prices.m.output: want a number from 0 to 1000000, got -1"},
		{"AG-25 price infinite", "[[codex.models]]\nid = \"a\"\nmodel = \"m\"\ncost_per_1m_input = inf", "config.toml:4: codex.models[0].cost_per_1m_input: want a number from 0 to 1000000, got +Inf"},
		{"half a price", "[prices.m]\ninput = 1", "config.toml:1: prices.m: want input and output, in USD per million tokens"},
		{"budget of nothing", "[budget]\nper_run = 0", "config.toml:2: budget.per_run: want more than 0; leave the key out for no limit"},
		{"budget as text", "[budget]\nper_run = \"$2\"", `config.toml:2: budget.per_run: want USD such as 2.50, or { usd = 2.50, tokens = 2_000_000 }, got "$2"`},
		{"budget of tokens", "[budget]\nper_run = { tokens = 1.5 }", "config.toml:2: budget.per_run.tokens: want a whole number above 0, got 1.5"},
		{"empty budget", "[budget]\nper_run = {}", "config.toml:2: budget.per_run: want usd, tokens or both"},
		{"no profile", "[policy]\nprofiles = []", "config.toml:2: policy.profiles: want at least one profile, else no change could ever pass"},
		{"strange profile", "[policy]\nprofiles = [\"fast\"]", `config.toml:2: policy.profiles: want "spec", "crew" or "pair", got "fast"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := Load("config.toml", []byte(tt.src))
			if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("more than one error: %v", err)
			}
		})
	}
}

func TestLoad_allErrorsAtOnce(t *testing.T) {
	_, _, err := Load("c", []byte("[github]\npublish = 1\n[workflow]\nprofile = \"x\"\nscript_retries = true\n"))
	wrong, ok := errors.AsType[*Error](err)
	if !ok || wrong.Line != 2 {
		t.Errorf("first error: %v", err)
	}
	if got := strings.Count(err.Error(), "\n"); got != 2 {
		t.Errorf("want three lines, got:\n%v", err)
	}
}
