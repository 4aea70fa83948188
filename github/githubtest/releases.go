package githubtest

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
)

// release is the newest release of a repository.
type release struct {
	id     int64
	tag    string
	assets []asset
}

// asset is a file of a release. Where its content is, is a path on this machine.
type asset struct {
	id   int64
	file string
}

// Release makes the newest release, with files of this machine under their own names.
func (r *Repo) Release(tag string, files ...string) {
	s := r.server
	s.mu.Lock()
	defer s.mu.Unlock()
	r.latest = &release{id: s.id(), tag: tag}
	for _, file := range files {
		r.latest.assets = append(r.latest.assets, asset{id: s.id(), file: file})
	}
}

func (c *call) latestRelease(r *Repo) answer {
	if r.latest == nil {
		return failure(http.StatusNotFound, "Not Found")
	}
	assets := []any{}
	for _, a := range r.latest.assets {
		assets = append(assets, map[string]any{
			"id": a.id, "name": filepath.Base(a.file), "state": "uploaded",
			"url": fmt.Sprintf("%s/repos/%s/releases/assets/%d", c.APIURL(), r.name(), a.id),
		})
	}
	return ok(map[string]any{"id": r.latest.id, "tag_name": r.latest.tag, "assets": assets})
}

// releaseAsset leads to where the bytes are, as GitHub does where they are asked for.
func (c *call) releaseAsset(r *Repo) answer {
	if r.latest != nil && c.header.Get("Accept") == "application/octet-stream" {
		for _, a := range r.latest.assets {
			if strconv.FormatInt(a.id, 10) == c.params["asset_id"] {
				return answer{status: http.StatusFound, header: http.Header{"Location": {fmt.Sprintf("%s/releases/%s/%d", c.URL(), r.name(), a.id)}}}
			}
		}
	}
	return failure(http.StatusNotFound, "Not Found")
}

// serveAsset sends the bytes of a release's file: /releases/OWNER/REPO/ID.
func (s *Server) serveAsset(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	var file string
	if parts := strings.Split(r.URL.Path, "/"); len(parts) == 5 {
		if repo := s.find(parts[2], parts[3]); repo != nil && repo.latest != nil {
			for _, a := range repo.latest.assets {
				if strconv.FormatInt(a.id, 10) == parts[4] {
					file = a.file
				}
			}
		}
	}
	s.mu.Unlock()
	if file == "" {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	http.ServeFile(w, r, file)
}
