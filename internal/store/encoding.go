package store

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// Times are stored as microseconds in both dialects, so that a value reads back equal.

func micros(at time.Time) int64 { return at.UnixMicro() }

func fromMicros(at int64) time.Time { return time.UnixMicro(at).UTC() }

func rounded(at time.Time) time.Time { return at.UTC().Truncate(time.Microsecond) }

// microsOrNull keeps a missing time as NULL.
func microsOrNull(at *time.Time) any {
	if at == nil {
		return nil
	}
	return micros(*at)
}

func encode(value any) (string, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return "", fmt.Errorf("encode row: %w", err)
	}
	return string(text), nil
}

func decode(text string, value any) error {
	if err := json.Unmarshal([]byte(text), value); err != nil {
		return fmt.Errorf("decode row: %w", err)
	}
	return nil
}

// identity is the digest of values that together may be there only once.
func identity(values ...string) []byte {
	var packed []byte
	for _, value := range values {
		packed = binary.AppendUvarint(packed, uint64(len(value)))
		packed = append(packed, value...)
	}
	digest := sha256.Sum256(packed)
	return digest[:]
}

// checkText refuses what only one of the two databases could store, and what JSON would change: a directory
// that is stored under a changed name would make an answer apply elsewhere.
func checkText(values ...any) error {
	for _, value := range values {
		if text, ok := value.(string); ok && (!utf8.ValidString(text) || strings.ContainsRune(text, 0)) {
			return ErrText
		}
	}
	return nil
}
