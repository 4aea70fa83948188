package gitops_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/agentd/gh-agentd/gitops"
	"github.com/agentd/gh-agentd/gitops/gitopstest"
)

func TestObjects_Blobs(t *testing.T) {
	t.Parallel()
	repo := gitopstest.New(t, hello)
	const many = 333 // more than are asked for together
	for i := range many {
		repo.Write(fmt.Sprintf("folder/%03d.txt", i), fmt.Sprintf("file %d\n", i))
	}
	repo.Commit("many files")
	objects, err := repo.Open().Objects(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer objects.Close()

	tree, entries, err := objects.TreeAt("HEAD:folder")
	if err != nil || len(entries) != many {
		t.Fatalf("TreeAt = %s, %d entries, %v", tree, len(entries), err)
	}
	var ids []gitops.ID
	for _, e := range entries {
		ids = append(ids, e.ID)
	}
	contents, err := objects.Blobs(ids)
	if err != nil {
		t.Fatal(err)
	}
	for i, content := range contents {
		if want := fmt.Sprintf("file %d\n", i); string(content) != want {
			t.Errorf("blob %d is %q, want %q", i, content, want)
		}
	}

	t.Run("what is not there is an error, and the next answer is the next one", func(t *testing.T) {
		absent := gitops.ID("1234567890123456789012345678901234567890")
		if _, err := objects.Blobs([]gitops.ID{ids[0], absent, ids[1]}); !errors.Is(err, gitops.ErrNotFound) {
			t.Errorf("err = %v, want one for what is absent", err)
		}
		if _, err := objects.Blobs([]gitops.ID{ids[0], tree, ids[1]}); err == nil {
			t.Error("a tree was read as a file")
		}
		if _, err := objects.Blobs([]gitops.ID{ids[0], ""}); !errors.Is(err, gitops.ErrNotFound) {
			t.Errorf("err = %v, want one for what has no name", err)
		}
		if content, err := objects.Blob(ids[2]); err != nil || string(content) != "file 2\n" {
			t.Errorf("Blob = %q, %v", content, err)
		}
	})
	t.Run("a file is no tree", func(t *testing.T) {
		if _, _, err := objects.TreeAt("HEAD:folder/000.txt"); err == nil {
			t.Error("a file was read as a tree")
		}
		if _, _, err := objects.TreeAt("HEAD:absent"); !errors.Is(err, gitops.ErrNotFound) {
			t.Errorf("err = %v", err)
		}
	})
	t.Run("none is asked for, none comes", func(t *testing.T) {
		if contents, err := objects.Blobs(nil); err != nil || len(contents) != 0 {
			t.Errorf("Blobs = %d, %v", len(contents), err)
		}
	})
}
