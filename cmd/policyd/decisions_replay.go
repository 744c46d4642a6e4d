package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	v1 "policyd/api/v1"
	"policyd/internal/sidecar"
)

func (p *Program) decisionsReplay() *cobra.Command {
	var chosen settingsFlags
	var asJSON bool
	command := &cobra.Command{
		Use:   "replay ID|FILE",
		Short: "judge recorded input again, by the policy in the settings or by --bundle",
		Long: "Judge the input of a record again, by the policy that a server would start with now or by another bundle,\n" +
			"and say what differs. A file holds records, one a line, as the decision log does.\n" +
			"Exits with 1 where anything differs; what can't be judged again is said and doesn't count. Nothing is recorded and nobody is asked.",
		Args: exactlyOne("the id of a decision or a file of records"),
		RunE: func(command *cobra.Command, args []string) error {
			s, err := p.settings(command, &chosen)
			if err != nil {
				return err
			}
			lines, err := p.recordsOf(command.Context(), s, args[0])
			if err != nil {
				return err
			}
			return p.replay(command.Context(), s, lines, asJSON)
		},
	}
	addDecisions(command, &chosen, &asJSON)
	return command
}

// recordsOf reads the records of a file, or one by its id.
func (p *Program) recordsOf(ctx context.Context, s *settings, name string) ([]json.RawMessage, error) {
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		o, err := p.operator(ctx, s)
		if err != nil {
			return nil, err
		}
		raw, err := readDecision(ctx, o, name)
		return []json.RawMessage{raw}, errors.Join(err, o.close())
	}
	if err != nil {
		return nil, fmt.Errorf("read records: %w", err)
	}
	return splitRecords(name, text)
}

// splitRecords splits one record in any layout, or one record a line. A crash may have torn lines.
func splitRecords(name string, text []byte) ([]json.RawMessage, error) {
	if json.Valid(text) {
		return []json.RawMessage{text}, nil
	}
	var lines []json.RawMessage
	valid := 0
	for line := range bytes.Lines(text) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if json.Valid(line) {
			valid++
		}
		lines = append(lines, line)
	}
	if valid == 0 {
		return nil, usage(fmt.Errorf("read records: %s holds none", name), "each line is one record, as in the decision log")
	}
	return lines, nil
}

// replayed is the result of judging a record again.
type replayed struct {
	ID string `json:"decision_id"`
	// Was and Now are the decisions, Revision what judged now.
	Was      v1.Effect `json:"was"`
	Now      v1.Effect `json:"now"`
	Revision string    `json:"revision"`
	Same     bool      `json:"same"`
	// Lost and Gained are the reasons that only one of the two has.
	Lost   []v1.Reason `json:"lost"`
	Gained []v1.Reason `json:"gained"`
	// Skipped is why the record can't be judged again, empty when it was.
	Skipped string `json:"skipped"`
	// Fault is the code of the error by which it is denied now.
	Fault string `json:"fault"`
}

func (p *Program) replay(ctx context.Context, s *settings, lines []json.RawMessage, asJSON bool) error {
	policy, err := sidecar.NewOfflinePolicy(ctx, s, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	defer policy.Close()
	results, differs := make([]replayed, len(lines)), false
	for i, line := range lines {
		results[i] = judgeAgain(ctx, policy.InForce(), line)
		differs = differs || !results[i].Same && results[i].Skipped == ""
	}
	if asJSON {
		err = p.printJSON(map[string]any{"replayed": results})
	} else {
		err = p.printReplayed(results)
	}
	if err == nil && differs {
		return silent(exitFailed)
	}
	return err
}

// judgeAgain judges one record by a snapshot.
func judgeAgain(ctx context.Context, by *sidecar.Snapshot, line json.RawMessage) replayed {
	var record v1.Record
	result := replayed{Revision: by.Revision(), Lost: []v1.Reason{}, Gained: []v1.Reason{}}
	if err := json.Unmarshal(line, &record); err != nil {
		result.Skipped = "it is no record that can be read: " + err.Error()
		return result
	}
	result.ID, result.Was = record.DecisionID, record.Result.Decision
	if result.Skipped = unjudgeable(&record); result.Skipped != "" {
		return result
	}
	judgement, err := by.Judge(ctx, record.Input)
	var coded *v1.CodedError
	if errors.As(err, &coded) {
		result.Fault = coded.Code
	}
	result.Now = judgement.Effect // an error denies
	result.Lost = without(record.Result.Reasons, judgement.Reasons, judgement.Effect)
	result.Gained = without(judgement.Reasons, record.Result.Reasons, record.Result.Decision)
	result.Same = err == nil && result.Was == result.Now && len(result.Lost)+len(result.Gained) == 0
	return result
}

// unjudgeable states why a record can't be judged again, empty when it can.
func unjudgeable(record *v1.Record) string {
	touched := func(pointer string) bool { return pointer == "/input" || strings.HasPrefix(pointer, "/input/") }
	switch {
	case record.Input == nil || slices.ContainsFunc(record.Erased, touched) || slices.ContainsFunc(record.Masked, touched):
		return "a mask took away part of its input"
	case decisionTouched(record):
		return "a mask took away what was decided"
	case record.Error != "":
		return "it was denied by a fault (" + record.Error + "), and not by policy"
	case record.Result.Decision == v1.EffectDeny && len(record.Result.Reasons) == 1 && strings.HasPrefix(record.Result.Reasons[0].Rule, "gate/"):
		return "it ended with a person's answer, and not by policy"
	}
	return ""
}

// without are the reasons that the others lack. Those of an allow only repeat the covers, for which a policy
// gives no reasons.
func without(reasons, others []v1.Reason, other v1.Effect) []v1.Reason {
	found := []v1.Reason{}
	for _, reason := range reasons {
		if reason.Effect == v1.EffectAllow && other == v1.EffectAllow {
			continue
		}
		same := func(o v1.Reason) bool {
			return o.Rule == reason.Rule && o.Code == reason.Code && o.Item == reason.Item && o.Effect == reason.Effect
		}
		if !slices.ContainsFunc(others, same) {
			found = append(found, reason)
		}
	}
	return found
}

func (p *Program) printReplayed(results []replayed) error {
	for i := range results {
		result := &results[i]
		said := fmt.Sprintf("%s: %s, as it was", result.ID, result.Now)
		switch {
		case result.Skipped != "":
			said = fmt.Sprintf("%s: not judged: %s", result.ID, result.Skipped)
		case result.Fault != "":
			said = fmt.Sprintf("%s: was %s, would be denied: %s", result.ID, result.Was, result.Fault)
		case result.Was != result.Now:
			said = fmt.Sprintf("%s: was %s, would be %s", result.ID, result.Was, result.Now)
		case !result.Same:
			said = fmt.Sprintf("%s: %s, for other reasons", result.ID, result.Now)
		}
		if err := p.sayVisible(said); err != nil {
			return err
		}
		if err := errors.Join(p.sayReasons("-", result.Lost), p.sayReasons("+", result.Gained)); err != nil {
			return err
		}
	}
	return nil
}

func (p *Program) sayReasons(sign string, reasons []v1.Reason) error {
	for _, reason := range reasons {
		if err := p.sayVisible(fmt.Sprintf("  %s %s by %s (%s): %s", sign, reason.Effect, reason.Rule, reason.Code, reason.Message)); err != nil {
			return err
		}
	}
	return nil
}

func (p *Program) sayVisible(text string) error {
	return p.say("%s", text)
}
