package record

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"gopkg.in/natefinch/lumberjack.v2"
)

// logFile is the decision log on disk. It decides itself when to rotate. lumberjack refuses a line that is
// longer than a file may be, and two rotations in one millisecond would share one name, so that the second
// file would replace the first.
type logFile struct {
	log   *lumberjack.Logger
	limit int64
	size  int64
	// info is the file's state at the last check; nil for a file that isn't regular, which is never rotated.
	info    os.FileInfo
	looked  time.Time
	rotated time.Time
	// stale is why the latest rotation failed. Records go on into the old file.
	stale error
}

const (
	// unlimited is a size in megabytes that no file has.
	unlimited = 1 << 40
	// rotationPause is more than the resolution of the time in a rotated file's name.
	rotationPause = 2 * time.Millisecond
	// lookPause is how often the writer looks whether the file is still in its place.
	lookPause = time.Second
	usualSize = 100 // megabytes
)

// openFile opens the log, and reports whether it ends in the middle of a line, as
// it may after a crash.
func openFile(options *Options) (file *logFile, torn bool, err error) {
	info, torn, err := prepare(options.File)
	if err != nil {
		return nil, false, err
	}
	megabytes := options.MaxSizeMB
	if megabytes <= 0 {
		megabytes = usualSize
	}
	file = &logFile{limit: int64(megabytes) << 20, info: info, looked: time.Now(), log: &lumberjack.Logger{
		Filename: options.File, MaxSize: unlimited, MaxBackups: options.MaxBackups, MaxAge: options.MaxAgeDays,
	}}
	if info != nil {
		file.size = info.Size()
	}
	return file, torn, nil
}

// prepare makes the file with its final mode; the rotation keeps that mode. The info is nil for a file that
// isn't regular.
func prepare(name string) (info os.FileInfo, torn bool, err error) {
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return nil, false, fmt.Errorf("make directory: %w", err)
	}
	if err := refusePipe(name); err != nil {
		return nil, false, err
	}
	opened, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, false, fmt.Errorf("open file: %w", err)
	}
	defer opened.Close()
	info, err = opened.Stat()
	if err != nil {
		return nil, false, fmt.Errorf("look at file: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, false, nil
	}
	if err := opened.Chmod(0o600); err != nil {
		return nil, false, fmt.Errorf("restrict file: %w", err)
	}
	torn, err = endsTorn(name, info.Size())
	return info, torn, err
}

// refusePipe refuses a pipe without a reader: opening it would block.
func refusePipe(name string) error {
	info, err := os.Stat(name)
	if err == nil && info.Mode()&(os.ModeNamedPipe|os.ModeSocket) != 0 {
		return fmt.Errorf("open file: %s is a named pipe or a socket; the decision log is a file, and decision_log.stdout writes to standard output", name)
	}
	return nil // opening reports what else is wrong
}

// endsTorn reports whether the last line of a file lacks its line feed.
func endsTorn(name string, size int64) (bool, error) {
	if size == 0 {
		return false, nil
	}
	file, err := os.Open(name)
	if err != nil {
		return false, fmt.Errorf("read end of file: %w", err)
	}
	defer file.Close()
	last := make([]byte, 1)
	if _, err := file.ReadAt(last, size-1); err != nil {
		return false, fmt.Errorf("read end of file: %w", err)
	}
	return last[0] != '\n', nil
}

var _ io.WriteCloser = (*logFile)(nil)

// Write appends, after a rotation if the file would exceed its limit.
func (f *logFile) Write(text []byte) (int, error) {
	if f.info != nil {
		now := time.Now()
		if now.Sub(f.looked) >= lookPause {
			if err := f.look(now); err != nil {
				return 0, err
			}
		}
		if f.size > 0 && f.size+int64(len(text)) > f.limit && now.Sub(f.rotated) >= rotationPause {
			f.rotate()
		}
	}
	n, err := f.log.Write(text)
	f.size += int64(n)
	return n, err
}

// rotate renames the file. If that fails the old one continues: a record in a large file is better than none.
func (f *logFile) rotate() {
	f.stale = f.log.Rotate()
	// The rotated file was named at some moment before this one.
	f.rotated = time.Now()
	if f.stale != nil {
		return
	}
	f.size = 0
	if info, err := os.Stat(f.log.Filename); err == nil {
		f.info = info
	}
}

// look begins a new file if the old one was removed: nobody would find what is written to it.
func (f *logFile) look(now time.Time) error {
	f.looked = now
	info, err := os.Stat(f.log.Filename)
	if err == nil && os.SameFile(info, f.info) {
		return nil
	}
	if err := f.log.Close(); err != nil {
		return fmt.Errorf("close file: %w", err)
	}
	if info, _, err = prepare(f.log.Filename); err != nil {
		return err
	}
	if info != nil {
		f.size, f.info = info.Size(), info
	}
	return nil
}

// Close closes the file. A later Write opens it again.
func (f *logFile) Close() error { return f.log.Close() }
