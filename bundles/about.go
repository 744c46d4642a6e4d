package bundles

import (
	"fmt"
	"slices"

	v1 "policyd/api/v1"
)

// checkAbout refuses facts that lack an index key for their content. Rules that deny or prompt start with
// their key, so a missing key would bypass them. ruled is true if settings have rules for the agent.
func checkAbout(facts *v1.Facts, ruled bool) error {
	if ruled {
		if err := indexed(facts, "ruled"); err != nil {
			return err
		}
	}
	for i := range facts.Items {
		item := &facts.Items[i]
		if err := indexed(facts, item.Kind); err != nil {
			return err
		}
		for _, caveat := range item.Caveats {
			if err := indexed(facts, caveatKey(caveat)); err != nil {
				return err
			}
		}
	}
	for i := range facts.Paths {
		if err := checkPathAbout(facts, &facts.Paths[i]); err != nil {
			return err
		}
	}
	if facts.Tool.Namespace != "" && facts.Tool.Kind != v1.ToolACP {
		return fmt.Errorf("namespace %s of a tool of kind %s", facts.Tool.Namespace, facts.Tool.Kind)
	}
	return nil
}

func checkPathAbout(facts *v1.Facts, path *v1.Path) error {
	if err := indexed(facts, path.Op); err != nil {
		return err
	}
	if err := indexed(facts, spaceKey(path)); err != nil {
		return err
	}
	for _, class := range path.Class {
		if err := indexed(facts, classKey(class.Name)); err != nil {
			return err
		}
	}
	if path.Caveats.Has("network") {
		return indexed(facts, "network_device")
	}
	return nil
}

// indexed refuses a key that is missing; the empty one represents none.
func indexed(facts *v1.Facts, key string) error {
	if key != "" && !slices.Contains(facts.About, key) {
		return fmt.Errorf("index key %s is missing", key)
	}
	return nil
}

func caveatKey(caveat string) string {
	switch caveat {
	case "reads_environment", "secret_variable":
		return "environment"
	case "own_program", "own_address":
		return "own"
	case "reaches_secret", "reaches_outside", "reaches_unknown":
		return "reach"
	}
	return ""
}

func classKey(class string) string {
	switch class {
	case "secret", "secret_directory":
		return "secret"
	case "protected", "protected_always":
		return "protected"
	case "own":
		return "own"
	}
	return ""
}

func spaceKey(path *v1.Path) string {
	switch {
	case path.Space == v1.SpaceOutside:
		return "outside"
	case path.Space == v1.SpaceGrantRead && (path.Op == v1.OpWrite || path.Op == v1.OpDelete):
		return "read_only"
	}
	return ""
}

// ruledAgents are those that data.policyd.settings.agents has rules for.
func ruledAgents(policyd map[string]any) map[string]bool {
	settings, _ := policyd["settings"].(map[string]any)
	agents, _ := settings["agents"].(map[string]any)
	ruled := make(map[string]bool, len(agents))
	for agent := range agents {
		ruled[agent] = true
	}
	return ruled
}
