package bundles

import (
	"fmt"
	"maps"
	"slices"

	"github.com/open-policy-agent/opa/v1/ast"
)

// classesMember is the member with path classes in the data of an operators' package.
const classesMember = "path_classes"

// classEffects are the effects of a path class; empty is deny.
var classEffects = []string{"", "deny", "prompt", "none"}

// siteClasses are the path classes in operators' bundles, in data.site_data.<name>.path_classes. Two
// definitions of a class are an error, also with data.policyd.config.path_classes, since it is ambiguous
// whose effect applies. Classes of the settings are added to these.
func siteClasses(parts []part) (map[string]any, error) {
	data := map[string]any{}
	for i := range parts {
		if parts[i].embedded == nil { // the embedded bundle defines none
			data = merge(data, parts[i].Data)
		}
	}
	sites, err := object(data, siteDataRoot)
	if err != nil {
		return nil, err
	}
	defined, err := configClasses(data)
	if err != nil {
		return nil, err
	}
	found := map[string]any{}
	for _, site := range slices.Sorted(maps.Keys(sites)) {
		held, isObject := sites[site].(map[string]any)
		if !isObject {
			continue // data of another shape has no classes
		}
		classes, err := object(held, classesMember)
		if err != nil {
			return nil, fmt.Errorf("%s.%s: %w", siteDataRoot, site, err)
		}
		for _, name := range slices.Sorted(maps.Keys(classes)) {
			place := siteDataRoot + "." + site + "." + classesMember + "." + name
			if defined[name] != nil || found[name] != nil {
				return nil, fmt.Errorf("%s: another bundle defines this path class, too; choose another name", place)
			}
			if err := checkClass(place, classes[name]); err != nil {
				return nil, err
			}
			found[name] = classes[name]
		}
	}
	return found, nil
}

// configClasses are the classes of a bundle that replaces the built-in policy.
func configClasses(data map[string]any) (classes map[string]any, err error) {
	for _, name := range []string{policyRoot, "config", classesMember} {
		if data, err = object(data, name); err != nil {
			return nil, err
		}
	}
	return data, nil
}

// checkClass checks the shape of a class; the reader of classes checks the name and the globs.
func checkClass(place string, value any) error {
	class, isObject := value.(map[string]any)
	if !isObject {
		return fmt.Errorf("%s is %T, not an object with paths, effect and message", place, value)
	}
	for member := range class {
		if !slices.Contains([]string{"paths", "effect", "message"}, member) {
			return fmt.Errorf("%s.%s: unknown key; allowed: effect, message, paths", place, member)
		}
	}
	list, isList := class["paths"].([]any)
	if !isList || len(list) == 0 || slices.ContainsFunc(list, func(path any) bool { text, _ := path.(string); return text == "" }) {
		return fmt.Errorf("%s.paths is no list of paths; name one at least", place)
	}
	for _, member := range []string{"effect", "message"} {
		if given, there := class[member]; there {
			if _, isText := given.(string); !isText {
				return fmt.Errorf("%s.%s is %T, not a text", place, member, given)
			}
		}
	}
	if effect, _ := class["effect"].(string); !slices.Contains(classEffects, effect) {
		return fmt.Errorf("%s.effect is %q; allowed: deny, prompt, none", place, effect)
	}
	return nil
}

// withClasses returns data with the path classes of operators' bundles among those of the policy.
func withClasses(data ast.Object, parts []part) (ast.Object, error) {
	classes, err := siteClasses(parts)
	if err != nil {
		return nil, fmt.Errorf("read path classes: %w", err)
	}
	if len(classes) == 0 {
		return data, nil
	}
	value, err := ast.InterfaceToValue(classes)
	if err != nil {
		return nil, fmt.Errorf("convert path classes: %w", err)
	}
	return mergeValues(data, nested(ast.NewTerm(value), policyRoot, "config", classesMember)), nil
}
