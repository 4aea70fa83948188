package specs

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// mergeSeed is the seed of the random merges; AGENTD_CAMPAIGN_SEED plays others.
func mergeSeed(t *testing.T) uint64 {
	text := os.Getenv("AGENTD_CAMPAIGN_SEED")
	if text == "" {
		return 20261122
	}
	seed, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("AGENTD_CAMPAIGN_SEED: %v", err)
	}
	return seed
}

// mergeGoal is how many merges a test plays: a sample, or its share of the campaign of at least 100,000.
func mergeGoal(sample, campaign int) int {
	if os.Getenv("AGENTD_CAMPAIGN") == "full" {
		return campaign
	}
	return sample
}

func TestMerge_randomSpecs(t *testing.T) {
	seed, goal := mergeSeed(t), mergeGoal(3000, 85_000)
	laws := &mergeLaws{}
	rounds := 0
	defer func() { laws.log(t, rounds, seed) }()
	for ; laws.merges < goal && !t.Failed(); rounds++ {
		random := rand.New(rand.NewPCG(seed, uint64(rounds)))
		base := modelMaker{random, "b"}.spec()
		ours, theirs := base.clone(), base.clone()
		for range 1 + random.IntN(4) {
			modelMaker{random, "o"}.edit(ours)
		}
		if random.IntN(2) == 0 {
			theirs.next += 10 // other ids than the other side gives
		}
		for range 1 + random.IntN(4) {
			modelMaker{random, "t"}.edit(theirs)
		}
		laws.check(t, base.String(), ours.String(), theirs.String(), exact)
	}
	if laws.clean < rounds/4 || laws.conflicts < rounds/10 {
		t.Errorf("the specs do not try both outcomes")
	}
}

// Texts are specs in all their forms, with lines taken out, doubled and put elsewhere, without regard to what they mean.
func TestMerge_randomTexts(t *testing.T) {
	seed, goal := mergeSeed(t), mergeGoal(1500, 20_000)
	texts := []string{canonicalSpec, bigSpec(4)}
	files, err := filepath.Glob(filepath.Join("testdata", "merge", "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		c := readMergeCase(t, file)
		texts = append(texts, c["base"], c["theirs"])
	}
	laws := &mergeLaws{}
	rounds := 0
	defer func() { laws.log(t, rounds, seed) }()
	for ; laws.merges < goal && !t.Failed(); rounds++ {
		random := rand.New(rand.NewPCG(seed, uint64(rounds)))
		base := texts[random.IntN(len(texts))]
		laws.check(t, base, shuffledLines(random, base), shuffledLines(random, base), loose)
	}
}

func shuffledLines(random *rand.Rand, text string) string {
	list := strings.SplitAfter(text, "\n")
	for range 1 + random.IntN(3) {
		at, to := random.IntN(len(list)), random.IntN(len(list))
		switch random.IntN(4) {
		case 0:
			list = slices.Delete(slices.Clone(list), at, at+1)
			list = append(list, "") // never without lines
		case 1:
			list = slices.Insert(slices.Clone(list), to, list[at])
		case 2:
			list = slices.Clone(list)
			list[at], list[to] = list[to], list[at]
		case 3:
			list = slices.Clone(list)
			list[at] = strings.TrimRight(list[at], "\r\n") + " x\n"
		}
	}
	return strings.Join(list, "")
}

// mergeLaws holds merges against what must be true of all of them.
type mergeLaws struct{ merges, clean, conflicts int }

func (l *mergeLaws) log(t *testing.T, rounds int, seed uint64) {
	t.Logf("%d merges in %d rounds, AGENTD_CAMPAIGN_SEED=%d: %d without conflict, %d with", l.merges, rounds, seed, l.clean, l.conflicts)
}

func (l *mergeLaws) merge(t *testing.T, base, ours, theirs *Parts) *Merged {
	t.Helper()
	l.merges++
	merged, err := Merge(Sides{Spec: "auth", Base: base, Ours: ours, Theirs: theirs})
	if err != nil {
		t.Fatal(err)
	}
	return merged
}

// strictness is how much is asked of a merge.
type strictness bool

const (
	// exact is for specs whose parts have names of their own and which differ in words.
	exact strictness = true
	// loose is for any text: where two versions differ in white space alone, ours wins, so that it matters who is called so;
	// and which of two parts of one name is meant can only be guessed.
	loose strictness = false
)

// check tries all laws on three texts.
func (l *mergeLaws) check(t *testing.T, baseText, oursText, theirsText string, how strictness) {
	t.Helper()
	var parts []*Parts
	for _, text := range []string{baseText, oursText, theirsText} {
		p, err := ParseParts("specs/auth.md", []byte(text))
		if err != nil {
			return
		}
		if string(p.Bytes()) != text {
			t.Fatalf("the parts are not the source\n%q\n%q", p.Bytes(), text)
		}
		if len(p.deltaSections()) > 0 {
			return // is not the spec but says how to change it
		}
		parts = append(parts, p)
	}
	base, ours, theirs := parts[0], parts[1], parts[2]
	is := func(law string, m *Merged, want string) {
		t.Helper()
		if len(m.Conflicts) > 0 || string(m.Text) != want {
			t.Fatalf("%s\nconflicts %v\n%s\n--- want\n%s", law, m.Conflicts, m.Text, want)
		}
	}
	is("both made the same of it", l.merge(t, base, theirs, theirs), theirsText)
	is("only theirs changed it", l.merge(t, base, base, theirs), theirsText)
	is("only ours changed it", l.merge(t, base, ours, base), oursText)

	there, back := l.merge(t, base, ours, theirs), l.merge(t, base, theirs, ours)
	one, two := conflictSet(there), conflictSet(back)
	if how == exact && one != two || (one == "") != (two == "") {
		t.Fatalf("conflicts %s\nand the other way round %s\n%s", one, two, showSides(baseText, oursText, theirsText))
	}
	if len(there.Conflicts) > 0 {
		l.conflicts++
		l.marked(t, there, ours, theirs, base)
		return
	}
	l.clean++
	if how == exact && !bytes.Equal(there.Text, back.Text) {
		t.Fatalf("not the same the other way round\n%s\n--- and\n%s\n%s", there.Text, back.Text, showSides(baseText, oursText, theirsText))
	}
	result, err := ParseParts("specs/auth.md", there.Text)
	if err != nil {
		t.Fatal(err)
	}
	twins := base.hasTwins() || ours.hasTwins() || theirs.hasTwins()
	for law, side := range map[string]*Parts{"theirs again": theirs, "ours again": ours} {
		if twins && how == loose {
			break
		}
		again := l.merge(t, base, result, side)
		if how == loose && (len(again.Conflicts) > 0 || slices.Equal(strings.Fields(string(again.Text)), strings.Fields(string(there.Text)))) {
			continue // somebody is asked, at least
		}
		if len(again.Conflicts) > 0 || !bytes.Equal(again.Text, there.Text) {
			t.Fatalf("%s\nconflicts %v\n%s\n--- want\n%s\n%s", law, again.Conflicts, again.Text, there.Text, showSides(baseText, oursText, theirsText))
		}
	}
	if how == exact || !twins {
		nothingLost(t, base, ours, theirs, result)
	}
	if t.Failed() {
		t.Log(showSides(baseText, oursText, theirsText) + "\n=== result\n" + string(there.Text))
	}
}

// hasTwins reports a spec with two parts of one name.
func (p *Parts) hasTwins() bool {
	return slices.ContainsFunc(p.nodes, func(n *node) bool { return n.turn > 0 })
}

func showSides(base, ours, theirs string) string {
	return fmt.Sprintf("=== base\n%s\n=== ours\n%s\n=== theirs\n%s", base, ours, theirs)
}

func conflictSet(m *Merged) string {
	var set []string
	for _, c := range m.Conflicts {
		title := c.Title
		if c.Part == RequirementPart {
			title = "" // its id is its name
		}
		set = append(set, fmt.Sprintf("%s %s %s %q", c.Kind, c.Part, c.Ref, title))
	}
	slices.Sort(set)
	return strings.Join(set, "; ")
}

// marked checks that nothing that either side wrote is missing from the text with the markers.
func (l *mergeLaws) marked(t *testing.T, m *Merged, ours, theirs, base *Parts) {
	t.Helper()
	if m.Text != nil || !Unresolved(m.Marked) {
		t.Fatalf("conflicts %v without markers\n%s", m.Conflicts, m.Marked)
	}
	before, marked := bodies(base), trimmedLines(m.Marked)
	for _, side := range []*Parts{ours, theirs} {
		for _, n := range side.nodes {
			if words := trimmedLines(n.body); !before[words] && !n.isStamp() && !strings.Contains(marked, words) {
				t.Fatalf("%q is not in the marked text\n%s\n%s", n.body, m.Marked, showSides(string(base.src), string(ours.src), string(theirs.src)))
			}
		}
	}
}

func bodies(p *Parts) map[string]bool {
	set := map[string]bool{}
	for _, n := range p.nodes {
		set[trimmedLines(n.body)] = true
	}
	return set
}

// trimmedLines is a text without white space at the ends of lines.
func trimmedLines(text []byte) string {
	var out strings.Builder
	for line := range bytes.Lines(text) {
		out.Write(append(bytes.TrimRight(line, " \t\r\n"), '\n'))
	}
	return strings.TrimRight(out.String(), "\n")
}

// nothingLost checks that what neither side removed is there, and that what neither side touched is there byte for byte.
func nothingLost(t *testing.T, base, ours, theirs, result *Parts) {
	t.Helper()
	keys := func(p *Parts) map[partKey]*node {
		set := map[partKey]*node{}
		for _, n := range p.nodes {
			if n.kind == RequirementPart || n.kind == ScenarioPart || n.kind == SectionPart {
				key := n.partKey
				key.scope = "" // a scenario's owner may be no more than mentioned
				set[key] = n
			}
		}
		return set
	}
	inBase, inOurs, inTheirs, inResult := keys(base), keys(ours), keys(theirs), keys(result)
	for key, n := range inOurs {
		if inResult[key] == nil && inTheirs[key] != nil {
			t.Errorf("%v of both is lost: %q", key, n.body)
		}
		if inResult[key] == nil && inBase[key] == nil && !renamedAway(base, ours, theirs, n) {
			t.Errorf("%v of ours is lost: %q", key, n.body)
		}
	}
	for key, n := range inTheirs {
		if inResult[key] == nil && inBase[key] == nil && !renamedAway(base, theirs, ours, n) {
			t.Errorf("%v of theirs is lost: %q", key, n.body)
		}
	}
	for key, n := range inBase {
		one, two, now := inOurs[key], inTheirs[key], inResult[key]
		if one != nil && two != nil && bytes.Equal(one.body, n.body) && bytes.Equal(two.body, n.body) && (now == nil || !bytes.Equal(now.body, n.body)) {
			t.Errorf("%v was touched by neither side, and is another now", key)
		}
	}
	for key := range inResult {
		if key.turn == 0 && inOurs[key] == nil && inTheirs[key] == nil {
			t.Errorf("%v comes from nowhere", key)
		}
	}
}

// renamedAway reports a part that a side has only renamed, while the other side removed it under its old name.
func renamedAway(base, side, other *Parts, n *node) bool {
	old := match(base, side).toBase[n.index]
	return old != nil && match(base, other).toSide[old.index] == nil
}
