package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"policyd/internal/certificates"
	"policyd/internal/secretfile"
)

// examineAccess checks all credentials except for the state directory's tokens, which examineState checks.
func examineAccess(s *settings) finding {
	var notes []string
	var faults []error
	for _, token := range s.Tokens {
		if _, err := secretfile.Read(token.File); err != nil {
			faults = append(faults, fmt.Errorf("token of %s: %w", token.Name, err))
		}
	}
	if len(s.Tokens) > 0 {
		notes = append(notes, fmt.Sprintf("%d named tokens", len(s.Tokens)))
	}
	if s.TLS.Cert != "" {
		store, err := certificates.Open(certificateOptions(s))
		if err != nil {
			faults = append(faults, err)
		} else {
			notes = append(notes, "TLS, certificate until "+store.Until().UTC().Format(time.RFC3339)+", client certificates: "+s.TLS.ClientAuth)
		}
	}
	if len(notes) == 0 {
		notes = append(notes, "the tokens of the state directory, and the socket")
	}
	return finding{name: "access", note: strings.Join(notes, "; "), err: errors.Join(faults...)}
}
