package record

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	v1 "policyd/api/v1"
)

// Reader reads records back from the log and its rotated files. It may be used
// concurrently, and while they are written.
type Reader struct {
	file string
	// scan is how many bytes one page may cost.
	scan int64
}

const (
	// usualScan is some tenths of a second of reading.
	usualScan = 64 << 20
	// largestPage is how many bytes the records of one page have together, unless
	// one record is larger.
	largestPage = 8 << 20
)

// Codes of errors.
const (
	CodeNotFound    = "not_found"
	CodeUnavailable = "log_unavailable"
)

// NewReader returns a reader of the log at a path.
func NewReader(file string) *Reader { return &Reader{file: file, scan: usualScan} }

// Line is one record as it is in the log.
type Line = []byte

// List returns up to limit matching records, the newest first, after the one with the id after, and the id to
// continue after, empty at the end. It bounds how much it reads for one page, so a page may be short and have
// a next. An id that is not in the log is an error that wraps a *v1.CodedError, with CodeNotFound: its
// position is unknown.
func (r *Reader) List(ctx context.Context, filter v1.RecordFilter, after string, limit int) (list []Line, next string, err error) {
	page := page{filter: newMatcher(&filter), after: after, limit: limit, scan: r.scan, list: []Line{}}
	// The files that began too late are looked at only if the clock was set back.
	for _, before := range []time.Time{idTime(after), {}} {
		if err := r.each(ctx, before, page.visit); err != nil {
			return nil, "", err
		}
		if page.after == "" || before.IsZero() {
			break
		}
	}
	if page.after != "" {
		return nil, "", coded(CodeNotFound,
			"there is no decision %q in the log to go on from; it may have been rotated away: list again without after", after)
	}
	if page.more {
		next = page.last
	}
	return page.list, next, nil
}

// Record returns the record with an id. The error wraps a *v1.CodedError, with CodeNotFound if there is none.
func (r *Reader) Record(ctx context.Context, id string) (Line, error) {
	var found Line
	look := func(line []byte) bool {
		if hasID(line, id) {
			found = bytes.Clone(line)
		}
		return found == nil
	}
	for _, before := range []time.Time{idTime(id), {}} { // as in List
		if err := r.each(ctx, before, look); err != nil {
			return nil, err
		}
		if found != nil || before.IsZero() {
			break
		}
	}
	if found == nil {
		return nil, coded(CodeNotFound, "there is no decision %q in the log; it may have been rotated away", id)
	}
	return found, nil
}

func coded(code, format string, arguments ...any) error {
	return &v1.CodedError{Code: code, Err: fmt.Errorf(format, arguments...)}
}

// each visits the lines of all files, the newest first, until visit returns false.
// Files that begin later than a time are left out unless it is zero.
func (r *Reader) each(ctx context.Context, before time.Time, visit func(line []byte) bool) error {
	files, err := r.open()
	defer func() {
		for _, file := range files {
			_ = file.Close() // it was only read
		}
	}()
	if err != nil {
		return coded(CodeUnavailable, "the decision log can't be read: %w", err)
	}
	for _, file := range files {
		if !before.IsZero() && firstTime(file).After(before.Add(clockSlop)) {
			continue
		}
		info, err := file.Stat()
		if err != nil {
			return coded(CodeUnavailable, "the decision log can't be read: %w", err)
		}
		more, err := eachLine(ctx, newBackward(file, info.Size()), visit)
		if err != nil || !more {
			return err
		}
	}
	return nil
}

func eachLine(ctx context.Context, lines *backward, visit func(line []byte) bool) (more bool, err error) {
	for count := 0; ; count++ {
		if count%1000 == 0 && ctx.Err() != nil {
			return false, fmt.Errorf("read decision log: %w", ctx.Err())
		}
		line, err := lines.next()
		switch {
		case errors.Is(err, io.EOF):
			return true, nil
		case err != nil:
			return false, coded(CodeUnavailable, "the decision log can't be read: %w", err)
		case !visit(bytes.TrimSpace(line)):
			return false, nil
		}
	}
}

// open opens the log and its rotated files, the newest first. It opens the log first: if the log is rotated
// meanwhile, it is among the others, too, and skipped there.
func (r *Reader) open() ([]*os.File, error) {
	var files []*os.File
	var opened []os.FileInfo
	add := func(name string) error {
		file, err := os.Open(name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // not yet, or removed meanwhile
		}
		if err != nil {
			return err
		}
		info, err := file.Stat()
		if err == nil && !info.Mode().IsRegular() {
			err = fmt.Errorf("%s is no regular file", name)
		}
		if err != nil || slices.ContainsFunc(opened, func(other os.FileInfo) bool { return os.SameFile(info, other) }) {
			return errors.Join(err, file.Close())
		}
		files, opened = append(files, file), append(opened, info)
		return nil
	}
	if info, err := os.Stat(r.file); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file", r.file) // opening it could wait for ever
	}
	if err := add(r.file); err != nil {
		return files, err
	}
	rotated, err := r.rotated()
	if err != nil {
		return files, err
	}
	for _, name := range rotated {
		if err := add(name); err != nil {
			return files, err
		}
	}
	return files, nil
}

// rotatedLayout is how lumberjack writes the time into a rotated file's name.
const rotatedLayout = "2006-01-02T15-04-05.000"

// rotated lists the rotated files, the newest first.
func (r *Reader) rotated() ([]string, error) {
	entries, err := os.ReadDir(filepath.Dir(r.file))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	extension := filepath.Ext(r.file)
	prefix := strings.TrimSuffix(filepath.Base(r.file), extension) + "-"
	var names []string
	for _, entry := range entries {
		rest, found := strings.CutPrefix(entry.Name(), prefix)
		at, ends := strings.CutSuffix(rest, extension)
		if !found || !ends || !entry.Type().IsRegular() {
			continue
		}
		if _, err := time.Parse(rotatedLayout, at); err == nil {
			names = append(names, filepath.Join(filepath.Dir(r.file), entry.Name()))
		}
	}
	slices.Sort(names)
	slices.Reverse(names)
	return names, nil
}
