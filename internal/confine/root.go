package confine

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
)

// Root is one folder. Its methods take slash-separated names relative to it and never touch anything outside.
// It may be used by several goroutines.
type Root struct {
	root *os.Root
}

// Open opens an existing folder. The folder itself may be reached through symbolic links;
// nothing inside it is.
func Open(dir string) (*Root, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open folder: %w", err)
	}
	return &Root{root: root}, nil
}

// Close lets go of the folder.
func (r *Root) Close() error { return r.root.Close() }

// FileError says that something in the folder is no file that may be read, written or removed.
type FileError struct {
	Name   string
	Reason string // such as "is not a regular file"
}

func (e *FileError) Error() string { return fmt.Sprintf("%q %s", e.Name, e.Reason) }

// ReadFile reads a regular file of at most limit bytes.
// Symbolic links, files with a second link, pipes, sockets and devices are refused with a [*FileError],
// names with a [*NameError]; a file that is not there is fs.ErrNotExist.
func (r *Root) ReadFile(name string, limit int64) ([]byte, error) {
	if err := CheckName(name); err != nil {
		return nil, err
	}
	if err := r.checkParents(name); err != nil {
		return nil, err
	}
	info, err := r.root.Lstat(name)
	if err != nil {
		return nil, short(name, err)
	}
	if err := readable(name, info); err != nil {
		return nil, err
	}
	f, err := r.root.OpenFile(name, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return nil, short(name, err)
	}
	defer f.Close()
	// What was opened is judged again: it may not be what was looked at.
	if info, err = f.Stat(); err != nil {
		return nil, short(name, err)
	}
	if err := readable(name, info); err != nil {
		return nil, err
	}
	return readBounded(name, f, info.Size(), limit)
}

func readBounded(name string, f io.Reader, size, limit int64) ([]byte, error) {
	tooLarge := &FileError{Name: name, Reason: fmt.Sprintf("is larger than %d bytes", limit)}
	if size > limit {
		return nil, tooLarge
	}
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, short(name, err)
	}
	if int64(len(data)) > limit {
		return nil, tooLarge
	}
	return data, nil
}

// WriteFile makes name hold exactly data, creating folders on the way.
// A reader sees the old file or the new one, never a part, and a crash leaves one of the two.
// A file that is replaced hands on its permissions.
// Something that is not a regular file is never written through or replaced.
func (r *Root) WriteFile(name string, data []byte) error {
	return r.write(name, data, func(mode fs.FileMode) fs.FileMode { return mode })
}

// WriteExact is WriteFile for a file that everybody may run, or nobody, whatever was there.
func (r *Root) WriteExact(name string, data []byte, executable bool) error {
	return r.write(name, data, func(mode fs.FileMode) fs.FileMode {
		if executable {
			return mode | 0o111
		}
		return mode &^ 0o111
	})
}

func (r *Root) write(name string, data []byte, permit func(fs.FileMode) fs.FileMode) error {
	if err := CheckName(name); err != nil {
		return err
	}
	if err := r.checkParents(name); err != nil {
		return err
	}
	mode, err := r.writable(name)
	if err != nil {
		return err
	}
	if dir := path.Dir(name); dir != "." {
		if err := r.root.MkdirAll(dir, 0o755); err != nil {
			return short(name, err)
		}
	}
	return r.replace(name, data, permit(mode))
}

// Create makes a file that is not there yet, and the folders on the way, which it returns, the outermost first.
// Whatever stands there already, a link to nowhere included, is left as it is: the error is then fs.ErrExist.
// Unlike with WriteFile a crash may leave a part.
func (r *Root) Create(name string, data []byte) (folders []string, err error) {
	if err := CheckName(name); err != nil {
		return nil, err
	}
	if err := r.checkParents(name); err != nil {
		return nil, err
	}
	for i, c := range name {
		if c != '/' {
			continue
		}
		if err := r.root.Mkdir(name[:i], 0o755); err == nil {
			folders = append(folders, name[:i])
		} else if !errors.Is(err, fs.ErrExist) {
			return folders, short(name, err)
		}
	}
	f, err := r.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return folders, short(name, err)
	}
	if _, err = f.Write(data); err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		_ = r.root.Remove(name) // the first error is the one to tell
		return folders, short(name, err)
	}
	return folders, nil
}

func (r *Root) replace(name string, data []byte, mode fs.FileMode) (err error) {
	temp := path.Join(path.Dir(name), tempPrefix+rand.Text())
	f, err := r.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return short(name, err)
	}
	defer func() {
		if err != nil {
			_ = r.root.Remove(temp) // the first error is the one to tell
		}
	}()
	if _, err = f.Write(data); err == nil {
		err = errors.Join(f.Chmod(mode), f.Sync())
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return short(name, err)
	}
	if err = r.root.Rename(temp, name); err != nil {
		return short(name, err)
	}
	return nil
}

// tempPrefix marks files that are being written. List leaves them out.
const tempPrefix = ".agentd-tmp-"

// Remove removes a regular file, or an empty folder. A file that is not there is fs.ErrNotExist.
func (r *Root) Remove(name string) error {
	if err := CheckName(name); err != nil {
		return err
	}
	if err := r.checkParents(name); err != nil {
		return err
	}
	if _, err := r.root.Lstat(name); err != nil {
		return short(name, err)
	}
	if err := r.root.Remove(name); err != nil {
		return short(name, err)
	}
	return nil
}

// RemoveFolder removes a folder that is empty, and says whether nothing has that name any more.
// A folder with something in it, or what is no folder, is left as it is.
func (r *Root) RemoveFolder(name string) (gone bool, err error) {
	if err := CheckName(name); err != nil {
		return false, err
	}
	if err := r.checkParents(name); err != nil {
		return false, err
	}
	info, err := r.root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return false, short(name, err)
	}
	if !info.IsDir() {
		return false, nil
	}
	folder, err := r.root.OpenFile(name, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return false, short(name, err)
	}
	_, err = folder.Readdirnames(1)
	_ = folder.Close() // it was only read
	if !errors.Is(err, io.EOF) {
		return false, nil
	}
	if err := r.root.Remove(name); err != nil {
		return false, short(name, err)
	}
	return true, nil
}

// List names the regular files below the folder, sorted, slash-separated.
// Anything else that lies about, such as a symbolic link, is an error that names it:
// nobody shall think that the list was all there is.
func (r *Root) List() ([]string, error) {
	var names []string
	err := fs.WalkDir(r.root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() || strings.HasPrefix(path.Base(name), tempPrefix):
			return nil
		case !entry.Type().IsRegular():
			return &FileError{Name: name, Reason: "is not a regular file"}
		}
		names = append(names, name)
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	return names, nil
}

// checkParents refuses a name whose way leads through anything but folders.
// os.Root would follow a symbolic link that stays inside; we do not,
// because two names for one file are one too many for whoever judges names.
func (r *Root) checkParents(name string) error {
	for i, c := range name {
		if c != '/' {
			continue
		}
		info, err := r.root.Lstat(name[:i])
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return short(name, err)
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			return &FileError{Name: name[:i], Reason: "is a symbolic link"}
		}
		if !info.IsDir() {
			return &FileError{Name: name[:i], Reason: "is not a folder"}
		}
	}
	return nil
}

// writable returns the permissions that a file to be written shall have.
func (r *Root) writable(name string) (fs.FileMode, error) {
	info, err := r.root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return 0o644, nil
	}
	if err != nil {
		return 0, short(name, err)
	}
	return info.Mode().Perm(), readable(name, info)
}

func readable(name string, info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return &FileError{Name: name, Reason: "is a folder"}
	case !info.Mode().IsRegular():
		return &FileError{Name: name, Reason: "is not a regular file"}
	case links(info) > 1:
		return &FileError{Name: name, Reason: "is not a regular file: it has a second name (hard link)"}
	}
	return nil
}

// short drops the system call and the machine's path from an error: the name is what the caller knows.
func short(name string, err error) error {
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		err = pathErr.Err
	}
	return fmt.Errorf("%q: %w", name, err)
}
