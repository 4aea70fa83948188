package cli

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agentd/gh-agentd/agents"
	"github.com/agentd/gh-agentd/config"
)

// What an agent would be refused for at its first call is refused with the configuration:
// the two packages that know it do not know each other.
func TestConfig_knowsWhatAgentsTake(t *testing.T) {
	_, _, err := config.Load("c", []byte("[agents.own]\ncommand = [\"own\", \"{nonsense}\"]\n"))
	if want := "known are {" + strings.Join(agents.Placeholders(), "} {") + "}"; err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("error is %v, want the end %s", err, want)
	}
	for _, name := range agents.Forbidden() {
		name = strings.ReplaceAll(name, "*", "X")
		_, _, err := config.Load("c", fmt.Appendf(nil, "[agents.own]\ncommand = \"own\"\nenv = {%s = \"x\"}\n", name))
		if want := "c:3: agents.own.env." + name + ": "; err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: error is %v", name, err)
		}
	}
}
