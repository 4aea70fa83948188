package specs

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"
)

// tasksFront is the front matter of the tasks, in the order in which it is written.
type tasksFront struct {
	ID          string       `yaml:"id"`
	Type        string       `yaml:"type"`
	Version     int          `yaml:"version"`
	CreatedAt   time.Time    `yaml:"created_at,omitempty"`
	UpdatedAt   time.Time    `yaml:"updated_at,omitempty"`
	ProposalRef string       `yaml:"proposal_ref,omitempty"`
	Summary     summaryFront `yaml:"summary"`
	Layers      *yaml.Node   `yaml:"layers,omitempty"`
}

// summaryFront counts the tasks, not what is done: that the history says.
type summaryFront struct {
	Total int `yaml:"total"`
}

type layerFront struct {
	TaskCount      int `yaml:"task_count"`
	EstimatedFiles int `yaml:"estimated_files"`
}

// Markdown returns the canonical form of the tasks: check boxes, all of them open.
func (t *Tasks) Markdown() []byte {
	var out strings.Builder
	writeFrontmatter(&out, tasksFront{ID: oneLine(t.ID), Type: "tasks", Version: t.Version,
		CreatedAt: seconds(t.CreatedAt), UpdatedAt: seconds(t.UpdatedAt), ProposalRef: oneLine(t.ProposalRef),
		Summary: summaryFront{Total: len(t.Tasks)}, Layers: t.layersFront()})
	out.WriteString("\n# Tasks\n")
	for i, task := range t.Tasks {
		if i == 0 || t.Tasks[i-1].Layer != task.Layer {
			group, _, _ := strings.Cut(task.ID, ".")
			fmt.Fprintf(&out, "\n## %s\n", strings.TrimSpace(group+". "+headingText(layerTitle(task.Layer))))
		}
		out.WriteByte('\n')
		task.write(&out)
	}
	return []byte(out.String())
}

// layersFront counts tasks and files by layer, the four layers only, in their order.
func (t *Tasks) layersFront() *yaml.Node {
	node := &yaml.Node{Kind: yaml.MappingNode}
	for _, layer := range layers() {
		var count layerFront
		var files []string
		for _, task := range t.Tasks {
			if task.Layer != layer {
				continue
			}
			count.TaskCount++
			for _, file := range task.Files {
				files = append(files, file.Path)
			}
		}
		if count.TaskCount == 0 {
			continue
		}
		slices.Sort(files)
		count.EstimatedFiles = len(slices.Compact(files))
		var value yaml.Node
		if value.Encode(count) == nil {
			node.Content = append(node.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: layer}, &value)
		}
	}
	if len(node.Content) == 0 {
		return nil
	}
	return node
}

func (t Task) write(out *strings.Builder) {
	fmt.Fprintf(out, "- [ ] %s\n", headingText(t.ID+" "+t.Title))
	for _, file := range t.Files {
		line := "File: `" + strings.ReplaceAll(oneLine(file.Path), "`", "") + "`"
		if file.Action != "" {
			line += " (" + file.Action + ")"
		}
		writeItem(out, "  ", line)
	}
	if len(t.SpecRefs) > 0 {
		var refs []string
		for _, ref := range t.SpecRefs {
			text := ref.String()
			if ref.Spec == "" {
				text = ref.Raw
			}
			refs = append(refs, "`"+strings.ReplaceAll(oneLine(text), "`", "'")+"`")
		}
		writeItem(out, "  ", "Spec: "+strings.Join(refs, ", "))
	}
	if text := labelText(t.Description); text != "" {
		writeItem(out, "  ", "Do: "+text)
	}
	writeItem(out, "  ", "Depends: "+orNone(strings.Join(t.Depends, ", ")))
	for _, note := range t.Notes {
		writeItem(out, "  ", oneLine(note.Label)+": "+labelText(note.Text))
	}
}

// Same reports whether two tasks mean the same, wherever in their documents they stand.
func (t Task) Same(other Task) bool {
	sameRef := func(a, b SpecRef) bool { return a.String() == b.String() }
	return t.ID == other.ID && t.Layer == other.Layer && t.Title == other.Title &&
		t.Description == other.Description &&
		slices.Equal(t.Files, other.Files) && slices.Equal(t.Depends, other.Depends) &&
		slices.EqualFunc(t.SpecRefs, other.SpecRefs, sameRef) && slices.Equal(t.Notes, other.Notes)
}
