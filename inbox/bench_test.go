package inbox_test

import (
	"testing"

	"github.com/agentd/gh-agentd/inbox"
)

// BenchmarkBox_Call measures one call in a run of usual length, with its lock and its record.
func BenchmarkBox_Call(b *testing.B) {
	for _, row := range []struct {
		step, tool string
		args       object
	}{
		{"challenge", "read_file", object{"path": "proposal.md"}},
		{"challenge", "read_all_requirements", object{}},
		{"spec-gen-auth", "create_spec", spec("auth")},
	} {
		raw := encode(b, row.args)
		b.Run(row.tool, func(b *testing.B) {
			b.ReportAllocs()
			var box *inbox.Box
			for i := 0; b.Loop(); i++ {
				if i%inbox.DefaultMaxCalls == 0 {
					b.StopTimer()
					box = boxOf(b, inbox.Run{Change: "add-oauth", Step: row.step, Created: created}, files())
					b.StartTimer()
				}
				if _, err := box.Call(b.Context(), row.tool, raw); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
