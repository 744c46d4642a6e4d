package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/internal/store"
)

// backend is one kind of database.
type backend interface {
	// fresh names a database of its own, empty.
	fresh(tb testing.TB) store.Options
	// migrations is the directory of the dialect's migrations.
	migrations() string
}

// suite is what holds of both.
func suite() map[string]func(*testing.T, backend) {
	return map[string]func(*testing.T, backend){
		"a session is read as it was put":                    sessionIsReadAsItWasPut,
		"of two updates to one version one wins":             oneUpdateWins,
		"sessions come in pages in the order of bytes":       sessionsComeInPages,
		"archiving takes what the session alone had":         archivingTakesWhatTheSessionHad,
		"nothing is added to an archived session":            nothingIsAddedToAnArchivedSession,
		"a grant is there once and changes its mode":         grantIsThereOnce,
		"grants go together":                                 grantsGoTogether,
		"an approval is there once and expires later":        approvalIsThereOnce,
		"many approvals come and go together":                manyApprovals,
		"approvals are all put or none":                      approvalsAreAllPutOrNone,
		"the expired go at their time":                       theExpiredGo,
		"a prompt is read as it was put":                     promptIsReadAsItWasPut,
		"prompts come in pages by state":                     promptsComeInPages,
		"an answer keeps everything or nothing":              answerKeepsEverythingOrNothing,
		"an answer never narrows a grant":                    answerNeverNarrows,
		"an answer needs its state":                          answerNeedsItsState,
		"of concurrent answers one wins":                     oneAnswerWins,
		"once is spent once across stores":                   onceIsSpentOnce,
		"archiving and answering leave nothing behind":       archivingAndAnswering,
		"ended prompts go before a time":                     endedPromptsGo,
		"ended prompts go in parts":                          endedPromptsGoInParts,
		"archived sessions go before a time":                 archivedSessionsGo,
		"an owner's sessions are counted":                    sessionsAreCounted,
		"idle sessions are the active ones that are old":     idleSessions,
		"text that can't be kept is refused":                 textIsRefused,
		"concurrent changes of every kind get through":       concurrentChanges,
		"an older schema is upgraded in place":               olderSchemaIsUpgraded,
		"a store from before risks is upgraded":              storeFromBeforeRisks,
		"a failed upgrade changes nothing":                   failedUpgradeChangesNothing,
		"a newer schema is refused":                          newerSchemaIsRefused,
		"several may open an empty database":                 severalMayOpen,
		"an operation ends with its context":                 operationEndsWithItsContext,
		"everything is there after it was closed and opened": everythingIsThereAgain,
	}
}

func runSuite(t *testing.T, on backend) {
	tests := suite()
	require.NotEmpty(t, tests)
	for name, run := range tests {
		t.Run(name, func(t *testing.T) { run(t, on) })
	}
}

func open(tb testing.TB, options store.Options) *store.Store {
	tb.Helper()
	opened, err := store.Open(tb.Context(), options)
	require.NoError(tb, err)
	tb.Cleanup(func() { assert.NoError(tb, opened.Close()) })
	return opened
}

// start is a time with nanoseconds and a zone, neither of which is kept.
func start() time.Time {
	return time.Date(2026, 3, 4, 5, 6, 7, 123456789, time.FixedZone("east", 3600))
}

// kept is a time as the store gives it back.
func kept(at time.Time) time.Time { return at.UTC().Truncate(time.Microsecond) }

func pointer[T any](value T) *T { return &value }

func session(id string) store.Session {
	return store.Session{
		Session: v1.Session{
			ID: id, Agent: "claude", ParentID: "parent", Audience: v1.AudienceTeam, ProjectDir: "/srv/proj",
			ExtraDirs: []string{"/srv/other", "/srv/ü 'quoted'"}, Interactive: pointer(true), Platform: "linux", Home: "/home/dev",
			Shell: "bash", Tools: []string{"set_working_directory"}, Peers: []v1.Peer{{ID: "p", Capabilities: []string{"fs"}}},
		},
		Owner: "token:dev", CreatedAt: start(), UpdatedAt: start(),
	}
}

func grant(id, session, path, mode string) v1.Grant {
	return v1.Grant{
		ID: id, Session: session, Path: path, Mode: mode, Label: path + " (" + mode + ")",
		Origin: v1.OriginRequest, CreatedAt: start(),
	}
}

func approval(id, verb string, directory *string) v1.ApprovalEntry {
	return v1.ApprovalEntry{
		ID: id, Audience: v1.AudiencePersonal, Agent: "*", Tool: "shell", Verb: verb, Directory: directory,
		By: "operator", CreatedAt: start(),
	}
}

func prompt(id, session string) store.Prompt {
	return store.Prompt{
		Prompt: v1.Prompt{
			ID: id, State: v1.PromptPending, Title: "Approve git push in /srv/proj?", Verbs: []string{"git push"},
			Directory: "/srv/proj", Call: v1.PromptCall{
				Tool: "Bash", Text: "git push\x00\x1b", Cwd: "/srv/proj", Agent: "claude", SessionID: session, Paths: []string{"/a"},
			},
			Choices: []v1.Choice{{Key: v1.ChoiceOnce, Label: "Once", Style: "primary"}}, CreatedAt: start(),
			ExpiresAt: start().Add(24 * time.Hour),
		},
		Kind: "call", Key: []byte{0, 1, 255},
		Scope: v1.PromptScope{
			Audience: v1.AudiencePersonal, Tool: "shell", Items: []v1.PromptItem{{Verb: "git push", Directory: "/srv/proj"}},
		},
	}
}

// answered is the answer "once" to a prompt.
func answered(prompt, session string) store.Resolution {
	return store.Resolution{
		Prompt: prompt, State: v1.PromptAnswered,
		Answer: &v1.PromptAnswer{Choice: v1.ChoiceOnce, By: "operator", At: start(), Resolution: "Approved (no save)"},
		Once:   &store.Once{Prompt: prompt, Session: session, Key: []byte{7}, ExpiresAt: start().Add(10 * time.Minute)},
	}
}

// numbered is an id that sorts by its number.
func numbered(kind string, number int) string { return fmt.Sprintf("%s-%06d", kind, number) }
