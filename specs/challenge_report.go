package specs

// Markdown writes CHALLENGE.md.
// Free text stands in it as text: only the headings and the verdict are structure, and those are ours.
func (r ChallengeReport) Markdown() []byte {
	var doc report
	doc.head("Challenge", r.Change, r.Round, r.Agent)
	doc.section("Summary")
	doc.text(r.Summary, "No summary.")
	doc.issues(r.Findings)
	return doc.verdict(r.Verdict, r.Subject, "")
}
