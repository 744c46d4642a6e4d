package main

import (
	"strings"

	"policyd/internal/config"
	"policyd/internal/contain"
	"policyd/internal/sidecar"
)

// examineContainment probes what can be enforced here.
func examineContainment(s *settings) finding {
	if s.Contain == config.ContainOff {
		return finding{name: "contain", note: "turned off by the setting contain"}
	}
	report := contain.Probe()
	found := finding{name: "contain"}
	var works []string
	for _, capability := range report.Capabilities {
		if capability.Works {
			works = append(works, capability.Profile)
			continue
		}
		found.warnings = append(found.warnings, "profile "+capability.Profile+" doesn't work here: "+capability.Why)
	}
	switch left, err := sidecar.Leftovers(s); {
	case err != nil:
		found.warnings = append(found.warnings, err.Error())
	case len(left) > 0:
		found.warnings = append(found.warnings, "killed runs left "+strings.Join(left, ", ")+"; the next run there or the next start of the server removes them")
	}
	found.note = "no profile works; no call is run contained"
	if len(works) > 0 {
		found.note = "profiles that work: " + strings.Join(works, ", ") + "; " + strings.Join(report.Mechanisms, ", ")
	}
	return found
}
