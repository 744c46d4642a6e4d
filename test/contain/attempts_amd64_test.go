//go:build linux

package contain

import (
	"os"
	"os/exec"
	"unsafe"

	"golang.org/x/sys/unix"
)

// callOf32Bits asks for the process id by the calls of 32-bit programs, in a process of its own, which ends.
func callOf32Bits(*world) error {
	if os.Getenv("CALL_32") == "" {
		child := exec.Command("/proc/self/exe", wordAttempt, "calls of 32 bits")
		child.Env = append(os.Environ(), "CALL_32=1")
		return child.Run()
	}
	code, err := unix.Mmap(-1, 0, 4096, unix.PROT_READ|unix.PROT_WRITE|unix.PROT_EXEC, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return err
	}
	copy(code, []byte{0x53, 0xb8, 20, 0, 0, 0, 0xcd, 0x80, 0x5b, 0xc3}) // push rbx; mov eax, 20; int 0x80; pop rbx; ret
	entry := uintptr(unsafe.Pointer(&code[0]))
	pointer := unsafe.Pointer(&entry)
	(*(*func())(unsafe.Pointer(&pointer)))()
	return nil
}
