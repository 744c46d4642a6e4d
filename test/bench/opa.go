package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	v1 "policyd/api/v1"
)

const (
	opaPackage = "github.com/open-policy-agent/opa"
	opaPath    = "/v1/data/policyd/main/decision"
)

// opaVariant is one way of running OPA's server.
type opaVariant struct {
	name  string
	flags []string
}

// opaVariants are with and without its decision log, as it comes and with the one
// option that makes it faster. Its log of requests is off in all of them.
func opaVariants() []opaVariant {
	log, fast := []string{"--set", "decision_logs.console=true"}, []string{"--optimize-store-for-read-speed"}
	return []opaVariant{
		{nameOPALog, log},
		{nameOPA, nil},
		{nameFastOPALog, append(fast, log...)},
		{nameFastOPA, fast},
	}
}

// startOPA starts OPA's server with the built-in policy.
func (b *bench) startOPA(ctx context.Context, variant opaVariant, input []byte) (*target, error) {
	program, err := b.build(ctx, opaPackage)
	if err != nil {
		return nil, err
	}
	address, err := freeAddress(ctx)
	if err != nil {
		return nil, err
	}
	arguments := []string{
		"run", "--server", "--disable-telemetry", "--addr", address, "--log-level", "error",
		"--ignore", "*_test.rego", "--bundle", "policies",
	}
	p, err := b.launch(ctx, nil, program, append(arguments, variant.flags...)...)
	if err != nil {
		return nil, err
	}
	return &target{name: variant.name, at: endpoint{"tcp", address}, path: opaPath, bodies: [][]byte{input}, process: p}, nil
}

// inputOf is the policy input of a call, made of an answer that holds its facts.
func inputOf(answer []byte) ([]byte, error) {
	var decision struct {
		Facts map[string]json.RawMessage `json:"facts"`
	}
	if err := json.Unmarshal(answer, &decision); err != nil {
		return nil, fmt.Errorf("decode facts: %w", err)
	}
	if len(decision.Facts) == 0 {
		return nil, errors.New("decode facts: policyd answered none")
	}
	decision.Facts["approvals"] = json.RawMessage("[]")
	input, err := json.Marshal(decision.Facts)
	if err != nil {
		return nil, fmt.Errorf("encode input: %w", err)
	}
	return input, nil
}

// writeInputs writes the policy inputs of lines to a directory, for the benchmarks of
// the engine.
func (b *bench) writeInputs(ctx context.Context, s *sidecar, lines map[string]string) (string, error) {
	dir, err := b.under("inputs")
	if err != nil {
		return "", err
	}
	for name, line := range lines {
		input, err := b.input(ctx, s, line)
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(filepath.Join(dir, name+".json"), input, 0o600); err != nil {
			return "", fmt.Errorf("write input: %w", err)
		}
	}
	return dir, nil
}

// input asks policyd for the policy input of a line.
func (b *bench) input(ctx context.Context, s *sidecar, line string) ([]byte, error) {
	body, err := b.call(line)
	if err != nil {
		return nil, err
	}
	t := s.asks("facts", s.tcp, [][]byte{body})
	t.path += "?include=facts"
	answer, err := t.once(ctx)
	if err != nil {
		return nil, err
	}
	return inputOf(answer)
}

// sameDecision checks that OPA's server decides what policyd decides, and not something that is quicker or
// slower.
func sameDecision(asked, judged []byte) error {
	var decision v1.Decision
	if err := json.Unmarshal(asked, &decision); err != nil {
		return fmt.Errorf("compare decisions: %w", err)
	}
	var answer struct {
		Result struct {
			Effect  v1.Effect         `json:"effect"`
			Reasons []json.RawMessage `json:"reasons"`
			Covered []json.RawMessage `json:"covered"`
		} `json:"result"`
	}
	if err := json.Unmarshal(judged, &answer); err != nil {
		return fmt.Errorf("compare decisions: %w", err)
	}
	if len(answer.Result.Reasons)+len(answer.Result.Covered) == 0 || answer.Result.Effect != decision.Effect {
		return fmt.Errorf("compare decisions: policyd says %s, OPA says %s", decision.Effect, judged)
	}
	return nil
}
