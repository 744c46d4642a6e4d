// Package e2e starts the real program and talks to it as an enforcement point
// does: over HTTP with a token, over the socket, and from the command line.
package e2e

import (
	"flag"
	"strings"
	"testing"

	"policyd/internal/contain"
	"policyd/test/binary"
)

// program is the binary under test, built once.
var program string

// quick are the tests that -short runs unless -run names others: one for each way in, which
// together take seconds. All others start a server, and many of them several.
var quick = []string{
	"TestACPGateForwards",
	"TestAWatchedBundleIsReplacedWhole",
	"TestBadInputIsRefusedWithKeyAndByte",
	"TestCapturedPayloads",
	"TestCredentialsAndOrigin",
	"TestDecisionAndRecordAgree",
	"TestEverydayLinesPass",
	"TestMCPGate",
	"TestNoAdversarialLineIsAllowed",
	"TestOnceIsSpentByOneRetry",
	"TestOneAnswerForAProjectsTools",
	"TestReadingADirectoryOutside",
	"TestSessionsOutliveTheServer",
	"TestTheLifeOfAPrompt",
}

func TestMain(m *testing.M) {
	contain.Stage() // probes start this program again
	flag.Parse()
	if run := flag.Lookup("test.run"); testing.Short() && run.Value.String() == "" {
		if err := run.Value.Set("^(" + strings.Join(quick, "|") + ")$"); err != nil {
			panic(err)
		}
	}
	binary.Main(m, &program)
}
