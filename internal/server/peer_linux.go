package server

import (
	"net"

	"golang.org/x/sys/unix"
)

// peerUser returns the user at the other end of a Unix socket.
func peerUser(conn net.Conn) (uid uint32, known bool) {
	socket, ok := conn.(*net.UnixConn)
	if !ok {
		return 0, false
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return 0, false
	}
	var credentials *unix.Ucred
	var failed error
	err = raw.Control(func(descriptor uintptr) {
		credentials, failed = unix.GetsockoptUcred(int(descriptor), unix.SOL_SOCKET, unix.SO_PEERCRED)
	})
	if err != nil || failed != nil {
		return 0, false
	}
	return credentials.Uid, true
}
