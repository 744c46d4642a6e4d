package trust

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"policyd/extract/stat"
)

// maxWayLinks is how many links a way may lead over (path_resolution(7)).
const maxWayLinks = 40

// resolve gives the real path of a path that a file in base names. Every segment
// on the way is noted by itself: where a directory was moved and a link to it left
// in its place, the path leads to the very same directory, and to another name.
func (p *probe) resolve(base, path string) (string, error) {
	if !filepath.IsAbs(path) {
		path = base + string(filepath.Separator) + path
	}
	links := 0
	if p.view == nil {
		if err := p.noteWay(path, &links); err != nil {
			return "", err
		}
	}
	if _, err := p.stat(path, true); err != nil {
		return "", err
	}
	if p.view != nil {
		return p.view.Real(path)
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		p.unstable = true
		return "", err
	}
	return real, nil
}

// noteWay notes what each segment of an absolute path is, and does so for what
// links on the way lead to. Behind what is missing there is nothing to note.
func (p *probe) noteWay(path string, links *int) error {
	for end := 1; end <= len(path); end++ {
		if end < len(path) && !os.IsPathSeparator(path[end]) || os.IsPathSeparator(path[end-1]) {
			continue
		}
		segment := path[:end]
		found, err := p.stat(segment, false)
		switch {
		case err != nil:
			return err
		case !found.Present():
			return nil
		case found.Kind != stat.Link:
			continue
		}
		if *links++; *links > maxWayLinks {
			return refuse(CodeLimit, "links")
		}
		target, err := os.Readlink(segment)
		if err != nil {
			p.unstable = true
			return fmt.Errorf("read link: %w", err)
		}
		if !filepath.IsAbs(target) {
			// The text as it is: behind a link ".." is not what cleaning makes of it.
			target = segment[:strings.LastIndexByte(segment, filepath.Separator)+1] + target
		}
		if err := p.noteWay(target, links); err != nil {
			return err
		}
	}
	return nil
}
