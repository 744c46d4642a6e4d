package bundles

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// bundleName is a valid name of a bundle: it is the name of a directory, too.
var bundleName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$`)

// configurationKeys are the parts of OPA's configuration that bundles need. The others
// would start what policyd has itself, or has no use for.
func configurationKeys() []string {
	return []string{"bundles", "discovery", "keys", "labels", "services", "status"}
}

// configuration is OPA's, checked and completed.
type configuration struct {
	values map[string]any
	// names are the bundles; those of files are not polled but watched.
	names []string
	files map[string]string
	// signed are the bundles that have to be signed.
	signed     map[string]bool
	discovered bool
}

// newConfiguration checks a configuration and adds policyd's defaults where they differ from OPA's: size
// limits of megabytes, and bundles that are kept for the next start.
func newConfiguration(given map[string]any, persistDir string) (*configuration, error) {
	values, err := plainSettings(given)
	if err != nil {
		return nil, err
	}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if !slices.Contains(configurationKeys(), key) {
			return nil, fmt.Errorf("bundles.%s is no key that policyd takes; those of OPA that it takes: %s",
				key, strings.Join(configurationKeys(), ", "))
		}
	}
	c := &configuration{values: values, files: map[string]string{}, signed: map[string]bool{}}
	_, c.discovered = values["discovery"]
	if err := c.completeServices(); err != nil {
		return nil, err
	}
	if err := c.completeBundles(); err != nil {
		return nil, err
	}
	if err := c.completeDiscovery(); err != nil {
		return nil, err
	}
	status, err := object(values, "status")
	if err != nil {
		return nil, fmt.Errorf("bundles.status: %w", err)
	}
	for _, key := range []string{"console", "plugin", "prometheus"} {
		if _, given := status[key]; given {
			return nil, fmt.Errorf("bundles.status.%s: status goes to a service alone; /readyz?verbose says the same", key)
		}
	}
	values["persistence_directory"] = persistDir
	return c, nil
}

func (c *configuration) raw() ([]byte, error) {
	raw, err := json.Marshal(c.values)
	if err != nil {
		return nil, fmt.Errorf("write configuration: %w", err)
	}
	return raw, nil
}

// completeServices routes every service through the transport that bounds answers. OPA also accepts services
// as a list, which is refused: a list can have two of one name.
func (c *configuration) completeServices() error {
	services, err := object(c.values, "services")
	if err != nil {
		return fmt.Errorf("bundles.services has to be a mapping from name to service: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(services)) {
		where := "bundles.services." + name
		service, isObject := services[name].(map[string]any)
		if !isObject {
			return fmt.Errorf("%s has to be a mapping", where)
		}
		address, _ := service["url"].(string)
		parsed, err := url.Parse(address)
		switch {
		case err != nil || parsed.Host == "":
			// The address isn't repeated: it may contain a password.
			return fmt.Errorf("%s.url is no address; https://host/path belongs there", where)
		case parsed.User != nil:
			return fmt.Errorf("%s.url holds a user; credentials belong below %s.credentials", where, where)
		}
		credentials, err := object(service, "credentials")
		if err != nil {
			return fmt.Errorf("%s.credentials: %w", where, err)
		}
		if _, given := credentials["plugin"]; given {
			return fmt.Errorf("%s.credentials.plugin names a plugin, and policyd has none", where)
		}
		credentials["plugin"] = transportName(name)
		service["credentials"] = credentials
	}
	return nil
}

// services are the names of services.
func (c *configuration) services() []string {
	services, _ := c.values["services"].(map[string]any)
	return slices.Sorted(maps.Keys(services))
}

func (c *configuration) completeBundles() error {
	listed, err := object(c.values, "bundles")
	if err != nil {
		return fmt.Errorf("bundles.bundles has to be a mapping from name to bundle: %w", err)
	}
	keys, err := object(c.values, "keys")
	if err != nil {
		return fmt.Errorf("bundles.keys has to be a mapping from name to key: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(listed)) {
		where := "bundles.bundles." + name
		source, isObject := listed[name].(map[string]any)
		switch {
		case !isObject:
			return fmt.Errorf("%s has to be a mapping", where)
		case !bundleName.MatchString(name) || name == embeddedName:
			return fmt.Errorf("%s: %q is no name for a bundle; letters, digits, -, _ and . are, but for %q",
				where, name, embeddedName)
		}
		_, c.signed[name] = source["signing"]
		if len(keys) > 0 && !c.signed[name] {
			return fmt.Errorf("%s has no signing block although there are keys, so an unsigned bundle would pass; "+
				"say signing: {keyid: …}", where)
		}
		if err := c.completeSource(where, name, source); err != nil {
			return err
		}
		c.names = append(c.names, name)
	}
	return nil
}

func (c *configuration) completeSource(where, name string, source map[string]any) error {
	if _, given := source["size_limit_bytes"]; !given {
		source["size_limit_bytes"] = maxBundleBytes
	}
	resource, _ := source["resource"].(string)
	file, local := strings.CutPrefix(resource, "file://")
	if !local {
		if _, given := source["persist"]; !given {
			source["persist"] = true
		}
		return nil
	}
	switch persist, _ := source["persist"].(bool); {
	case persist:
		return fmt.Errorf("%s.persist: a bundle that is a file is kept where it is; leave persist out", where)
	case !filepath.IsAbs(file):
		return fmt.Errorf("%s.resource: %q is relative; file:// is followed by a path in full", where, resource)
	}
	c.files[name] = file
	return nil
}

// completeDiscovery keeps the discovered configuration for the next start, as bundles are.
func (c *configuration) completeDiscovery() error {
	if !c.discovered {
		return nil
	}
	discovery, err := object(c.values, "discovery")
	if err != nil {
		return fmt.Errorf("bundles.discovery: %w", err)
	}
	if _, given := discovery["persist"]; !given {
		discovery["persist"] = true
	}
	if keys, _ := c.values["keys"].(map[string]any); len(keys) > 0 && discovery["signing"] == nil {
		return fmt.Errorf("bundles.discovery has no signing block although there are keys, so an unsigned bundle would pass; " +
			"say signing: {keyid: …}")
	}
	c.values["discovery"] = discovery
	return nil
}
