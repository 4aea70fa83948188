package gitops

import (
	"context"
	"os"
	"strings"
)

// Signers are the fingerprints of who signed commits, by commit: the key that signed and the one that it belongs to,
// as "SHA256:…" for SSH and 40 hex digits for GPG. Git itself verifies.
// A commit that is not signed, or whose signature is bad, revoked, expired or by a key that is not here, has none.
//
// Whose keys count is the caller's matter: an SSH key needs no entry in gpg.ssh.allowedSignersFile,
// and a GPG key no trust, to be read here.
func (r *Repo) Signers(ctx context.Context, commits []ID) (map[ID][]string, error) {
	signers := map[ID][]string{}
	if len(commits) == 0 {
		return signers, nil
	}
	var revisions strings.Builder
	for _, id := range commits {
		revisions.WriteString(string(id) + "\n")
	}
	out, err := r.git(ctx, call{
		args: []string{
			// With an empty list of its own, git says of every good signature which key made it.
			"-c", "gpg.ssh.allowedSignersFile=" + os.DevNull, "-c", "gpg.minTrustLevel=undefined",
			"log", "--no-walk=unsorted", "--format=%H %G? %GF %GP", "--stdin",
		},
		in: []byte(revisions.String()),
	})
	if err != nil {
		return nil, err
	}
	for text := range strings.Lines(string(out)) {
		words := strings.Fields(text)
		if len(words) < 3 || words[1] != "G" && words[1] != "U" {
			continue
		}
		id, err := parseID(words[0])
		if err != nil {
			return nil, err
		}
		signers[id] = words[2:]
	}
	return signers, nil
}
