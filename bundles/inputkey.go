package bundles

import (
	"crypto/sha256"
	"encoding/binary"

	v1 "policyd/api/v1"
)

// inputKey names an input: two inputs have one key only if they are equal, nil and empty
// lists being the same, as they are to the policy.
type inputKey [sha256.Size]byte

// inputWriter writes an input as bytes from which it could be read back: every list and
// text is preceded by its length, and nothing is left out.
type inputWriter struct{ out []byte }

// key returns the key of in.
func (w *inputWriter) key(in *v1.Input) inputKey {
	w.out = w.out[:0]
	w.judged(in)
	return sha256.Sum256(w.out)
}

// keyEach writes a list of objects.
func keyEach[T any](w *inputWriter, list []T, write func(*inputWriter, *T)) {
	w.number(len(list))
	for i := range list {
		write(w, &list[i])
	}
}

func (w *inputWriter) form(form v1.Form) {
	w.number(len(form))
	for i := range form {
		w.text(form[i].Name)
		w.text(form[i].Kind)
	}
}

func (w *inputWriter) values(values v1.Values) {
	w.number(len(values))
	for i := range values {
		w.text(values[i].Name)
		w.list(values[i].Texts)
	}
}

func (w *inputWriter) list(texts []string) {
	w.number(len(texts))
	for _, text := range texts {
		w.text(text)
	}
}

func (w *inputWriter) text(text string) {
	w.number(len(text))
	w.out = append(w.out, text...)
}

func (w *inputWriter) number(number int) { w.out = binary.AppendVarint(w.out, int64(number)) }

func (w *inputWriter) truth(truth bool) {
	bit := byte(0)
	if truth {
		bit = 1
	}
	w.out = append(w.out, bit)
}
