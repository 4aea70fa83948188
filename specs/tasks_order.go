package specs

import (
	"slices"
	"strings"
)

// CycleError says that tasks, or specs, wait for each other.
type CycleError struct {
	What  string   // "tasks" or "specs"
	Cycle []string // the ids on the way round; the first is also the last
}

// Error shows the exact cycle: "tasks depend on each other: 1.1 → 2.1 → 1.1".
func (e *CycleError) Error() string {
	return e.What + " depend on each other: " + strings.Join(e.Cycle, " → ")
}

// Hint tells the author how to go on.
func (e *CycleError) Hint() string { return "take one of these dependencies away" }

// Order returns the tasks so that each comes after all it depends on;
// of those that could come next, the one with the lowest id does.
// Dependencies on unknown tasks do not hold anything up: the validation reports them.
// The error is a [*CycleError].
func (t *Tasks) Order() ([]Task, error) {
	byID := make(map[string]Task, len(t.Tasks))
	var ids []string
	needs := make(map[string][]string, len(t.Tasks))
	for _, task := range t.Tasks {
		if _, twice := byID[task.ID]; twice {
			continue // reported by the validation; the first one counts
		}
		byID[task.ID] = task
		ids = append(ids, task.ID)
		needs[task.ID] = task.Depends
	}
	slices.SortStableFunc(ids, compareTaskIDs)
	order, cycle := topological(ids, needs)
	if cycle != nil {
		return nil, &CycleError{What: "tasks", Cycle: cycle}
	}
	tasks := make([]Task, 0, len(order))
	for _, id := range order {
		tasks = append(tasks, byID[id])
	}
	return tasks, nil
}

// topological orders ids so that each comes after its needs, and otherwise as given.
// If it cannot, it returns one cycle, from an id back to itself.
func topological(ids []string, needs map[string][]string) (order, cycle []string) {
	position := make(map[string]int, len(ids))
	for i, id := range ids {
		position[id] = i
	}
	open := make([]int, len(ids))
	dependents := make([][]int, len(ids))
	for i, id := range ids {
		for _, need := range slices.Compact(slices.Sorted(slices.Values(needs[id]))) {
			if k, known := position[need]; known {
				open[i]++
				dependents[k] = append(dependents[k], i)
			}
		}
	}
	ready := &positions{}
	for i := range ids {
		if open[i] == 0 {
			ready.push(i)
		}
	}
	for len(*ready) > 0 {
		i := ready.pop()
		order = append(order, ids[i])
		for _, k := range dependents[i] {
			if open[k]--; open[k] == 0 {
				ready.push(k)
			}
		}
	}
	if len(order) == len(ids) {
		return order, nil
	}
	return nil, findCycle(ids, needs, position, open)
}

// findCycle walks from a blocked id to one that blocks it until it comes back to where it has been.
// The cycle begins with the id of it that comes first.
func findCycle(ids []string, needs map[string][]string, position map[string]int, open []int) []string {
	at := slices.IndexFunc(open, func(n int) bool { return n > 0 })
	seen := map[int]int{}
	var path []int
	for {
		if first, again := seen[at]; again {
			path = path[first:]
			break
		}
		seen[at] = len(path)
		path = append(path, at)
		next := len(ids)
		for _, need := range needs[ids[at]] {
			if k, known := position[need]; known && open[k] > 0 {
				next = min(next, k)
			}
		}
		at = next
	}
	lowest := slices.Index(path, slices.Min(path))
	path = append(path[lowest:], path[:lowest]...)
	cycle := make([]string, 0, len(path)+1)
	for _, i := range append(path, path[0]) {
		cycle = append(cycle, ids[i])
	}
	return cycle
}

// positions is a heap that gives the lowest position first.
type positions []int

func (p *positions) push(n int) {
	at, _ := slices.BinarySearchFunc(*p, n, func(a, b int) int { return b - a })
	*p = slices.Insert(*p, at, n)
}

func (p *positions) pop() int {
	last := len(*p) - 1
	n := (*p)[last]
	*p = (*p)[:last]
	return n
}
