package toolapprovals

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	v1 "policyd/api/v1"
	"policyd/internal/approvals"
	"policyd/internal/strict"
)

// Version is the version that is read.
const Version = 2

// Entry is one approval of a file, and its position.
type Entry struct {
	Pointer string
	Request v1.ApprovalRequest
}

// Defaults are the values of missing fields of entries.
type Defaults struct {
	Audience v1.Audience
	Agent    string
	// Now is the time from which the rest of a timed approval counts.
	Now time.Time
}

// document is version 2. It has one of two forms: a list of complete entries, or sections by audience and
// tool, as the programs write them.
type document struct {
	Version   int                             `json:"version"`
	Approvals *[]listed                       `json:"approvals"`
	Audiences *map[string]map[string][]sorted `json:"audiences"`
}

// listed is an entry of the list. Directory is null for anywhere, and always there.
type listed struct {
	Verb      string          `json:"verb"`
	Directory json.RawMessage `json:"directory"`
	Tool      string          `json:"tool"`
	Audience  v1.Audience     `json:"audience"`
	Agent     string          `json:"agent"`
	Risks     []string        `json:"risks"`
	Worktrees bool            `json:"worktrees"`
	ExpiresAt *time.Time      `json:"expires_at"`
}

// sorted is an entry of a section. Its writers leave out what is null, so that a
// directory that is missing means anywhere, as null does.
type sorted struct {
	Verb      string          `json:"verb"`
	Directory json.RawMessage `json:"directory"`
	CreatedAt json.RawMessage `json:"createdAt"`
}

// Parse reads a file. The error is an *OldError or an *InvalidError.
func Parse(data []byte, defaults Defaults) ([]Entry, error) {
	if err := checkVersion(data); err != nil {
		return nil, err
	}
	read, err := strict.DecodeNullable[document](data, mayBeNull)
	if err != nil {
		return nil, invalid(err)
	}
	var entries []Entry
	switch {
	case (read.Approvals == nil) == (read.Audiences == nil):
		return nil, &InvalidError{Reason: "it has to hold either approvals or audiences"}
	case read.Approvals != nil:
		entries, err = listedEntries(*read.Approvals, defaults)
	default:
		entries, err = sortedEntries(*read.Audiences, defaults)
	}
	if err != nil {
		return nil, err
	}
	if len(entries) > v1.MaxImport {
		return nil, &InvalidError{Reason: fmt.Sprintf("it holds %d approvals; at most %d are imported", len(entries), v1.MaxImport)}
	}
	return entries, checkEntries(entries)
}

// mayBeNull reports whether null means something at a pointer.
func mayBeNull(pointer string) bool {
	parts := strings.Split(pointer, "/")
	switch {
	case len(parts) == 4 && parts[1] == "approvals":
		return parts[3] == "directory"
	case len(parts) == 6 && parts[1] == "audiences":
		return parts[5] == "directory" || parts[5] == "createdAt"
	}
	return false
}

// checkVersion distinguishes version 1, which had no number, from an unreadable file.
func checkVersion(data []byte) error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(data, &members); err != nil {
		_, err := strict.DecodeNullable[document](data, func(string) bool { return true })
		return invalid(err)
	}
	if members == nil {
		return &InvalidError{Reason: "it is null, and not an object"}
	}
	text, found := members["version"]
	if !found {
		return &OldError{}
	}
	var version int
	if err := json.Unmarshal(text, &version); err != nil || string(text) == "null" {
		return &InvalidError{Pointer: "/version", Reason: "it is no whole number"}
	}
	switch version {
	case Version:
		return nil
	case 1:
		return &OldError{}
	}
	return &InvalidError{Pointer: "/version", Reason: fmt.Sprintf("version %d is not known; %d is", version, Version)}
}

// invalid takes the place from an error of the strict decoder.
func invalid(err error) error {
	var refused *strict.Error
	if !errors.As(err, &refused) {
		return &InvalidError{Reason: "it can't be read"}
	}
	return &InvalidError{Pointer: refused.Pointer, Reason: fmt.Sprintf("%s (byte %d)", refused.Message, refused.Offset)}
}

func listedEntries(list []listed, defaults Defaults) ([]Entry, error) {
	entries := make([]Entry, 0, len(list))
	for i := range list {
		from, pointer := &list[i], fmt.Sprintf("/approvals/%d", i)
		if from.Directory == nil {
			return nil, &InvalidError{Pointer: pointer, Reason: "directory is missing; write null if the verb is meant anywhere"}
		}
		entry, err := newEntry(pointer, from.Verb, from.Directory, defaults)
		if err != nil {
			return nil, err
		}
		if from.Audience != "" {
			entry.Request.Audience = from.Audience
		}
		if from.Agent != "" {
			entry.Request.Agent = from.Agent
		}
		if from.Tool != "" {
			entry.Request.Tool = from.Tool
		}
		entry.Request.Risks, entry.Request.Worktrees = from.Risks, from.Worktrees
		if from.ExpiresAt != nil {
			left := remaining(*from.ExpiresAt, defaults.Now)
			if left < time.Second {
				continue // it is no longer valid
			}
			entry.Request.TTL = left.String()
		}
		entries = append(entries, entry)
	}
	return entries, nil
}

// remaining is the rest of an approval's time, in whole seconds and one less: an import never extends an
// approval.
func remaining(until, now time.Time) time.Duration {
	return until.Sub(now).Truncate(time.Second) - time.Second
}

// sortedEntries goes through the sections in the order of their names, so that the same file gives the same
// list.
func sortedEntries(audiences map[string]map[string][]sorted, defaults Defaults) ([]Entry, error) {
	var entries []Entry
	for _, audience := range slices.Sorted(maps.Keys(audiences)) {
		if audience == "" { // which a request treats as the default
			return nil, &InvalidError{Pointer: "/audiences/", Reason: "the audience has no name"}
		}
		for _, tool := range slices.Sorted(maps.Keys(audiences[audience])) {
			for i, from := range audiences[audience][tool] {
				pointer := fmt.Sprintf("/audiences/%s/%s/%d", escaped(audience), escaped(tool), i)
				entry, err := newEntry(pointer, from.Verb, from.Directory, defaults)
				if err != nil {
					return nil, err
				}
				if err := checkTime(pointer, from.CreatedAt); err != nil {
					return nil, err
				}
				entry.Request.Audience, entry.Request.Tool = v1.Audience(audience), kindOf(tool)
				entries = append(entries, entry)
			}
		}
	}
	return entries, nil
}

// kindOf is the kind of a tool that the file names. Tools that run no command lines
// are approved by their own names.
func kindOf(tool string) string {
	if tool == "shell_execute" {
		return v1.ToolShell
	}
	return v1.ToolOther
}

// escaped is a name as it is in a JSON pointer.
func escaped(name string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(name) }

func newEntry(pointer, verb string, directory json.RawMessage, defaults Defaults) (Entry, error) {
	entry := Entry{Pointer: pointer, Request: v1.ApprovalRequest{Audience: defaults.Audience, Agent: defaults.Agent, Verb: verb}}
	if directory == nil || string(directory) == "null" {
		return entry, nil
	}
	var path string
	if err := json.Unmarshal(directory, &path); err != nil {
		return entry, &InvalidError{Pointer: pointer + "/directory", Reason: "it is neither a string nor null"}
	}
	// One with a separator at its end is the same directory.
	if trimmed := strings.TrimRight(path, "/"); trimmed != "" {
		path = trimmed
	}
	entry.Request.Directory = &path
	return entry, nil
}

// checkTime checks the form of a time. The value is ignored: an import approves now, by the person who
// imports.
func checkTime(pointer string, text json.RawMessage) error {
	if text == nil || string(text) == "null" {
		return nil
	}
	var at time.Time
	if err := json.Unmarshal(text, &at); err != nil {
		return &InvalidError{Pointer: pointer + "/createdAt", Reason: "it is no time (RFC 3339)"}
	}
	return nil
}

func checkEntries(entries []Entry) error {
	for i := range entries {
		if _, err := approvals.Entry(entries[i].Request, time.Time{}); err != nil {
			var refused *v1.CodedError
			if errors.As(err, &refused) {
				err = refused.Err
			}
			return &InvalidError{Pointer: entries[i].Pointer, Reason: err.Error()}
		}
	}
	return nil
}
