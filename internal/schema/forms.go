package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// platforms are the platforms of sessions, each with the tables of a family of forms that apply to it.
var platforms = map[string][]string{
	"linux": {"common", "linux"}, "darwin": {"common", "darwin"}, "windows": {"common", "windows"},
}

// portable are the programs that are the same on Windows. Windows has only these of the common tables: find,
// sort, more and others are different programs there.
var portable = []string{
	"ag", "bat", "bun", "cargo", "dotnet", "fd", "git", "go", "gofmt", "java", "javac", "jq", "mypy", "node", "npm",
	"pip", "pip3", "python", "python3", "rg", "ruff", "rustc", "tsc", "uv",
}

// holds reports whether a platform has a verb of a family's table.
func holds(platform, table, verb string) bool {
	program, _, _ := strings.Cut(verb, " ")
	return platform != "windows" || table == "windows" || slices.Contains(portable, program)
}

// verbForms maps a verb chain to its safe forms.
type verbForms map[string][]safeForm

// safeForm is one form of a verb: what it may contain, and what it must.
type safeForm struct {
	Form  map[string]string `json:"form"`
	Needs map[string]string `json:"needs"`
}

// encodeForms writes one line per verb, so that a change of one shows as one.
func encodeForms(tables map[string]verbForms) ([]byte, error) {
	var out bytes.Buffer
	out.WriteString("{")
	for i, platform := range slices.Sorted(maps.Keys(tables)) {
		fmt.Fprintf(&out, "%s\n  %q: {", comma(i), platform)
		for j, verb := range slices.Sorted(maps.Keys(tables[platform])) {
			name, err := json.Marshal(verb)
			if err != nil {
				return nil, fmt.Errorf("encode forms: %w", err)
			}
			forms, err := encodeCompact(tables[platform][verb])
			if err != nil {
				return nil, err
			}
			fmt.Fprintf(&out, "%s\n    %s: %s", comma(j), name, forms)
		}
		out.WriteString("\n  }")
	}
	out.WriteString("\n}\n")
	return out.Bytes(), nil
}

func comma(i int) string {
	if i == 0 {
		return ""
	}
	return ","
}

func encodeCompact(document any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(document); err != nil {
		return nil, fmt.Errorf("encode forms: %w", err)
	}
	return bytes.TrimSpace(out.Bytes()), nil
}

// mergeForms merges the families of safe forms in a directory to one table per platform: a decision looks a
// verb up in constant time.
func mergeForms(directory string) (map[string]verbForms, error) {
	files, err := filepath.Glob(filepath.Join(directory, "*", "forms.json"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("merge forms: no families in %s", directory)
	}
	merged := make(map[string]verbForms, len(platforms))
	for platform := range platforms {
		merged[platform] = verbForms{}
	}
	for _, file := range files {
		family, err := readFamily(file)
		if err != nil {
			return nil, fmt.Errorf("merge forms: %s: %w", filepath.Base(filepath.Dir(file)), err)
		}
		for platform, tables := range platforms {
			for _, table := range tables {
				for verb, forms := range family[table] {
					if !holds(platform, table, verb) {
						continue
					}
					merged[platform][verb] = append(merged[platform][verb], forms...)
				}
			}
		}
	}
	for _, verbs := range merged {
		for verb, forms := range verbs {
			verbs[verb] = widest(forms)
		}
	}
	return merged, nil
}

// widest leaves out forms that another one holds: whatever they let through, it does, and
// a decision would try both.
func widest(forms []safeForm) []safeForm {
	kept := make([]safeForm, 0, len(forms))
	for i := range forms {
		if !slices.ContainsFunc(kept, forms[i].within) {
			kept = slices.DeleteFunc(kept, func(narrower safeForm) bool { return narrower.within(forms[i]) })
			kept = append(kept, forms[i])
		}
	}
	return kept
}

// within reports whether other allows all that f allows.
func (f safeForm) within(other safeForm) bool {
	return partOf(f.Form, other.Form) && partOf(other.Needs, f.Needs)
}

func partOf(part, whole map[string]string) bool {
	for name, kind := range part {
		if found, held := whole[name]; !held || found != kind {
			return false
		}
	}
	return true
}

func readFamily(file string) (map[string]verbForms, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var family map[string]verbForms
	if err := json.Unmarshal(text, &family); err != nil {
		return nil, err
	}
	for table, verbs := range family {
		for verb, forms := range verbs {
			for i, form := range forms {
				if form.Form == nil {
					return nil, fmt.Errorf("%s: %s: form %d is missing", table, verb, i)
				}
				if form.Needs == nil {
					forms[i].Needs = map[string]string{}
				}
				for name, kind := range form.Needs {
					if form.Form[name] != kind {
						return nil, fmt.Errorf("%s: %s: needs %s, which its form doesn't hold", table, verb, name)
					}
				}
			}
		}
	}
	for table := range maps.Keys(family) {
		if table != "common" && platforms[table] == nil {
			return nil, fmt.Errorf("table %q is none of common, linux, darwin, windows", table)
		}
	}
	return family, nil
}
