package config

import (
	"math"
	"regexp"
	"sync"
)

// PricesAsOf is the month in which the shipped prices were collected.
const PricesAsOf = "2026-10"

// Price is USD per million tokens.
type Price struct {
	Input      float64
	Cached     float64 // input read from the vendor's cache
	CacheWrite float64 // input written to the vendor's cache; equal to Input where writing costs nothing extra
	Output     float64
}

// Tokens is what one call used. In includes Cached and CacheWrite, as the vendors count.
type Tokens struct {
	In, Cached, CacheWrite, Out int64
}

// shippedPrices are the list prices of the models that the known CLIs report.
// A model whose price could not be found is left out: no cost is better than a wrong one.
// The dearer rate of very long prompts is left out as well,
// since a call's sum does not tell how long its single prompts were.
func shippedPrices() map[string]Price {
	gemini3Pro := Price{Input: 2, Cached: 0.20, CacheWrite: 2, Output: 12}
	codex := Price{Input: 1.75, Cached: 0.175, CacheWrite: 1.75, Output: 14}
	return map[string]Price{
		"gemini-3-flash-preview": {Input: 0.50, Cached: 0.05, CacheWrite: 0.50, Output: 3},
		"gemini-3-pro-preview":   gemini3Pro,
		"gemini-3.1-pro-preview": gemini3Pro,
		"gemini-3.5-flash":       {Input: 1.50, Cached: 0.15, CacheWrite: 1.50, Output: 9},
		"gemini-3.1-flash-lite":  {Input: 0.25, Cached: 0.025, CacheWrite: 0.25, Output: 1.50},
		"gpt-5.2-codex":          codex,
		"gpt-5.3-codex":          codex,
		"gpt-5.5":                {Input: 5, Cached: 0.50, CacheWrite: 5, Output: 30},
		"gpt-6-sol":              {Input: 2, Cached: 0.20, CacheWrite: 2, Output: 10},
		"gpt-6.1-sol":            {Input: 2, Cached: 0.10, CacheWrite: 2, Output: 10},
		"gpt-6-luna":             {Input: 0.10, Cached: 0.01, CacheWrite: 0.10, Output: 0.50},
		"gpt-6-astra":            {Input: 10, Cached: 1, CacheWrite: 10, Output: 50},
		"claude-sonnet-4-5":      {Input: 3, Cached: 0.30, CacheWrite: 3.75, Output: 15},
		"claude-sonnet-5-5":      {Input: 2, Cached: 0.10, CacheWrite: 2.50, Output: 10},
		"claude-opus-5-5":        {Input: 4, Cached: 0.20, CacheWrite: 5, Output: 20},
		"claude-haiku-4-5":       {Input: 1, Cached: 0.10, CacheWrite: 1.25, Output: 5},
	}
}

// Price returns what a model costs: what [prices] says, else what a [[<agent>.models]] entry says, else the shipped price.
// A name that ends in a date, such as claude-haiku-4-5-20251001, is looked up without it as well.
// An unknown model has no price, which is not the same as a price of 0.
func (c Config) Price(model string) (Price, bool) {
	for _, name := range []string{model, undated(model)} {
		if price, ok := c.Prices[name]; ok {
			return price, true
		}
		if price, ok := c.modelPrice(name); ok {
			return price, true
		}
		if price, ok := shippedPrices()[name]; ok {
			return price, true
		}
	}
	return Price{}, false
}

// Cost returns what a call cost in USD, by the model that the usage names.
// It is nil where the price is unknown or the counts make no sense: unknown is never 0.
func (c Config) Cost(model string, t Tokens) *float64 {
	price, ok := c.Price(model)
	if !ok || min(t.In, t.Cached, t.CacheWrite, t.Out) < 0 {
		return nil
	}
	plain := float64(t.In) - float64(t.Cached) - float64(t.CacheWrite)
	if plain < 0 {
		return nil
	}
	usd := (plain*price.Input + float64(t.Cached)*price.Cached +
		float64(t.CacheWrite)*price.CacheWrite + float64(t.Out)*price.Output) / 1e6
	usd = math.Round(usd*1e6) / 1e6
	return &usd
}

// modelPrice is the price in the entry of a model, which older files carry.
func (c Config) modelPrice(name string) (Price, bool) {
	for _, agent := range c.AgentNames() {
		for _, m := range c.Agents[agent].Models {
			if m.Name == name && m.CostInput != nil && m.CostOutput != nil {
				return m.price(), true
			}
		}
	}
	return Price{}, false
}

// price fills what an entry leaves open: without a rate of its own, cached input costs what input costs.
func (m Model) price() Price {
	p := Price{Input: *m.CostInput, Cached: *m.CostInput, CacheWrite: *m.CostInput, Output: *m.CostOutput}
	if m.CostCached != nil {
		p.Cached = *m.CostCached
	}
	return p
}

func undated(model string) string {
	return dated().ReplaceAllString(model, "")
}

var dated = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`-20\d{6}$`)
})
