package sidecar

import (
	"fmt"
	"maps"
	"net"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
)

// Warnings are settings that are allowed and that an operator should know of:
// the start logs them and the doctor shows them.
func (s *Settings) Warnings() []string {
	found := []string{}
	if host, _, err := net.SplitHostPort(s.Addr); err == nil && !loopback(host) && s.TLS.Cert == "" {
		found = append(found, fmt.Sprintf("addr %s is not a loopback address: other machines can reach policyd, and tokens travel unencrypted; set tls", s.Addr))
	}
	if s.Socket.Group != "" && within(s.resolve(s.StateDir), s.resolve(s.RunDir)) {
		found = append(found, fmt.Sprintf("socket.group %s can't reach run_dir %s, since it lies in the state directory, which is policyd's alone; name another run_dir", s.Socket.Group, s.RunDir))
	}
	if service, err := url.Parse(s.DecisionLog.Service.URL); err == nil && service.Scheme == "http" && !loopback(service.Hostname()) {
		found = append(found, fmt.Sprintf("decision_log.service.url sends records to %s unencrypted", service.Hostname()))
	}
	if s.UnsafeDebugBroadcast {
		found = append(found, "--unsafe-debug-broadcast is given: namespaces in mode unsafe_debug send every request to every subscriber")
	}
	return slices.Concat(found, s.scopeWarnings(), s.serviceWarnings(), s.nameWarnings())
}

// scopeWarnings are settings of scope and secrets that cover more than they should.
func (s *Settings) scopeWarnings() []string {
	var found []string
	for _, project := range s.list("scope", "projects") {
		for _, file := range slices.Concat(s.protected(), s.secretFiles()) {
			if within(s.resolve(project), s.resolve(file)) {
				found = append(found, fmt.Sprintf("%s, which policyd reads or writes, lies in the project %s: keep it where agents have no business", file, project))
			}
		}
	}
	for _, root := range s.list("scope", "read_also") {
		if s.resolve(root) == string(filepath.Separator) {
			found = append(found, fmt.Sprintf("scope.read_also has %q: every file that is no secret is read without a question", root))
		}
	}
	for _, key := range []string{"names", "directories"} {
		if slices.ContainsFunc(s.list("secrets", key), matchesEverything) {
			found = append(found, fmt.Sprintf("secrets.%s matches everything: every file is a secret, and denied", key))
		}
	}
	if slices.ContainsFunc(s.list("secrets", "except"), matchesEverything) {
		found = append(found, "secrets.except matches everything: no file is a secret by its name")
	}
	return found
}

// serviceWarnings are services whose connection an attacker could impersonate.
func (s *Settings) serviceWarnings() []string {
	var found []string
	services, _ := s.Bundles["services"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(services)) {
		service, _ := services[name].(map[string]any)
		address, _ := service["url"].(string)
		parsed, err := url.Parse(address)
		insecure, _ := service["allow_insecure_tls"].(bool)
		if err == nil && (insecure || parsed.Scheme == "http" && !loopback(parsed.Hostname())) {
			found = append(found, fmt.Sprintf("bundles.services.%s is not asked over a checked TLS connection: "+
				"who is on the way reads its credentials, and can keep news back, or replace bundles that need no signature", name))
		}
	}
	return found
}

// loopback reports whether a host to listen on can't be reached from elsewhere.
func loopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	return net.ParseIP(host).IsLoopback()
}

// matchesEverything reports whether a glob is nothing but stars.
func matchesEverything(glob string) bool { return glob != "" && strings.Trim(glob, "*") == "" }

// list returns a list of texts among the judging settings.
func (s *Settings) list(group, key string) []string {
	members, _ := s.Settings()[group].(map[string]any)
	values, _ := members[key].([]any)
	texts := make([]string, 0, len(values))
	for _, value := range values {
		texts = append(texts, fmt.Sprint(value))
	}
	return texts
}

// resolve follows links as far as the path exists, so that a file in a project is found under any of its
// names.
func (s *Settings) resolve(path string) string {
	if rest, below := strings.CutPrefix(path, "~"); below {
		path = filepath.Join(s.Home, rest)
	}
	path = filepath.Clean(path)
	missing := ""
	for at := path; ; at = filepath.Dir(at) {
		if real, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(real, missing)
		}
		if at == filepath.Dir(at) {
			return path
		}
		missing = filepath.Join(filepath.Base(at), missing)
	}
}

// within reports whether path is root or is below it.
func within(root, path string) bool {
	relative, err := filepath.Rel(root, path)
	return err == nil && filepath.IsLocal(relative)
}
