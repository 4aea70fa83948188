package workflow

import (
	"testing"
	"time"

	"github.com/agentd/gh-agentd/config"
	"github.com/agentd/gh-agentd/phases"
	"github.com/agentd/gh-agentd/specs"
)

// A commit that claims another day is not among the steps of today: what it tells of is charged as remembered.
func TestTally_without_NC01(t *testing.T) {
	id, err := phases.ParseChangeID("add-oauth")
	if err != nil {
		t.Fatal(err)
	}
	other, _ := phases.ParseChangeID("other")
	step := func(id phases.ChangeID, millis int64) phases.Transition {
		return phases.Transition{Change: id, Step: phases.StepChallenge, Usage: &phases.Usage{Millis: millis}}
	}
	var calls []spentCall
	var journal []specs.LLMCall
	for _, millis := range []int64{30, 10, 20, 70} {
		call := specs.CallOf("challenge", "codex", phases.Usage{Millis: millis}, time.Unix(1e9, 0))
		calls, journal = append(calls, spentOf(call, config.Challenger, false)), append(journal, call)
	}
	lost := calls[3]
	for _, tc := range []struct {
		name  string
		steps []phases.Transition
		want  int
	}{
		{"all are of today, and one step took two calls", []phases.Transition{step(id, 30), step(id, 30)}, 1},
		{"one is of another day", []phases.Transition{step(id, 30)}, 3},
		{"none is of today", nil, 4},
		{"of another change", []phases.Transition{step(other, 100)}, 4},
	} {
		t.Run(tc.name, func(t *testing.T) {
			left := tallyOf(tc.steps).without(id, append([]spentCall(nil), calls...), journal[:3])
			if len(left) != tc.want || left[len(left)-1] != lost {
				t.Errorf("%d calls are left, want %d: %+v", len(left), tc.want, left)
			}
		})
	}
}

func TestBill_addSpent_underWay_NC01(t *testing.T) {
	const minute = 60_000
	unknown := phases.Usage{Unknown: true, Millis: minute}
	for _, tc := range []struct {
		name string
		call spentCall
		want bill
	}{
		{"nobody knows", spentCall{Open: true, Failed: true, Usage: unknown}, bill{silent: 1, minutes: 1}},
		{"what such calls cost", spentCall{Open: true, Failed: true, Usage: unknown, Expected: 0.5}, bill{usd: 0.5}},
		{"less until now", spentCall{Open: true, Failed: true, Usage: phases.Usage{In: 5, USD: usd(0.1)}, Expected: 0.5}, bill{usd: 0.5, tokens: 5}},
		{"more already", spentCall{Open: true, Failed: true, Usage: phases.Usage{In: 5, USD: usd(0.9)}, Expected: 0.5}, bill{usd: 0.9, tokens: 5}},
		{"killed", spentCall{Failed: true, Usage: unknown, Expected: 0.5}, bill{usd: 0.25}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var got bill
			if got.addSpent([]spentCall{tc.call}, 0.25); got != tc.want {
				t.Errorf("got %+v, want %+v", got, tc.want)
			}
		})
	}
}

func TestSpentCall_asOf_endsWithTheRolesLimit(t *testing.T) {
	began := time.Unix(1e9, 0)
	call := spentCall{Open: true, At: began}
	for after, want := range map[time.Duration]spentCall{
		-time.Hour:      {Open: true, At: began},
		time.Minute:     {Open: true, At: began, Usage: phases.Usage{Millis: 60_000}},
		100 * time.Hour: {At: began, Usage: phases.Usage{Millis: 3_600_000}},
	} {
		if got := call.asOf(began.Add(after), time.Hour); got != want {
			t.Errorf("after %s: got %+v, want %+v", after, got, want)
		}
	}
}
