package confine

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
)

// Look lists what is below one folder of the root, for trees that somebody else wrote: the regular files, sorted,
// and apart from them what is none or cannot be looked into, with the reason. A folder that is not there is empty.
// More than most entries are an error: whoever lists them has the wrong folder.
func (r *Root) Look(dir string, most int) (files []string, odd []*FileError, err error) {
	if err := CheckName(dir); err != nil {
		return nil, nil, err
	}
	if err := r.checkParents(dir + "/x"); err != nil {
		if fault, ok := errors.AsType[*FileError](err); ok {
			return nil, []*FileError{fault}, nil
		}
		return nil, nil, err
	}
	seen := 0
	err = fs.WalkDir(r.root.FS(), dir, func(name string, entry fs.DirEntry, err error) error {
		if seen++; seen > most {
			return &FileError{Name: dir, Reason: fmt.Sprintf("holds more than %d files", most)}
		}
		switch {
		case name == dir && errors.Is(err, fs.ErrNotExist):
			return fs.SkipAll
		case err != nil:
			odd = append(odd, &FileError{Name: name, Reason: "cannot be read: " + reason(err)})
			return fs.SkipDir
		case entry.IsDir() && path.Base(name) == ".git":
			return fs.SkipDir
		case entry.IsDir():
		case !entry.Type().IsRegular():
			odd = append(odd, &FileError{Name: name, Reason: "is a symbolic link, or something else that is no file"})
		default:
			files = append(files, name)
		}
		return nil
	})
	slices.Sort(files)
	return files, odd, err
}

// reason is an error of the file system without the path, which the caller knows.
func reason(err error) string {
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		err = pathErr.Err
	}
	return err.Error()
}
