package main

import (
	"fmt"
	"runtime"

	"policyd/internal/sidecar"

	engine "github.com/open-policy-agent/opa/v1/version"
	"github.com/spf13/cobra"
)

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "print the versions of the program and of its engine",
		Args:  cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(command.OutOrStdout(), "policyd %s\nopa %s\n%s %s/%s\n",
				sidecar.Version(), engine.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}
