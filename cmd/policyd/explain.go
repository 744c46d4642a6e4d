package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	v1 "policyd/api/v1"
	"policyd/internal/explain"
)

func (p *Program) explainCommand() *cobra.Command {
	var chosen settingsFlags
	var asJSON bool
	command := &cobra.Command{
		Use:   "explain [FILE|-]",
		Short: "say why a call is decided as it is, and what would allow it",
		Long: "Decide one call, read from a file or standard input, and say in words what it is, which rules spoke,\n" +
			"what covers each item, which answers came near, and what would allow it. The running server is asked,\n" +
			"or its store is opened where none runs. Nothing is recorded and nobody is asked.",
		Args: atMostOne,
		RunE: func(command *cobra.Command, args []string) error {
			call, err := p.readCall(args)
			if err != nil {
				return usage(err, "the call is what POST /v1/decide takes; see README.md for one")
			}
			return p.runOperator(command, &chosen, func(ctx context.Context, o *operator) error {
				var decision v1.Decision
				if _, err := o.do(ctx, http.MethodPost, "/v1/decide?explain=1&dry_run=1", call, &decision); err != nil {
					return err
				}
				return p.printExplained(call, &decision, asJSON)
			})
		},
	}
	command.Flags().BoolVar(&asJSON, "json", false, "print the whole decision as JSON")
	chosen.addOperator(command)
	return command
}

func (p *Program) printExplained(call *v1.Call, decision *v1.Decision, asJSON bool) error {
	if asJSON {
		return p.print(decision, false)
	}
	if decision.Explanation == nil {
		return failed(fmt.Errorf("explain call: the server gave no explanation"), "is it an older policyd?")
	}
	if _, err := fmt.Fprint(p.Stdout, explain.Page(headline(call), decision)); err != nil {
		return fmt.Errorf("print explanation: %w", err)
	}
	return nil
}

// headline is the call in one line: its command, its path, or its arguments.
func headline(call *v1.Call) string {
	var args map[string]any
	if err := json.Unmarshal(call.Args, &args); err == nil {
		for _, name := range []string{"command", "cmd", "file_path", "path", "filePath", "url"} {
			if text, isText := args[name].(string); isText && text != "" {
				return call.Tool + ": " + strings.TrimSpace(text)
			}
		}
	}
	return call.Tool
}
