// Package confine reads and writes files inside one folder and nowhere else,
// whatever path an agent asks for.
//
// It owns the judgement whether a name may be used (relative, clean, inside, no backslash, no control character)
// and whether a file may be read (a regular file with one link, of bounded size),
// and it writes files whole: a temporary file beside the target, synced, renamed over it.
// os.Root keeps every step inside the folder, also when somebody swaps a folder for a symbolic link meanwhile.
//
// It does not decide which files of the folder a caller may touch: that is the caller's list.
//
//	root, err := confine.Open(runFolder)
//	if err != nil {
//		return err
//	}
//	defer root.Close()
//	err = root.WriteFile("specs/login.md", text)
package confine
