package bundles

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

// maxPostponed is how often changes may postpone a reload, so that a file that is written all the time can't
// delay the reload for others.
const maxPostponed = 20

// maxLinks is how many links one name may lead over, as with the kernel.
const maxLinks = 40

// watcher reloads an engine when its source changes on disk. It follows the source by
// name: a directory and all below it, an archive, and the links that lead to either.
type watcher struct {
	source string
	fsw    *fsnotify.Watcher
	// files and directories are full names: of files that are watched themselves, and of directories whose
	// every entry is.
	files, directories map[string]bool

	stop    context.CancelFunc
	stopped sync.WaitGroup
}

func newWatcher(source string) (*watcher, error) {
	source, err := filepath.Abs(source)
	if err != nil {
		return nil, err
	}
	fsw, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	w := &watcher{source: source, fsw: fsw, stop: func() {}}
	if err := w.follow(); err != nil {
		return nil, errors.Join(err, fsw.Close())
	}
	return w, nil
}

// follow watches the current files of the source. Earlier ones stay watched, but are ignored.
func (w *watcher) follow() error {
	w.files, w.directories = map[string]bool{}, map[string]bool{}
	target, err := w.followName(w.source)
	if err != nil || target == "" {
		return err // if it is gone, a change of a directory above it shows when it comes back
	}
	return filepath.WalkDir(target, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil //nolint:nilerr // it vanished; a change of the directory above it shows that
		case entry.Type()&fs.ModeSymlink != 0:
			_, err := w.followName(name)
			return err
		case !entry.IsDir():
			return nil
		}
		w.directories[name] = true
		return w.add(name)
	})
}

// followName watches every link in the chain of a name, and returns its target; "" if that is missing.
func (w *watcher) followName(name string) (target string, err error) {
	at, rest := string(filepath.Separator), name
	if volume := filepath.VolumeName(name); volume != "" {
		at, rest = volume+at, name[len(volume):]
	}
	for left := maxLinks; left > 0; {
		segment, tail, _ := strings.Cut(strings.TrimLeft(filepath.ToSlash(rest), "/"), "/")
		if segment == "" {
			return at, w.file(at)
		}
		next := filepath.Join(at, segment)
		info, err := os.Lstat(next)
		switch {
		case err != nil:
			return "", w.file(next)
		case info.Mode()&fs.ModeSymlink == 0:
			at, rest = next, tail
			continue
		}
		left--
		if err := w.file(next); err != nil {
			return "", err
		}
		led, err := os.Readlink(next)
		if err != nil {
			return "", nil //nolint:nilerr // it is no longer a link, and a change of its directory shows that
		}
		if filepath.IsAbs(led) {
			at = filepath.VolumeName(led) + string(filepath.Separator)
			led = led[len(filepath.VolumeName(led)):]
		}
		rest = led + "/" + tail
	}
	return "", nil // it leads in a circle, until one of the links changes
}

// file watches one name, by the directory that it is in.
func (w *watcher) file(name string) error {
	w.files[name] = true
	return w.add(filepath.Dir(name))
}

func (w *watcher) add(dir string) error {
	if err := w.fsw.Add(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("watch %s: %w", dir, err)
	}
	return nil
}

// counts reports whether an event may have changed the bundle.
func (w *watcher) counts(event fsnotify.Event) bool {
	if event.Op == fsnotify.Chmod {
		return false
	}
	return w.files[event.Name] || w.directories[filepath.Dir(event.Name)]
}

// start follows changes until close; reload reads the source again.
func (w *watcher) start(e *Engine, reload func(context.Context) error) {
	ctx, stop := context.WithCancel(context.Background())
	w.stop = stop
	w.stopped.Go(func() { w.run(ctx, e, reload) })
}

func (w *watcher) run(ctx context.Context, e *Engine, reload func(context.Context) error) {
	timer := time.NewTimer(e.options.Debounce)
	timer.Stop()
	postponed := 0
	var pause pause
	change := func() {
		if postponed++; postponed <= maxPostponed {
			timer.Reset(max(e.options.Debounce, pause.remaining(time.Now())))
		}
	}
	for {
		select {
		case <-ctx.Done():
			return
		case event := <-w.fsw.Events:
			if w.counts(event) {
				change()
			}
		case err := <-w.fsw.Errors:
			// Events may have been lost: reading the bundle again makes up for them.
			e.options.Logger.Warn("bundle watch lost events", "source", w.source, "error", err)
			change()
		case <-timer.C:
			postponed = 0
			begin := time.Now()
			w.reload(ctx, e, reload)
			pause.reloaded(begin, time.Now())
		}
	}
}

// reload reports to the log and to Status, since it has no caller for the error.
func (w *watcher) reload(ctx context.Context, e *Engine, reload func(context.Context) error) {
	// New directories are watched before they are read, so that no change falls between.
	if err := w.follow(); err != nil {
		e.unwatched(err)
		e.options.Logger.Error("bundle can't be watched", "source", w.source, "error", err)
	}
	if err := reload(ctx); err != nil {
		e.options.Logger.Error("bundle refused, the policy before it stays in force",
			"source", w.source, "revision", e.Status().Revision, "error", err)
		return
	}
	e.options.Logger.Info("bundle activated", "source", w.source, "revision", e.Status().Revision)
}

func (w *watcher) close() {
	w.stop()
	w.stopped.Wait()
	_ = w.fsw.Close() // nothing can be done, and nothing depends on it
}
