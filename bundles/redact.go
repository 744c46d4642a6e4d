package bundles

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// masked replaces a credential.
const masked = "***"

// shortestSecret is below what a credential can be, and above what a text would be
// riddled with.
const shortestSecret = 4

// query is that of an address, which can be a credential.
var query = regexp.MustCompile(`(https?://[^\s"?]*)\?[^\s"]*`)

// masker removes credentials from messages of services and OPA: they go to the log and to /readyz. It is safe
// for concurrent use.
type masker struct {
	mu      sync.RWMutex
	secrets []string
}

// add masks all that is below credentials, headers and keys from now on.
func (m *masker) add(configuration map[string]any) {
	m.mu.Lock()
	defer m.mu.Unlock()
	services, _ := configuration["services"].(map[string]any)
	for _, service := range services {
		members, _ := service.(map[string]any)
		m.collect(members["credentials"])
		m.collect(members["headers"])
	}
	keys, _ := configuration["keys"].(map[string]any)
	for _, key := range keys {
		members, _ := key.(map[string]any)
		m.collect([]any{members["key"], members["private_key"]})
	}
	// Longest first, so that no part of one is left.
	slices.SortFunc(m.secrets, func(a, b string) int { return len(b) - len(a) })
}

func (m *masker) collect(value any) {
	switch value := value.(type) {
	case map[string]any:
		for _, member := range value {
			m.collect(member)
		}
	case []any:
		for _, element := range value {
			m.collect(element)
		}
	case string:
		if len(value) >= shortestSecret && !strings.HasPrefix(value, "/") && !strings.Contains(value, "://") {
			m.secrets = append(m.secrets, value)
		}
	}
}

// mask returns the text without credentials.
func (m *masker) mask(text string) string {
	m.mu.RLock()
	defer m.mu.RUnlock()
	for _, secret := range m.secrets {
		text = strings.ReplaceAll(text, secret, masked)
	}
	return query.ReplaceAllString(text, "${1}?"+masked)
}
