package paths

import (
	"errors"
	"io/fs"
	"runtime"
	"strings"

	"policyd/extract/stat"
)

// Errors of Windows paths. Such a path lies in no known space.
var (
	// ErrWindowsForm is for spellings that lead elsewhere than they seem to:
	// drive-relative paths, streams, short names, trailing dots, `\\?\`.
	ErrWindowsForm = errors.New("path has a form that is not followed")
	// ErrWindowsDevice is for names that are devices in every directory.
	ErrWindowsDevice = errors.New("path is a device")
)

// WindowsPath brings an absolute Windows path into the form that facts hold:
// `C:/proj/src`, the drive letter in upper case, "." and ".." taken away by
// spelling, as Windows itself does. A share is `//server/share/…`. A path that
// begins with one slash is a path of another system and keeps it.
func WindowsPath(path string) (string, error) {
	path = strings.ReplaceAll(path, `\`, "/")
	prefix, rest := "", ""
	switch {
	case len(path) > maxBytes:
		return "", ErrTooLong
	case strings.HasPrefix(path, "//?"), strings.HasPrefix(path, "//."):
		return "", ErrWindowsForm
	case strings.HasPrefix(path, "//"):
		prefix, rest = "/", path[2:]
	case strings.HasPrefix(path, "/"):
		rest = path[1:]
	case DriveLetter(path) && (len(path) == 2 || path[2] == '/'):
		prefix, rest = strings.ToUpper(path[:2]), path[2:]
	default:
		return "", ErrRelative
	}
	segments := make([]string, 0, 8)
	for segment := range strings.SplitSeq(rest, "/") {
		switch segment {
		case "", ".":
			continue
		case "..":
			segments = segments[:max(len(segments)-1, 0)]
			continue
		}
		if err := windowsSegment(segment); err != nil {
			return "", err
		}
		segments = append(segments, segment)
	}
	if len(segments) == 0 {
		if prefix == "" {
			return "/", nil
		}
		return prefix, nil
	}
	return prefix + "/" + strings.Join(segments, "/"), nil
}

// DriveLetter reports whether a path begins with a drive, as in `C:`.
func DriveLetter(path string) bool {
	return len(path) >= 2 && path[1] == ':' && (path[0] >= 'a' && path[0] <= 'z' || path[0] >= 'A' && path[0] <= 'Z')
}

// windowsSegment refuses names that Windows opens as something else.
func windowsSegment(segment string) error {
	if WindowsDevice(segment) != "" {
		return ErrWindowsDevice
	}
	for i := range len(segment) {
		if c := segment[i]; c < ' ' || strings.IndexByte("<>\"|?*:`", c) >= 0 {
			return ErrWindowsForm
		}
	}
	if last := segment[len(segment)-1]; last == '.' || last == ' ' || shortName(segment) {
		return ErrWindowsForm
	}
	return nil
}

// shortName reports whether a name may be the 8.3 alias of a longer one: such
// as CREDEN~1.JSO for credentials.json.
func shortName(segment string) bool {
	stem, _, _ := strings.Cut(segment, ".")
	tilde := strings.LastIndexByte(stem, '~')
	return tilde >= 0 && tilde < len(stem)-1 && len(stem) <= 8 && strings.Trim(stem[tilde+1:], "0123456789") == ""
}

// WindowsDevice returns the device that a name stands for in every directory,
// with or without an extension or a stream, in upper case; or "".
func WindowsDevice(name string) string {
	stem := strings.ToUpper(name)
	if end := strings.IndexAny(stem, ".:"); end >= 0 {
		stem = stem[:end]
	}
	stem = strings.TrimRight(stem, " ")
	switch stem {
	case "NUL", "CON", "PRN", "AUX", "CONIN$", "CONOUT$":
		return stem
	}
	digits := strings.TrimPrefix(strings.TrimPrefix(stem, "COM"), "LPT")
	if len(digits) == len(stem)-3 && (strings.Trim(digits, "0123456789") == "" && len(digits) == 1 || strings.ContainsAny(digits, "¹²³")) {
		return stem
	}
	return ""
}

// WindowsJoin makes raw absolute as Windows would, counting from base, which
// is in the form of WindowsPath; empty when it can't be told.
func WindowsJoin(base, raw, home string) string {
	text := strings.ReplaceAll(raw, `\`, "/")
	switch {
	case text == "":
		return base
	case text == "~" || strings.HasPrefix(text, "~/"):
		if home == "" {
			return ""
		}
		return home + text[1:]
	case strings.HasPrefix(text, "//"):
		return text
	case strings.HasPrefix(text, "/"):
		return windowsRooted(base, text)
	case DriveLetter(text):
		if len(text) > 2 && text[2] == '/' {
			return text
		}
		return "" // relative to that drive's own directory
	case base == "":
		return ""
	}
	return base + "/" + text
}

// windowsRooted resolves a path that begins with one slash: it starts at the root of the drive of base.
// It is empty if base is a share or unknown.
func windowsRooted(base, text string) string {
	switch {
	case DriveLetter(base):
		return base[:2] + text
	case strings.HasPrefix(base, "/") && !strings.HasPrefix(base, "//"):
		return text
	}
	return ""
}

// WindowsSpelling is what a path that can't be followed spells, for lists that
// deny by name: separators, streams, trailing dots and blanks are taken away.
func WindowsSpelling(raw string) string {
	segments := strings.Split(strings.ReplaceAll(raw, `\`, "/"), "/")
	for i, segment := range segments {
		if i == 0 && len(segment) == 2 && DriveLetter(segment) || segment == "." || segment == ".." {
			continue
		}
		if i == 0 && DriveLetter(segment) {
			segment = segment[2:]
		}
		if colon := strings.IndexByte(segment, ':'); colon > 0 {
			segment = segment[:colon]
		}
		segments[i] = strings.Trim(strings.ReplaceAll(strings.TrimRight(segment, ". "), "`", ""), `"' `)
	}
	return "/" + strings.Join(segments, "/")
}

// seesWindows reports whether paths with drive letters are on this machine.
func (r *Resolver) seesWindows() bool { return r.disk || runtime.GOOS == "windows" }

// resolveWindows resolves a path of a session on Windows. A share is never
// looked at: that alone would send the user's name and a proof of the password.
func (r *Resolver) resolveWindows(path string) (Resolved, error) {
	clean, err := WindowsPath(path)
	switch {
	case err != nil:
		return Resolved{}, err
	case strings.HasPrefix(clean, "//"):
		return Resolved{Real: clean}, nil
	case strings.HasPrefix(clean, "/"):
		return r.resolve(clean)
	case !r.seesWindows():
		return Resolved{Real: clean, Unseen: true}, nil
	}
	return r.walkWindows(clean)
}

// walkWindows follows the links of a clean path. What is neither file nor
// directory nor link, junctions among them, is not followed.
func (r *Resolver) walkWindows(path string) (Resolved, error) {
	out := Resolved{Exists: true, Dir: true}
	current, rest := path[:2], path[2:]
	for links := 0; ; {
		segment, tail, ok := nextSegment(rest)
		if !ok {
			break
		}
		seen, listed := r.entry(current, segment)
		current, rest = current+"/"+listed, tail
		switch {
		case errors.Is(seen.err, fs.ErrNotExist):
			out.Exists, out.Dir, out.Regular = false, false, false
			continue
		case seen.err != nil:
			return out, seen.err
		case seen.stamp.Kind != stat.Link:
			if seen.stamp.Kind == stat.Other {
				return out, ErrWindowsForm
			}
			out.Exists, out.Dir, out.Regular = true, seen.stamp.Kind == stat.Directory, seen.stamp.Kind == stat.File
			continue
		}
		if links++; links > maxLinks {
			return out, ErrLoop
		}
		out.Links = append(out.Links, current)
		target, err := WindowsPath(WindowsJoin(parent(current), seen.link, ""))
		if err != nil {
			return out, err
		}
		if !DriveLetter(target) {
			return Resolved{Real: target, Links: out.Links}, nil
		}
		current, rest = target[:2], target[2:]+"/"+rest
		out.Exists, out.Dir = true, true
	}
	out.Real = current
	return out, nil
}
