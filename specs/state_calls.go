package specs

import (
	"math"
	"strconv"

	"gopkg.in/yaml.v3"

	"github.com/agentd/gh-agentd/phases"
)

// rawCall has the keys of both forms: ours, and the telemetry block of schema 2.0 with cost_usd.
type rawCall struct {
	Step         yaml.Node
	Agent        yaml.Node
	Model        yaml.Node
	Usage        yaml.Node
	TokensIn     yaml.Node `yaml:"tokens_in"`
	TokensCached yaml.Node `yaml:"tokens_cached"`
	TokensOut    yaml.Node `yaml:"tokens_out"`
	DurationMS   yaml.Node `yaml:"duration_ms"`
	Cost         yaml.Node
	CostUSD      yaml.Node `yaml:"cost_usd"`
	Timestamp    yaml.Node
}

// calls reads the agent calls of the flat form, then those of the telemetry block.
func (r *stateReader) calls(raw rawState) []LLMCall {
	nodes := elements(raw.LLMCalls)
	if raw.Telemetry.Kind == yaml.MappingNode {
		var telemetry struct {
			Calls    yaml.Node
			LLMCalls yaml.Node `yaml:"llm_calls"`
		}
		if err := raw.Telemetry.Decode(&telemetry); err != nil {
			r.problem(Low, "state-call", raw.Telemetry.Line, "telemetry: %s", problemText(err))
		}
		nodes = append(nodes, elements(telemetry.Calls)...)
		nodes = append(nodes, elements(telemetry.LLMCalls)...)
	}
	var calls []LLMCall
	for _, node := range nodes {
		var raw rawCall
		if err := node.Decode(&raw); err != nil {
			r.problem(Low, "state-call", node.Line, "llm_calls: %s", problemText(err))
			continue
		}
		calls = append(calls, r.call(raw))
	}
	return calls
}

func (r *stateReader) call(raw rawCall) LLMCall {
	call := LLMCall{
		Step:  r.text("step", raw.Step),
		Agent: r.text("agent", raw.Agent),
		Model: r.text("model", raw.Model),
		At:    r.time("timestamp", raw.Timestamp),
	}
	in, hasIn := r.tokens("tokens_in", raw.TokensIn)
	out, hasOut := r.tokens("tokens_out", raw.TokensOut)
	cached, _ := r.tokens("tokens_cached", raw.TokensCached)
	call.Usage = phases.Usage{In: in, Cached: cached, Out: out}
	if !hasIn || !hasOut || r.text("usage", raw.Usage) == "unknown" {
		call.Usage = phases.Usage{Unknown: true}
	}
	call.Usage.Millis, _ = r.tokens("duration_ms", raw.DurationMS)
	call.Usage = call.Usage.Bounded()
	call.Usage.USD = r.cost("cost", raw.Cost)
	if cost := r.cost("cost_usd", raw.CostUSD); call.Usage.USD == nil && cost != nil && *cost > 0 {
		call.Usage.USD = cost // the older tool writes 0 where it knows no price
	}
	return call
}

// mostTokens keeps sums of counts far from overflow; no call comes near it.
const mostTokens = 1e12

// tokens reads a count; known is false if the file does not say or says nonsense.
func (r *stateReader) tokens(key string, n yaml.Node) (count int64, known bool) {
	text := r.text(key, n)
	if text == "" {
		return 0, false
	}
	count, err := strconv.ParseInt(text, 10, 64)
	if err != nil || count < 0 || count > mostTokens {
		r.problem(Low, "state-call", n.Line, "%s: %q is taken as unknown", key, excerpt(text))
		return 0, false
	}
	return count, true
}

// cost reads USD; nonsense is as good as nothing.
func (r *stateReader) cost(key string, n yaml.Node) *float64 {
	text := r.text(key, n)
	if text == "" {
		return nil
	}
	usd, err := strconv.ParseFloat(text, 64)
	if err != nil {
		usd = math.NaN()
	}
	known := phases.Price(&usd)
	if known == nil {
		r.problem(Low, "state-call", n.Line, "%s: %q is taken as unknown", key, excerpt(text))
	}
	return known
}
