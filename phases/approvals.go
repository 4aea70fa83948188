package phases

// Approval is an approval of a plan or of code that some commit of a history holds.
type Approval struct {
	Commit string
	record Transition
}

// Same reports whether two commits record the same approval: a rebase gives it another commit and nothing else.
func (a Approval) Same(b Approval) bool { return differs(a.record, b.record) == "" }

// Approvals are the approvals in a history, oldest first, whether or not they still hold. Nothing is replayed.
func Approvals(h History) []Approval {
	var all []Approval
	for _, c := range h.Commits {
		m, err := ParseMessage(c.Message)
		if err != nil || m.Transition == nil || m.Transition.Change != h.Change {
			continue
		}
		t := *m.Transition
		if a := (Applied{Transition: t}); approvesPlan(a) || approvesCode(a) {
			all = append(all, Approval{Commit: c.ID, record: t})
		}
	}
	return all
}
