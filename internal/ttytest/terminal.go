//go:build unix

package ttytest

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// Patience is how long a conversation waits for the next thing it expects.
const Patience = time.Minute

// The keys that are not letters.
const (
	Enter = "\r"
	Down  = "\x1b[B"
	CtrlC = "\x03"
	CtrlD = "\x04"
)

// Terminal is the person's side of a terminal: 40 lines of 100 columns.
type Terminal struct {
	file    *os.File
	reading sync.WaitGroup
	seen    int // the end of what was waited for

	mu    sync.Mutex
	shown bytes.Buffer
	more  chan struct{} // closed when something was added
	over  bool          // nothing more will come
}

// Start starts a program as the leader of a session with a terminal. Waiting for it is the caller's.
func Start(cmd *exec.Cmd) (*Terminal, error) {
	file, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 40, Cols: 100})
	if err != nil {
		return nil, err
	}
	t := &Terminal{}
	if t.file, err = interruptible(file); err != nil {
		return nil, err
	}
	t.reading.Go(t.read)
	return t, nil
}

// interruptible makes of the file one that can be closed while it is read: package pty leaves it in blocking mode.
func interruptible(file *os.File) (*os.File, error) {
	defer file.Close()
	fd, err := unix.FcntlInt(file.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	if err := unix.SetNonblock(fd, true); err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), file.Name()), nil
}

// HangUp closes the terminal under the program, as when a window is closed.
func (t *Terminal) HangUp() error { return t.file.Close() }

// Close waits until nobody has the terminal open any more, and returns all that it has shown, with plain line ends.
func (t *Terminal) Close() string {
	t.reading.Wait()
	_ = t.file.Close() // all has been read
	return strings.ReplaceAll(t.shown.String(), "\r\n", "\n")
}

// Type presses keys.
func (t *Terminal) Type(keys string) error {
	_, err := t.file.WriteString(keys)
	return err
}

// AwaitKeys waits until the program reads single keys and no longer lines, and says whether it did.
func (t *Terminal) AwaitKeys() bool {
	conn, err := t.file.SyscallConn() // File.Fd would put it into blocking mode again
	if err != nil {
		return false
	}
	keys := false
	for deadline := time.Now().Add(Patience); !keys && time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		err := conn.Control(func(fd uintptr) {
			mode, err := unix.IoctlGetTermios(int(fd), ioctlReadTermios)
			keys = err == nil && mode.Lflag&unix.ICANON == 0
		})
		if err != nil {
			return false
		}
	}
	return keys
}

// Await waits until a text has appeared behind what was waited for before, and says whether it has.
func (t *Terminal) Await(text string) bool {
	limit := time.After(Patience)
	for {
		t.mu.Lock()
		at := bytes.Index(t.shown.Bytes()[t.seen:], []byte(text))
		if t.more == nil {
			t.more = make(chan struct{})
		}
		more, over := t.more, t.over
		t.mu.Unlock()
		switch {
		case at >= 0:
			t.seen += at + len(text)
			return true
		case over:
			return false
		}
		select {
		case <-more:
		case <-limit:
			return false
		}
	}
}

// read takes in what is shown. Like a real terminal it answers who asks where the cursor is.
func (t *Terminal) read() {
	const where, here = "\x1b[6n", "\x1b[1;1R"
	buf := make([]byte, 4096)
	asked := 0
	for {
		n, err := t.file.Read(buf)
		t.mu.Lock()
		t.shown.Write(buf[:n])
		questions := bytes.Count(t.shown.Bytes(), []byte(where))
		for ; asked < questions && err == nil; asked++ {
			_, err = t.file.WriteString(here)
		}
		t.over = err != nil
		if t.more != nil {
			close(t.more)
			t.more = nil
		}
		t.mu.Unlock()
		if err != nil {
			return
		}
	}
}
