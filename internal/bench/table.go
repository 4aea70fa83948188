package main

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"
)

// table collects the results: what ours costs, and what the other costs.
type table struct{ rows []result }

type result struct {
	what  string
	ours  sample
	than  string
	other sample
}

func (t *table) add(what string, ours sample, than string, other sample) {
	t.rows = append(t.rows, result{what, ours, than, other})
}

func (t *table) write(w io.Writer) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "what\tours\tcompared with\ttheirs\tratio\tpeak ours\tpeak theirs")
	for _, r := range t.rows {
		ratio := "-"
		if r.other.time > 0 {
			ratio = fmt.Sprintf("%.2f", float64(r.ours.time)/float64(r.other.time))
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", r.what, millis(r.ours.time), r.than, millis(r.other.time), ratio, mib(r.ours.peak), mib(r.other.peak))
	}
	return tw.Flush()
}

func millis(d time.Duration) string {
	return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
}

func mib(bytes int64) string {
	if bytes == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f MiB", float64(bytes)/(1<<20))
}
