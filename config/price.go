package config

import (
	_ "embed" // the table of prices
	"fmt"
	"math"
	"regexp"
	"sync"

	"github.com/BurntSushi/toml"
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

//go:embed prices.toml
var shippedTable []byte

// shippedPrices are the list prices that come with the program.
var shippedPrices = sync.OnceValue(func() map[string]Price {
	prices, _, err := parseShipped(shippedTable)
	if err != nil {
		panic(err) // a test reads it
	}
	return prices
})

func parseShipped(table []byte) (prices map[string]Price, asOf string, err error) {
	var file struct {
		AsOf   string `toml:"as_of"`
		Prices map[string]struct {
			Input, Cached, Output float64
			CacheWrite            *float64 `toml:"cache_write"`
		}
	}
	if err := toml.Unmarshal(table, &file); err != nil {
		return nil, "", fmt.Errorf("prices.toml: %w", err)
	}
	prices = make(map[string]Price, len(file.Prices))
	for model, p := range file.Prices {
		price := Price{Input: p.Input, Cached: p.Cached, CacheWrite: p.Input, Output: p.Output}
		if p.CacheWrite != nil {
			price.CacheWrite = *p.CacheWrite
		}
		prices[model] = price
	}
	return prices, file.AsOf, nil
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
