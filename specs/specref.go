package specs

import (
	"strings"
)

// ParseSpecRef reads one reference: auth#R1, auth:R1, specs/auth.md#r1-title, specs/auth.md (R1: Title), auth.
// The spec's id must be possible; whether it exists is for the validation to say.
func ParseSpecRef(text string) (SpecRef, error) {
	raw := oneLine(text)
	if strings.Count(raw, "`") == 2 {
		raw = strings.Trim(raw, "`")
	}
	rest := raw
	spec, anchor := rest, ""
	switch hash, note, colon := strings.IndexByte(rest, '#'), strings.IndexByte(rest, '('), strings.IndexByte(rest, ':'); {
	case hash >= 0:
		spec, anchor = rest[:hash], rest[hash+1:]
	case note >= 0:
		spec, anchor = rest[:note], strings.TrimSuffix(rest[note+1:], ")")
		if id, _, ok := requirementOf(anchor); ok {
			anchor = id
		}
	case colon >= 0:
		spec, anchor = rest[:colon], rest[colon+1:]
	}
	id, err := ParseSpecID(specName(strings.Trim(spec, "` ")))
	if err != nil {
		return SpecRef{Raw: raw}, err
	}
	return SpecRef{Spec: id, Requirement: strings.Trim(anchor, "` "), Raw: raw}, nil
}

// String returns the canonical form: auth#R1, or auth for the whole spec.
func (r SpecRef) String() string {
	if r.Requirement == "" {
		return string(r.Spec)
	}
	return string(r.Spec) + "#" + r.Requirement
}

// MarshalText writes it as String does.
func (r SpecRef) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// refs reads the Spec line of a task.
func (r *tasksReader) refs(value string, line int) []SpecRef {
	if isNone(value) {
		return nil
	}
	var refs []SpecRef
	for _, part := range splitList(strings.ReplaceAll(value, "\n", " ")) {
		if part == "" {
			continue
		}
		if isPlaceholder(part) || strings.Contains(part, "[name]") {
			r.problem("placeholder", High, line, "name the requirement", "spec reference is the placeholder %s", excerptOf(part))
			continue
		}
		ref, err := ParseSpecRef(part)
		if err != nil {
			r.problem("broken-reference", Medium, line, "write <spec>#R1", "spec reference %q: %v", excerptOf(part), err)
		}
		refs = append(refs, ref)
	}
	return refs
}

var slugDropped = lazy(`[^\p{L}\p{N}\- _]`)

// headingSlug is the anchor that GitHub gives a heading.
func headingSlug(title string) string {
	return strings.ReplaceAll(slugDropped().ReplaceAllString(strings.ToLower(strings.TrimSpace(title)), ""), " ", "-")
}

var anchorID = lazy(`(?i)^((?:[A-Z]{1,4}-?)?R\d+)(?:$|[-:\s])`)

// Resolve finds the requirement that an anchor means:
// the exact id, an id in front of more words, the anchor of the heading with or without its id.
// Case makes no difference.
func (s *Spec) Resolve(anchor string) (Requirement, bool) {
	id := normalID(anchor)
	for _, requirement := range s.Requirements {
		if normalID(requirement.ID) == id {
			return requirement, true
		}
	}
	if match := anchorID().FindStringSubmatch(anchor); match != nil {
		for _, requirement := range s.Requirements {
			if normalID(requirement.ID) == normalID(match[1]) {
				return requirement, true
			}
		}
	}
	slug := headingSlug(anchor)
	for _, requirement := range s.Requirements {
		for _, title := range []string{requirement.ID + ": " + requirement.Title, requirement.ID + " - " + requirement.Title, requirement.Title} {
			if requirement.Title != "" && headingSlug(title) == slug {
				return requirement, true
			}
		}
	}
	return Requirement{}, false
}

// hasSection reports whether an anchor means a section of the spec rather than a requirement.
func (s *Spec) hasSection(anchor string) bool {
	slug := headingSlug(anchor)
	for _, title := range []string{"Overview", "Requirements", "Acceptance Criteria", "Flow"} {
		if headingSlug(title) == slug {
			return true
		}
	}
	for _, section := range s.Sections {
		if headingSlug(section.Title) == slug {
			return true
		}
	}
	return false
}
