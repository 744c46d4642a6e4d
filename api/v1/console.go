package v1

import "time"

// ConsoleLinkRequest is the body of POST /v1/console/link. By names the person, unless the
// credential does.
type ConsoleLinkRequest struct {
	By string `json:"by,omitempty"`
}

// ConsoleLink logs a browser in at the console, once.
type ConsoleLink struct {
	// URL contains the code. It may be used until ExpiresAt.
	URL       string    `json:"url"`
	ExpiresAt time.Time `json:"expires_at"`
}
