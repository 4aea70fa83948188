package specs

import (
	"cmp"
	"slices"
	"strings"
)

// ordered returns the parts below a part in the order of the merge, and once more as theirs has it where both reordered them.
//
// What both sides have keeps the order of the side that changed it.
// What only one side has goes behind the part that it stands behind there;
// where both sides have something behind the same part, the two runs are woven by id and title.
func (m *merging) ordered(parent *entity) (order, otherwise []*entity) {
	if len(parent.children) < 2 {
		return parent.children, nil
	}
	sequence := func(n *node, of []*entity) []*entity {
		if n == nil {
			return nil
		}
		list := make([]*entity, 0, len(n.children)+4)
		for _, child := range n.children {
			if e := of[child.index]; e.parent == parent && !e.gone {
				list = append(list, e)
			}
		}
		return list
	}
	ours, theirs := sequence(parent.ours, m.ofOurs), sequence(parent.theirs, m.ofTheirs)
	base := sequence(parent.base, m.ofBase)

	shared := func(e *entity) bool {
		return e.ours != nil && e.theirs != nil && e.ours.parent == parent.ours && e.theirs.parent == parent.theirs
	}
	kept := func(e *entity) bool { return shared(e) && e.base != nil && e.base.parent == parent.base }
	oldOurs, oldTheirs, old := filter(ours, kept), filter(theirs, kept), filter(base, kept)
	sharedOurs, sharedTheirs := filter(ours, shared), filter(theirs, shared)

	pickTheirs := slices.Equal(oldOurs, old) && !slices.Equal(oldTheirs, old)
	differs := false
	switch {
	case pickTheirs:
	case slices.Equal(oldOurs, oldTheirs):
		differs = !slices.Equal(sharedOurs, sharedTheirs)
	default:
		differs = !slices.Equal(oldTheirs, old)
	}
	skeleton := sharedOurs
	if pickTheirs {
		skeleton = sharedTheirs
	}
	order = weave(skeleton, runs(ours, shared), runs(theirs, shared))
	if differs {
		otherwise = weave(sharedTheirs, runs(ours, shared), runs(theirs, shared))
	}
	return order, otherwise
}

func filter(list []*entity, keep func(*entity) bool) []*entity {
	out := make([]*entity, 0, len(list))
	for _, e := range list {
		if keep(e) {
			out = append(out, e)
		}
	}
	return out
}

// runs are the parts that only one side has, by the shared part that they stand behind; nil is the beginning.
func runs(list []*entity, shared func(*entity) bool) map[*entity][]*entity {
	runs := map[*entity][]*entity{}
	var anchor *entity
	for _, e := range list {
		if shared(e) {
			anchor = e
		} else {
			runs[anchor] = append(runs[anchor], e)
		}
	}
	return runs
}

// weave puts the runs of both sides behind their anchors.
func weave(skeleton []*entity, ours, theirs map[*entity][]*entity) []*entity {
	out := weaveRuns(nil, ours[nil], theirs[nil])
	for _, e := range skeleton {
		out = weaveRuns(append(out, e), ours[e], theirs[e])
	}
	return out
}

// weaveRuns takes the lesser of the two first parts, again and again:
// each run keeps its order, and any number of runs come out the same in whatever order they are woven.
func weaveRuns(out, a, b []*entity) []*entity {
	for len(a) > 0 && len(b) > 0 {
		if lessOrder(a[0], b[0]) <= 0 {
			out, a = append(out, a[0]), a[1:]
		} else {
			out, b = append(out, b[0]), b[1:]
		}
	}
	return append(append(out, a...), b...)
}

func lessOrder(a, b *entity) int {
	x, y := a.any(), b.any()
	return cmp.Or(
		cmp.Compare(x.rank(), y.rank()),
		naturalOrder(x.name, y.name),
		strings.Compare(x.scope, y.scope),
		cmp.Compare(x.turn, y.turn),
		strings.Compare(string(x.body), string(y.body)),
	)
}

// rank keeps the frame of a document in its place.
func (n *node) rank() int {
	switch n.kind {
	case FrontMatter:
		return 0
	case Preamble:
		return 1
	case closePart:
		return 3
	default:
		return 2
	}
}

// naturalOrder compares names so that R9 comes before R10.
func naturalOrder(a, b string) int {
	digits := func(s string) int { return len(s) - len(strings.TrimLeft(s, "0123456789")) }
	for a != "" && b != "" {
		if x, y := digits(a), digits(b); x > 0 && y > 0 {
			if order := cmp.Or(cmp.Compare(x, y), strings.Compare(a[:x], b[:y])); order != 0 {
				return order
			}
			a, b = a[x:], b[y:]
			continue
		}
		if a[0] != b[0] {
			return cmp.Compare(a[0], b[0])
		}
		a, b = a[1:], b[1:]
	}
	return cmp.Compare(len(a), len(b))
}
