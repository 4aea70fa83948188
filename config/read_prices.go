package config

import "fmt"

// readPrices reads [prices."<model>"]: USD per million tokens, input and output at least.
func readPrices(t table, prices map[string]Price) {
	for _, model := range t.keys() {
		entry := t.table(model)
		input, hasInput := entry.number("input")
		output, hasOutput := entry.number("output")
		price := Price{Input: input, Cached: input, CacheWrite: input, Output: output}
		if cached, ok := entry.number("cached"); ok {
			price.Cached = cached
		}
		if write, ok := entry.number("cache_write"); ok {
			price.CacheWrite = write
		}
		if entry.values != nil && (!entry.has("input") || !entry.has("output")) {
			t.r.refuse(entry.path, "want input and output, in USD per million tokens")
		}
		if hasInput && hasOutput {
			prices[model] = price
		}
	}
}

// oddPrices points at prices in model entries that are not the shipped ones:
// files of the older tool carry prices that were wrong by several times,
// and whoever has a price of his own says so in [prices].
func (c *Config) oddPrices(r *reading) []Warning {
	var warnings []Warning
	for _, name := range c.AgentNames() {
		for i, m := range c.Agents[name].Models {
			shipped, known := shippedPrices()[m.Name]
			if _, own := c.Prices[m.Name]; own || !known || m.CostInput == nil || m.CostOutput == nil {
				continue
			}
			if *m.CostInput == shipped.Input && *m.CostOutput == shipped.Output {
				continue
			}
			path := fmt.Sprintf("%s.models[%d].cost_per_1m_input", name, i)
			if r.lineOf(path) == 0 {
				path = "agents." + path
			}
			warnings = append(warnings, Warning{r.file, r.lineOf(path), anyEntry().ReplaceAllString(path, ""), fmt.Sprintf(
				"%s costs %g in and %g out here, the list price of %s is %g and %g; [prices.%q] says it on purpose",
				m.Name, *m.CostInput, *m.CostOutput, PricesAsOf, shipped.Input, shipped.Output, m.Name)})
		}
	}
	return warnings
}
