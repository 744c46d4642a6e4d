//go:build darwin || (linux && !amd64 && !arm64)

package stat

import "syscall"

func look(path string, follow bool) (Stamp, error) {
	var raw syscall.Stat_t
	if err := portable(path, follow, &raw); err != nil {
		return Stamp{}, err
	}
	return stampOf(&raw), nil
}

func lookBelow(dir, name string, follow bool) (Stamp, error) { return look(dir+"/"+name, follow) }

// Held describes what is open by a descriptor, which the caller keeps open meanwhile.
func Held(descriptor uintptr) (Stamp, error) {
	var raw syscall.Stat_t
	if err := syscall.Fstat(int(descriptor), &raw); err != nil {
		return Stamp{}, err
	}
	return stampOf(&raw), nil
}
