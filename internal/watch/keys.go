package watch

import (
	"context"
	"io"
)

// Key is a key that a person pressed: a character, or one of the following.
type Key rune

// Keys that are no characters.
const (
	keyNone Key = -1 - iota
	KeyNext
	KeyPrevious
	KeyQuit
)

// Bytes that a terminal sends.
const (
	controlC = 0x03
	controlD = 0x04
	escape   = 0x1b
)

// Places in what a terminal sends for one key.
const (
	atStart = iota
	afterEscape
	inSequence
)

// keyboard turns a terminal's input into keys. Pasted text isn't a key: nobody pressed it.
type keyboard struct {
	at         int
	parameters string
	pasting    bool
}

// press handles one byte and returns the key that it ends, or keyNone.
func (k *keyboard) press(b byte) Key {
	switch k.at {
	case afterEscape:
		k.at = atStart
		if b == '[' || b == 'O' {
			k.at, k.parameters = inSequence, ""
		}
		return keyNone
	case inSequence:
		return k.sequence(b)
	}
	switch {
	case b == escape:
		k.at = afterEscape
	case k.pasting || b >= 0x80:
	case b == controlC || b == controlD:
		return KeyQuit
	case b >= ' ' && b < 0x7f:
		return Key(b)
	}
	return keyNone
}

// longestParameters bounds the kept part of an unknown sequence.
const longestParameters = 16

// sequence handles a byte of an escape sequence, which a letter or a tilde ends.
func (k *keyboard) sequence(b byte) Key {
	if b < '@' || b > '~' {
		if len(k.parameters) < longestParameters {
			k.parameters += string(rune(b))
		}
		return keyNone
	}
	k.at = atStart
	if b == '~' {
		switch k.parameters {
		case "200":
			k.pasting = true
		case "201":
			k.pasting = false
		}
		return keyNone
	}
	if k.pasting {
		return keyNone
	}
	switch b {
	case 'A', 'D':
		return KeyPrevious
	case 'B', 'C':
		return KeyNext
	}
	return keyNone
}

// Keys reads keys from a terminal in raw mode until it ends, and then closes the channel. A key that nobody
// receives before ctx ends is lost.
func Keys(ctx context.Context, terminal io.Reader) <-chan Key {
	keys := make(chan Key)
	go func() {
		defer close(keys)
		var board keyboard
		var buffer [64]byte
		for {
			count, err := terminal.Read(buffer[:])
			for _, b := range buffer[:count] {
				key := board.press(b)
				if key == keyNone {
					continue
				}
				select {
				case keys <- key:
				case <-ctx.Done():
					return
				}
			}
			if err != nil {
				return
			}
		}
	}()
	return keys
}
