//go:build amd64 || arm64

package contain

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	v1 "policyd/api/v1"
	"policyd/internal/contain/landlock"
)

// confine restricts the calling thread for good, and what it starts. It returns the listener of
// the seccomp filter, or -1. The thread must be locked to its goroutine, and must end with it.
func (s *spec) confine() (int, error) {
	if unix.Gettid() == unix.Getpid() {
		return -1, errors.New("confine thread: it is the process's first, whose limits others take for those of the process")
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return -1, fmt.Errorf("set no_new_privs: %w", err)
	}
	rules, err := landlockRules(&s.Obligation, s.ABI, s.Private, s.Staged)
	if err != nil {
		return -1, err
	}
	defer rules.close()
	if err := dropCapabilities(s.Obligation.Profile); err != nil {
		return -1, err
	}
	if err := landlock.RestrictSelf(rules.fd); err != nil {
		return -1, fmt.Errorf("enforce landlock ruleset: %w", err)
	}
	return newTable(limitsOf(&s.Obligation, s.Staged, s.ABI)).install()
}

// keptCapabilities let a root user do with files what the profile lets an ordinary user do. Other
// capabilities change the machine.
func keptCapabilities(profile string) uint64 {
	kept := uint64(1) << unix.CAP_DAC_READ_SEARCH
	if profile == v1.ProfileProject {
		kept |= 1<<unix.CAP_DAC_OVERRIDE | 1<<unix.CAP_CHOWN | 1<<unix.CAP_FOWNER | 1<<unix.CAP_FSETID
	}
	return kept
}

func dropCapabilities(profile string) error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	if err := unix.Capget(&header, &data[0]); err != nil {
		return fmt.Errorf("read capabilities: %w", err)
	}
	kept := keptCapabilities(profile)
	if data[0].Effective&(1<<unix.CAP_SETPCAP) != 0 {
		for capability := range uintptr(unix.CAP_LAST_CAP + 1) {
			if kept&(1<<capability) != 0 {
				continue
			}
			if err := unix.Prctl(unix.PR_CAPBSET_DROP, capability, 0, 0, 0); err != nil && err != unix.EINVAL { // EINVAL: an older kernel
				return fmt.Errorf("drop capability %d: %w", capability, err)
			}
		}
	}
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return fmt.Errorf("clear ambient capabilities: %w", err)
	}
	for i := range data {
		half := uint32(kept >> (32 * i)) //nolint:gosec // one half after the other
		data[i].Effective &= half
		data[i].Permitted &= half
		data[i].Inheritable = 0
	}
	if err := unix.Capset(&header, &data[0]); err != nil {
		return fmt.Errorf("drop capabilities: %w", err)
	}
	return nil
}

// hasCapability reports whether the process has a capability of the initial user namespace.
func hasCapability(capability uint) bool {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	if err := unix.Capget(&header, &data[0]); err != nil {
		return false
	}
	return data[capability/32].Effective&(1<<(capability%32)) != 0
}

// limitCoreDumps keeps the kernel from handing a dump to a program outside: a limit of 1 is the one
// that also holds if core_pattern is a pipe. core(5)
func limitCoreDumps() error {
	limit := unix.Rlimit{Cur: 1, Max: 1}
	err := unix.Setrlimit(unix.RLIMIT_CORE, &limit)
	if err == nil {
		return nil
	}
	var now unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_CORE, &now) == nil && now.Max == 0 {
		return nil // it is lower, and can't be raised
	}
	return fmt.Errorf("limit core dumps: %w", err)
}
