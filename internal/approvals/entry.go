package approvals

import (
	"slices"
	"strings"
	"time"
	"unicode"

	v1 "policyd/api/v1"
)

// Entry makes the entry of a request, without an id and with what the request leaves out. The error is a
// *v1.CodedError that states what is wrong with the request; nothing but the request decides that.
func Entry(request v1.ApprovalRequest, now time.Time) (v1.ApprovalEntry, error) {
	entry := v1.ApprovalEntry{
		Audience: request.Audience, Agent: request.Agent, Tool: request.Tool, Verb: request.Verb,
		Directory: request.Directory, Risks: slices.Compact(slices.Sorted(slices.Values(request.Risks))), By: request.By, CreatedAt: now,
		Worktrees: request.Worktrees,
	}
	if entry.Audience == "" {
		entry.Audience = v1.AudiencePersonal
	}
	if entry.Agent == "" {
		entry.Agent = everyAgent
	}
	if entry.Tool == "" {
		entry.Tool = v1.ToolShell
	}
	if request.TTL != "" {
		life, err := v1.ParseTTL(request.TTL)
		if err != nil {
			return entry, coded(CodeInvalid, "ttl is %q; %w", request.TTL, err)
		}
		entry.ExpiresAt = new(now.Add(life))
	}
	return entry, check(&entry)
}

// kinds are the tool kinds of approvals.
func kinds() []string {
	return append(v1.ToolKinds(), v1.ToolProject, v1.ToolReading, v1.ToolChanging)
}

// check returns a *v1.CodedError that names the first fault of an entry.
func check(entry *v1.ApprovalEntry) error {
	checks := []func(*v1.ApprovalEntry) error{checkVerb, checkText, checkHolders, checkKind, checkDirectory}
	for _, fault := range checks {
		if err := fault(entry); err != nil {
			return err
		}
	}
	return nil
}

func checkVerb(entry *v1.ApprovalEntry) error {
	words := strings.TrimSpace(entry.Verb)
	switch {
	case words == "":
		return coded(CodeInvalid, "verb is empty; name the verb chain, such as git push")
	case words != entry.Verb || strings.Contains(entry.Verb, "  "):
		return coded(CodeInvalid, "verb %q has blanks too many; write the words with one space between them", entry.Verb)
	}
	return nil
}

func checkText(entry *v1.ApprovalEntry) error {
	switch {
	case slices.ContainsFunc(entry.Risks, unlistable):
		return coded(CodeInvalid, "a risk of %q is empty, or holds parentheses or blanks too many; name it as the prompt does, such as force", entry.Risks)
	case strings.ContainsFunc(entry.Verb+entry.Agent+strings.Join(entry.Risks, ""), unprintable):
		return coded(CodeInvalid, "verb %q or agent %q holds characters that can't be seen; send plain text", entry.Verb, entry.Agent)
	}
	return nil
}

func checkHolders(entry *v1.ApprovalEntry) error {
	switch {
	case entry.Audience != v1.AudiencePersonal && entry.Audience != v1.AudienceTeam && entry.Audience != v1.AudiencePublic:
		return coded(CodeInvalid, "audience %q is not known; allowed: personal, team, public", entry.Audience)
	case !slices.Contains(kinds(), entry.Tool):
		return coded(CodeInvalid, "tool %q is no tool kind; allowed: %s", entry.Tool, strings.Join(kinds(), ", "))
	case entry.Worktrees && entry.Directory == nil:
		return coded(CodeInvalid, "an approval for all worktrees names a directory in one of them")
	}
	return nil
}

// checkKind checks the verb and the directory of kinds that fix them.
func checkKind(entry *v1.ApprovalEntry) error {
	switch entry.Tool {
	case v1.ToolProject:
		if entry.Verb != v1.VerbProject || entry.Directory == nil || len(entry.Risks) > 0 {
			return coded(CodeInvalid, "an approval of tool %q has the verb %q and the directory of the project, and no risks", v1.ToolProject, v1.VerbProject)
		}
	case v1.ToolReading:
		if !opening(entry) {
			return coded(CodeInvalid, "an approval of tool %q has the verb \"read <directory>\", with a clean path of two segments or more, and the directory of the project", v1.ToolReading)
		}
	case v1.ToolChanging:
		if !opening(entry) {
			return coded(CodeInvalid, "an approval of tool %q has the verb \"change <path>\", with a clean path of two segments or more, and the directory of the project", v1.ToolChanging)
		}
	}
	return nil
}

func checkDirectory(entry *v1.ApprovalEntry) error {
	switch {
	case entry.Directory == nil:
		return nil
	case v1.Shallow(*entry.Directory):
		return coded(CodeInvalid, "directory %q is no absolute path of two segments or more; name one further down, or none for anywhere", *entry.Directory)
	case unclean(*entry.Directory):
		return coded(CodeInvalid, "directory %q has a separator too many; write it as it is shown", *entry.Directory)
	}
	return nil
}

// opening checks an approval that opens a directory: it must have the directory and the project of the
// sessions that may use it.
func opening(entry *v1.ApprovalEntry) bool {
	root, _, ok := entry.Opens()
	return ok && !v1.Shallow(root) && !unclean(root) && entry.Directory != nil && len(entry.Risks) == 0
}

// unlistable reports whether a risk can't be parsed back from the list in parentheses after a verb.
func unlistable(risk string) bool {
	return risk == "" || strings.TrimSpace(risk) != risk || strings.ContainsAny(risk, "()") || strings.Contains(risk, ", ")
}

func unprintable(r rune) bool { return !unicode.IsPrint(r) }

// unclean reports whether a directory is spelled otherwise than in facts. Such an approval would match
// nothing. A Windows share begins with two separators.
func unclean(directory string) bool {
	path := v1.Slashed(directory)
	if strings.HasPrefix(path, "//") {
		path = path[1:]
	}
	return strings.HasSuffix(path, "/") || strings.Contains(path, "//")
}
