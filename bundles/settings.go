package bundles

import (
	"fmt"
	"maps"

	"github.com/open-policy-agent/opa/v1/util"
)

// plainSettings returns settings as JSON would read them back, so that the caller's
// own types and later changes have no influence.
func plainSettings(settings map[string]any) (map[string]any, error) {
	if len(settings) == 0 {
		return map[string]any{}, nil
	}
	var plain any = settings
	if err := util.RoundTrip(&plain); err != nil {
		return nil, fmt.Errorf("read settings: %w", err)
	}
	return plain.(map[string]any), nil // a map stays an object
}

// settle returns data.policyd with settings merged over its own. It shares values with the parts.
func settle(parts []part, settings map[string]any) (map[string]any, error) {
	data, err := mergeData(parts)
	if err != nil {
		return nil, err
	}
	policyd, err := object(data, policyRoot)
	if err != nil {
		return nil, fmt.Errorf("read data: %w", err)
	}
	base, err := object(policyd, "settings")
	if err != nil {
		return nil, fmt.Errorf("read data: %w", err)
	}
	classes, err := siteClasses(parts)
	if err != nil {
		return nil, fmt.Errorf("read path classes: %w", err)
	}
	settled := maps.Clone(policyd)
	if len(classes) > 0 {
		settled = merge(policyd, map[string]any{"config": map[string]any{classesMember: classes}})
	}
	settled["settings"] = merge(base, settings)
	return settled, nil
}

// object returns the member of an object that has to be an object; a missing one is empty.
func object(parent map[string]any, name string) (map[string]any, error) {
	value, there := parent[name]
	if !there {
		return map[string]any{}, nil
	}
	member, isObject := value.(map[string]any)
	if !isObject {
		return nil, fmt.Errorf("%s is %T, not an object", name, value)
	}
	return member, nil
}
