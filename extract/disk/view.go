package disk

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"policyd/extract/paths"
	"policyd/extract/stat"
)

// Session says what the session that looks at the disk makes of it.
type Session interface {
	// Spelled is how the session spells a real path on a disk that takes several spellings for one.
	Spelled(real string) string
	// OwnRoots are the directories that the session's user works in.
	OwnRoots() []string
}

// View is the disk as a session sees it: a path map may show it under other names than the sidecar's own. It
// looks at each path once in a call. A view belongs to one call at a time.
type View struct {
	Resolver paths.Resolver
	// Home is the session's, "" if that isn't known, and windows is true if paths are read as Windows does.
	Home    string
	Windows bool
	// Now is the time since the Unix epoch.
	Now     func() time.Duration
	session Session
	// joined is the last path that was joined, of joinedDir and joinedName: a command's word is asked for
	// several times over.
	joinedDir, joinedName, joined string
}

// NewView returns a view for a session's calls.
func NewView(session Session) View { return View{session: session} }

// End forgets what was seen.
func (v *View) End() {
	v.Resolver.Reset()
	*v = View{Resolver: v.Resolver, session: v.session}
}

// join puts a name behind a directory.
func (v *View) join(dir, name string) string {
	if v.joined == "" || v.joinedDir != dir || v.joinedName != name {
		v.joinedDir, v.joinedName, v.joined = dir, name, dir+"/"+name
	}
	return v.joined
}

// Direct reports whether no segment of dir is a symbolic link.
func (v *View) Direct(dir string) bool {
	resolved, err := v.Resolve(dir)
	return err == nil && len(resolved.Links) == 0 && !v.Hidden(&resolved)
}

// Moved reports whether a real path leads elsewhere by now: somebody has put a link in its place.
func (v *View) Moved(dir string) bool {
	if dir == "" {
		return false
	}
	resolved, err := v.Resolver.Resolve(dir)
	return err != nil || resolved.Real != dir
}

// OnDisk returns where the sidecar finds what the agent calls path. With a path
// map, links on the way lead to other names of the agent's, so they are
// followed here and none is left to the kernel.
func (v *View) OnDisk(path string) (string, error) {
	if v.Resolver.Map == nil {
		return path, nil
	}
	resolved, err := v.Resolver.Resolve(path)
	if err != nil {
		return "", err
	}
	disk, visible := v.Resolver.Map.Sidecar(resolved.Real)
	if !visible || resolved.Unseen {
		return "", ErrUnseen
	}
	return disk, nil
}

// ReadDir lists a directory.
func (v *View) ReadDir(dir string) ([]fs.DirEntry, error) {
	disk, err := v.OnDisk(dir)
	if err != nil {
		return nil, err
	}
	return os.ReadDir(disk)
}

// ReadFile returns what a file holds. A file that is no regular one, or that is too
// large, is an error: reading it might never end.
func (v *View) ReadFile(path string) ([]byte, error) {
	disk, err := v.OnDisk(path)
	if err != nil {
		return nil, err
	}
	content, _, err := stat.Read(disk, maxSettingsFile)
	return content, err
}

// Stat describes what a path leads to.
func (v *View) Stat(path string) (fs.FileInfo, error) {
	disk, err := v.OnDisk(path)
	if err != nil {
		return nil, err
	}
	return os.Stat(disk)
}

// Barred reports whether an error says that the sidecar may not look where the agent
// may: what is closed to both of them is as good as not there. They are one user as
// far as can be told where the session's home and its own roots are the sidecar's.
func (v *View) Barred(err error) bool {
	if !errors.Is(err, fs.ErrPermission) {
		return false
	}
	places := append([]string{v.Home}, v.session.OwnRoots()...)
	for i, place := range places {
		disk, err := v.OnDisk(place)
		if err != nil || place == "" {
			return true
		}
		places[i] = disk
	}
	return !ownUser(places...)
}

// Exists reports whether anything is at an absolute path, a link among them.
// What can't be seen counts as there.
func (v *View) Exists(path string) bool {
	if !filepath.IsAbs(path) {
		return false // a path of a system whose disk is not here
	}
	if v.Resolver.Map == nil {
		_, err := os.Lstat(path)
		return err == nil || v.Barred(err)
	}
	resolved, err := v.Resolver.Resolve(path)
	return err != nil || resolved.Exists || resolved.Unseen || len(resolved.Links) > 0
}

// Stamp is what lies at a path, links followed, looked at once in a call.
func (v *View) Stamp(path string) (stat.Stamp, error) {
	if found, ok := v.Resolver.Stamp(path); ok {
		return found, nil
	}
	disk, err := v.OnDisk(path)
	if err != nil {
		return stat.Stamp{}, err
	}
	return stat.Path(disk, true)
}

// IsThere reports whether a name below a directory exists.
func (v *View) IsThere(dir, name string) bool {
	if v.Resolver.Map != nil {
		return v.Exists(dir + "/" + name)
	}
	_, err := stat.Below(dir, name, true)
	return err == nil || v.Barred(err)
}

// Resolve follows a path, and spells a root that it leads through as the root
// does, where the platform takes both spellings for one.
func (v *View) Resolve(path string) (paths.Resolved, error) {
	resolved, err := v.Resolver.Resolve(path)
	if err == nil && v.Resolver.Names != paths.NamesExact {
		resolved.Real = v.session.Spelled(resolved.Real)
	}
	return resolved, err
}

// Hidden reports whether a path is on no disk that the sidecar sees, although
// a path map says what it sees. Nothing is allowed on the strength of a name.
func (v *View) Hidden(resolved *paths.Resolved) bool {
	return resolved.Unseen && v.Resolver.Map != nil
}

// ExpandHome replaces ~ in front of a path, "" if the home isn't known.
func (v *View) ExpandHome(path string) string {
	if path == "~" || strings.HasPrefix(path, "~/") {
		if v.Home == "" {
			return ""
		}
		return v.Home + path[1:]
	}
	return path
}

// Absolute is a path that counts from base, as the session's shell reads it; "" if that isn't known.
func (v *View) Absolute(raw, base string) string {
	if v.Windows {
		return paths.WindowsJoin(base, raw, v.Home)
	}
	switch {
	case raw == "":
		return base
	case strings.HasPrefix(raw, "/"):
		return raw
	case raw == "~" || strings.HasPrefix(raw, "~/"):
		return v.ExpandHome(raw)
	case strings.HasPrefix(raw, "~") || base == "":
		return ""
	}
	return v.join(base, raw)
}

// OtherName is the sidecar's name of a path, where it has one of its own.
func (v *View) OtherName(real string) (string, bool) {
	if v.Resolver.Map == nil {
		return "", false
	}
	disk, visible := v.Resolver.Map.Sidecar(real)
	return disk, visible && disk != real
}

// Before is the stamp to keep what is about to be learned of a directory with. It is
// taken first, so that a later change shows, and absent where it can't vouch for names.
func (v *View) Before(dir string) stat.Stamp {
	now := v.Now()
	stamp, err := stat.Path(dir, false)
	if err != nil || !v.Stamped(dir) || stamp.Changed+SettledAfter >= now {
		return stat.Stamp{}
	}
	return stamp
}

// Stamped reports whether a directory lies where its path says and its stamp tells
// its states apart.
func (v *View) Stamped(dir string) bool {
	if !stat.Exact || v.Windows || v.Resolver.Map != nil {
		return false // else the name isn't the sidecar's
	}
	resolved, err := v.Resolver.Resolve(dir)
	return err == nil && resolved.Real == dir && resolved.Dir && !resolved.ViaProc
}

// Spelling is what a path that could not be followed spells.
func (v *View) Spelling(raw string) string {
	if v.Windows {
		return paths.WindowsSpelling(raw)
	}
	return path.Clean(raw)
}

// ErrUnseen is for what lies on no disk that the sidecar sees.
var ErrUnseen = errors.New("not on a disk that the sidecar sees")

// maxSettingsFile is how much of a file of settings, rules or changes is read.
const maxSettingsFile = 4 << 20
