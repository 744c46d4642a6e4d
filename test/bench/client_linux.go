package main

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"strconv"
	"syscall"
	"time"
)

// The load is made by one thread that asks the kernel for whichever answer is there.
// A client of goroutines takes two to four times as much of the processors, which the
// servers need: a faster server gets more of it, and looks slower than it is.

// longestAnswer is how much of an answer is read.
const longestAnswer = 1 << 20

// answerPatience is how long no answer at all may come.
const answerPatience = 30 * time.Second

// wire is one connection of the load.
type wire struct {
	descriptor int
	started    time.Time
	answer     []byte
}

// dial connects without Go's poller, which would be woken for each answer, too.
func dial(at endpoint) (*wire, error) {
	family, address, err := at.socket()
	if err != nil {
		return nil, err
	}
	descriptor, err := syscall.Socket(family, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("make socket: %w", err)
	}
	w := &wire{descriptor: descriptor, answer: make([]byte, 0, 64<<10)}
	if err := syscall.Connect(descriptor, address); err != nil {
		return nil, errors.Join(fmt.Errorf("connect: %w", err), w.close())
	}
	if family == syscall.AF_INET {
		if err := syscall.SetsockoptInt(descriptor, syscall.IPPROTO_TCP, syscall.TCP_NODELAY, 1); err != nil {
			return nil, errors.Join(fmt.Errorf("set socket: %w", err), w.close())
		}
	}
	return w, nil
}

// socket is an endpoint as the kernel wants it.
func (e endpoint) socket() (family int, address syscall.Sockaddr, err error) {
	if e.network == "unix" {
		return syscall.AF_UNIX, &syscall.SockaddrUnix{Name: e.address}, nil
	}
	tcp, err := net.ResolveTCPAddr("tcp4", e.address)
	if err != nil {
		return 0, nil, fmt.Errorf("read address: %w", err)
	}
	return syscall.AF_INET, &syscall.SockaddrInet4{Port: tcp.Port, Addr: [4]byte(tcp.IP.To4())}, nil
}

func (w *wire) close() error { return os.NewSyscallError("close", syscall.Close(w.descriptor)) }

// send begins a request. The socket has room for it, since no other is on its way.
func (w *wire) send(request []byte) error {
	w.answer, w.started = w.answer[:0], time.Now()
	for len(request) > 0 {
		n, err := syscall.Write(w.descriptor, request)
		if err != nil && !errors.Is(err, syscall.EINTR) {
			return os.NewSyscallError("send request", err)
		}
		request = request[max(n, 0):]
	}
	return nil
}

// receive takes what has come, and reports whether the answer is whole.
func (w *wire) receive() (whole bool, err error) {
	if len(w.answer) == cap(w.answer) {
		if len(w.answer) >= longestAnswer {
			return false, errors.New("read answer: it does not end")
		}
		w.answer = append(w.answer, 0)[:len(w.answer)]
	}
	n, err := syscall.Read(w.descriptor, w.answer[len(w.answer):cap(w.answer)])
	switch {
	case errors.Is(err, syscall.EINTR):
		return false, nil
	case err != nil:
		return false, os.NewSyscallError("read answer", err)
	case n == 0:
		return false, errors.New("read answer: the server closed the connection")
	}
	w.answer = w.answer[:len(w.answer)+n]
	return complete(w.answer)
}

// complete reports whether bytes are a whole answer with status 200: of the length that
// it says, or in chunks of JSON, which holds no line end of its own.
func complete(answer []byte) (bool, error) {
	head, body, ok := bytes.Cut(answer, []byte("\r\n\r\n"))
	if !ok {
		return false, nil
	}
	var whole bool
	if _, after, sized := bytes.Cut(head, []byte("\r\nContent-Length: ")); sized {
		digits, _, _ := bytes.Cut(after, []byte("\r\n"))
		length, err := strconv.Atoi(string(digits))
		if err != nil {
			return false, fmt.Errorf("read answer: %w", err)
		}
		whole = len(body) >= length
	} else {
		whole = bytes.HasSuffix(body, []byte("\r\n0\r\n\r\n"))
	}
	if whole && !bytes.HasPrefix(answer, []byte("HTTP/1.1 200 ")) {
		return false, fmt.Errorf("read answer: %s", answer)
	}
	return whole, nil
}

// load keeps one request on its way on each of n connections for as long as next gives
// any, and returns how long each took.
func load(at endpoint, n int, next func() (request []byte, ok bool)) (took []time.Duration, err error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	poll, err := syscall.EpollCreate1(syscall.EPOLL_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("epoll_create1", err)
	}
	wires := make(map[int32]*wire, n)
	defer func() {
		err = errors.Join(err, os.NewSyscallError("close", syscall.Close(poll)))
		for _, w := range wires {
			err = errors.Join(err, w.close())
		}
	}()
	for range n {
		w, err := dial(at)
		if err != nil {
			return nil, err
		}
		event := syscall.EpollEvent{Events: syscall.EPOLLIN, Fd: int32(w.descriptor)}
		wires[event.Fd] = w
		if err := syscall.EpollCtl(poll, syscall.EPOLL_CTL_ADD, w.descriptor, &event); err != nil {
			return nil, os.NewSyscallError("epoll_ctl", err)
		}
	}
	return exchangeAll(poll, wires, next)
}

func exchangeAll(poll int, wires map[int32]*wire, next func() ([]byte, bool)) ([]time.Duration, error) {
	took := make([]time.Duration, 0, 1<<16)
	open := 0
	for _, w := range wires {
		if request, ok := next(); ok {
			if err := w.send(request); err != nil {
				return nil, err
			}
			open++
		}
	}
	events := make([]syscall.EpollEvent, len(wires))
	for open > 0 {
		ready, err := syscall.EpollWait(poll, events, int(answerPatience.Milliseconds()))
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case err != nil:
			return nil, os.NewSyscallError("epoll_wait", err)
		case ready == 0:
			return nil, fmt.Errorf("read answer: none within %s", answerPatience)
		}
		for _, event := range events[:ready] {
			w := wires[event.Fd]
			whole, err := w.receive()
			if err != nil {
				return nil, err
			}
			if !whole {
				continue
			}
			took = append(took, time.Since(w.started))
			request, ok := next()
			if !ok {
				open--
				continue
			}
			if err := w.send(request); err != nil {
				return nil, err
			}
		}
	}
	return took, nil
}
