package console

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// proofHeader carries when a write was made, in milliseconds, and its signature: "<time>.<base64url>".
//
// Browsers send a cookie to every port of a host, so a server on another port can receive it. A write is
// therefore signed with a key that the browser keeps for this origin alone, and that no script can read.
const proofHeader = "Policyd-Proof"

// proofLife is how far the clocks of browser and server may differ.
const proofLife = 5 * time.Minute

// half is the length of each of the two numbers of a signature (P-256).
const half = 32

// readKey reads a public key: an uncompressed point of P-256, in base64url.
func readKey(text string) (*ecdsa.PublicKey, error) {
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return nil, fmt.Errorf("read key: %w", err)
	}
	key, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), raw)
	if err != nil {
		return nil, fmt.Errorf("read key: %w", err)
	}
	return key, nil
}

// proven reports whether a write is signed with the key of the session. The body can be read again.
func (c *Console) proven(r *http.Request, key string) bool {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return false
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	public, err := readKey(key)
	if err != nil {
		return false
	}
	stamp, text, _ := strings.Cut(r.Header.Get(proofHeader), ".")
	made, err := strconv.ParseInt(stamp, 10, 64)
	signed, wrong := base64.RawURLEncoding.DecodeString(text)
	if err != nil || wrong != nil || len(signed) != 2*half {
		return false
	}
	if age := c.options.Clock().Sub(time.UnixMilli(made)); age >= proofLife || age <= -proofLife {
		return false
	}
	sum := sha256.Sum256(append([]byte(r.URL.Path+"\n"+stamp+"\n"), body...))
	return ecdsa.Verify(public, sum[:], new(big.Int).SetBytes(signed[:half]), new(big.Int).SetBytes(signed[half:]))
}
