package sidecar

import (
	"context"
	"fmt"
	"strings"

	"policyd/bundles"
	"policyd/internal/config"
	"policyd/internal/record"
	"policyd/internal/server"
)

// recordOptions are the settings of the decision log.
func recordOptions(log *config.DecisionLog) record.Options {
	options := record.Options{
		File: log.File, Stdout: log.Stdout, Required: log.Required, Overflow: log.Overflow,
		MaxSizeMB: log.MaxSizeMB, MaxBackups: log.MaxBackups, MaxAgeDays: log.MaxAgeDays,
	}
	if log.Service.URL != "" {
		options.Service = &record.Service{URL: log.Service.URL, Token: log.Service.Token}
	}
	return options
}

// preparedRules are the rules for records of one snapshot, or the error.
type preparedRules struct {
	rules *bundles.RecordRules
	err   error
}

func prepareRules(activated *bundles.Snapshot) preparedRules {
	rules, err := activated.RecordRules()
	return preparedRules{rules: rules, err: err}
}

// recordRules are those of the active policy.
type recordRules struct{ policy *Policy }

var _ record.Rules = recordRules{}

// prepared is never nil: a record is written after a policy was activated.
func (r recordRules) prepared() *preparedRules { return &r.policy.current.Load().records }

// Any implements record.Rules. Rules that can't be prepared are some: their records
// have to go without input.
func (r recordRules) Any() bool {
	current := r.policy.current.Load()
	return current != nil && (current.records.err != nil || current.records.rules.Any())
}

// Mask implements record.Rules.
func (r recordRules) Mask(ctx context.Context, event map[string]any) ([]any, error) {
	prepared := r.prepared()
	if prepared.err != nil {
		return nil, prepared.err
	}
	return prepared.rules.Mask(ctx, event)
}

// Drop implements record.Rules.
func (r recordRules) Drop(ctx context.Context, event map[string]any) (bool, error) {
	prepared := r.prepared()
	if prepared.err != nil {
		return false, prepared.err
	}
	return prepared.rules.Drop(ctx, event)
}

// checkRecords reports whether records are written, and the outcomes of those that are not.
func checkRecords(writer *record.Writer) (checks []server.Check, written bool) {
	check := server.Check{Name: "record", OK: true, Detail: "the decision log is written"}
	if err := writer.Check(); err != nil {
		check.OK, check.Detail = false, err.Error()
	}
	written = check.OK
	status := writer.Status()
	for _, count := range []struct {
		number uint64
		what   string
	}{
		{status.Failed, "not written in full"},
		{status.Dropped, "dropped since too many waited"},
		{status.RuleDropped, "left out by data.system.log.drop"},
		{status.DropRefused, "kept against data.system.log.drop, since records are required"},
		{status.RuleFailed, "for which a rule of data.system.log failed"},
	} {
		if count.number > 0 {
			check.Detail += fmt.Sprintf("; %d %s", count.number, count.what)
		}
	}
	checks = []server.Check{check}
	if status.Rotation != nil {
		checks = append(checks, server.Check{Name: "record_rotation", Detail: "the log grows on: " + status.Rotation.Error()})
	}
	if forward := status.Forward; forward != nil {
		checks = append(checks, checkForward(forward))
	}
	return checks, written
}

// checkForward is a warning: the file has every record.
func checkForward(forward *record.ForwardStatus) server.Check {
	said := []string{fmt.Sprintf("%d records sent, %d wait", forward.Sent, forward.Waiting)}
	if forward.Dropped > 0 {
		said = append(said, fmt.Sprintf("%d not sent", forward.Dropped))
	}
	if forward.Error != nil {
		said = append(said, forward.Error.Error())
	}
	return server.Check{Name: "record_service", OK: forward.Error == nil, Detail: strings.Join(said, "; ")}
}
