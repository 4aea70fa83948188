package config

// Cap is an upper limit on spending. The zero value caps nothing.
type Cap struct {
	USD    float64 // 0: no limit in money
	Tokens int64   // 0: no limit in tokens
}

// IsZero reports whether the cap caps nothing.
func (c Cap) IsZero() bool { return c == Cap{} }

// Unknown says what happens, under a cap, after a call whose usage nobody knows.
type Unknown string

// Stop is the default: an unknown number cannot be shown to be within a limit.
// Estimate charges Budget.USDPerMinute for the time the call took.
const (
	UnknownStop     Unknown = "stop"
	UnknownEstimate Unknown = "estimate"
)

// Budget is the table [budget].
type Budget struct {
	PerChange    Cap
	PerRun       Cap
	PerDay       Cap
	Unknown      Unknown
	USDPerMinute float64 // the estimate for calls without usage
}

// IsZero reports whether nothing is capped.
func (b Budget) IsZero() bool {
	return b.PerChange.IsZero() && b.PerRun.IsZero() && b.PerDay.IsZero()
}

func defaultBudget() Budget {
	return Budget{Unknown: UnknownStop, USDPerMinute: 0.25}
}

// With returns the budget in which every limit in money is usd, for one run that a person allows more or less.
// The change gets that limit also where it had none; limits in tokens stay.
func (b Budget) With(usd float64) Budget {
	b.PerChange.USD = usd
	for _, other := range []*Cap{&b.PerRun, &b.PerDay} {
		if other.USD > 0 {
			other.USD = usd
		}
	}
	return b
}

// Without returns the budget that limits nothing.
func (b Budget) Without() Budget {
	b.PerChange, b.PerRun, b.PerDay = Cap{}, Cap{}, Cap{}
	return b
}
