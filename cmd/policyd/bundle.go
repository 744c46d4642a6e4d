package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"

	"github.com/open-policy-agent/opa/v1/bundle"
	opakeys "github.com/open-policy-agent/opa/v1/keys"
	"github.com/spf13/cobra"

	"policyd/bundles"
	"policyd/internal/config"
	"policyd/internal/sidecar"
)

// inspectCommand is OPA's command that is mounted below bundle. OPA's others lack the built-in policy, and
// its signature over a directory has other file names than a server uses.
const inspectCommand = "inspect"

func (p *Program) bundleCommand() *cobra.Command {
	command := &cobra.Command{
		Use:   "bundle",
		Short: "build, sign, verify and inspect bundles of rules",
		Args:  noArguments,
		RunE:  func(command *cobra.Command, _ []string) error { return command.Help() },
	}
	command.AddCommand(p.bundleBuildCommand(), p.bundleSignCommand(), p.bundleVerifyCommand())
	mountEngineCommandsFor(command, inspectCommand)
	return command
}

// keyFlags are the flags that signing and verifying have in common; they are called as
// OPA's are.
type keyFlags struct {
	key, algorithm, id, scope, claims string
}

func (f *keyFlags) addSigning(command *cobra.Command) {
	command.Flags().StringVar(&f.key, "signing-key", "", "private key, a PEM `file`; for HS algorithms the secret or a file that holds it")
	command.Flags().StringVar(&f.claims, "claims-file", "", "JSON `file` of further claims, in place of --scope and --key-id")
	f.addCommon(command)
}

func (f *keyFlags) addCommon(command *cobra.Command) {
	command.Flags().StringVar(&f.algorithm, "signing-alg", "RS256", "signing `algorithm`")
	command.Flags().StringVar(&f.id, "key-id", "default", "`name` of the key, as bundles.keys calls it")
	command.Flags().StringVar(&f.scope, "scope", "", "`scope` of the signature, as bundles.bundles.<name>.signing says it")
}

// signing is nil without a key. Clean removes what it needed.
func (f *keyFlags) signing() (config *bundle.SigningConfig, clean func(), err error) {
	nothing := func() {}
	switch {
	case f.key == "" && (f.claims != "" || f.scope != ""):
		return nil, nothing, usage(errors.New("claims or a scope without a key to sign them"), "say --signing-key")
	case f.key == "":
		return nil, nothing, nil
	case !opakeys.IsSupportedAlgorithm(f.algorithm):
		return nil, nothing, usage(fmt.Errorf("signing algorithm %q is not known", f.algorithm), "RS256, ES256 and HS256 are, for instance")
	case f.claims != "" || f.scope == "":
		return bundle.NewSigningConfig(f.key, f.algorithm, f.claims), nothing, nil
	}
	claims, err := json.Marshal(map[string]string{"scope": f.scope, "keyid": f.id})
	if err != nil {
		return nil, nothing, fmt.Errorf("write claims: %w", err)
	}
	file, err := os.CreateTemp("", "policyd-claims-*.json")
	if err != nil {
		return nil, nothing, fmt.Errorf("write claims: %w", err)
	}
	clean = func() { _ = os.Remove(file.Name()) }
	_, err = file.Write(claims)
	if err := errors.Join(err, file.Close()); err != nil {
		clean()
		return nil, nothing, fmt.Errorf("write claims: %w", err)
	}
	return bundle.NewSigningConfig(f.key, f.algorithm, file.Name()), clean, nil
}

func (p *Program) bundleBuildCommand() *cobra.Command {
	var flags keyFlags
	var output, revision string
	command := &cobra.Command{
		Use:   "build DIRECTORY",
		Short: "pack a directory of rules and data, and check it as a server would",
		Long: "Pack a directory into a .tar.gz bundle that a server takes: its rules are compiled beside the\n" +
			"built-in ones, its tests are run, and the built-in cases have to be decided as they must.\n" +
			"With --signing-key the bundle is signed.",
		Args: oneBundle,
		RunE: func(command *cobra.Command, args []string) error {
			signing, clean, err := flags.signing()
			defer clean()
			if err != nil {
				return err
			}
			packed, err := bundles.Pack(args[0], bundles.Packing{Revision: revision, Signing: signing, KeyID: flags.id})
			if err != nil {
				return failed(err, "a bundle is a directory with a .manifest and .rego files; see docs/bundles.md")
			}
			return p.writeBundle(command.Context(), args[0], packed, output)
		},
	}
	command.Flags().StringVarP(&output, "output", "o", "bundle.tar.gz", "`file` to write")
	command.Flags().StringVarP(&revision, "revision", "r", "", "`revision` in place of the manifest's")
	flags.addSigning(command)
	acceptBundleMode(command)
	return command
}

// writeBundle writes a bundle if it passes all checks; else it leaves nothing behind.
func (p *Program) writeBundle(ctx context.Context, from string, packed []byte, output string) (err error) {
	if err := p.checkPacked(ctx, from, from); err != nil {
		return err
	}
	file, err := os.CreateTemp(filepath.Dir(output), ".policyd-*.tar.gz")
	if err != nil {
		return failed(fmt.Errorf("write bundle: %w", err), "name another file with --output")
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(file.Name()))
		}
	}()
	_, err = file.Write(packed)
	if err := errors.Join(err, file.Chmod(0o644), file.Close()); err != nil {
		return failed(fmt.Errorf("write bundle: %w", err), "name another file with --output")
	}
	if err := p.checkPacked(ctx, file.Name(), from); err != nil {
		return err
	}
	if err := os.Rename(file.Name(), output); err != nil {
		return failed(fmt.Errorf("write bundle: %w", err), "name another file with --output")
	}
	return p.say("%s: built from %s", output, from)
}

// checkPacked checks a bundle as a server does that has no settings. Messages call it by
// the name that the person gave.
func (p *Program) checkPacked(ctx context.Context, source, called string) error {
	// Only the home: the rest of the environment is for the server that runs here.
	home, _ := p.LookupEnv("HOME")
	plain, err := config.Load("", func(name string) (string, bool) { return home, name == "HOME" }, nil)
	if err != nil {
		return usage(err, "set HOME")
	}
	plain.Bundle = source
	s := &settings{Config: plain, Home: home, Platform: runtime.GOOS}
	policy, err := sidecar.NewPolicy(ctx, s, "", slog.New(slog.DiscardHandler))
	if err == nil {
		policy.Close()
		return nil
	}
	var known *sidecar.HintError
	var refusal *bundles.RefusalError
	if errors.As(err, &known) && errors.As(err, &refusal) {
		return failed(fmt.Errorf("bundle %s refused by the check %q: %w", called, refusal.Check, refusal.Err), known.Hint)
	}
	return err
}

func (p *Program) bundleSignCommand() *cobra.Command {
	var flags keyFlags
	var output string
	command := &cobra.Command{
		Use:   "sign DIRECTORY",
		Short: "sign a directory of rules and data",
		Long:  "Write .signatures.json over the files of a directory that are part of a bundle, for bundle build to pack.",
		Args:  oneBundle,
		RunE: func(_ *cobra.Command, args []string) error {
			if flags.key == "" {
				return usage(errors.New("there is no key to sign with"), "say --signing-key")
			}
			signing, clean, err := flags.signing()
			defer clean()
			if err != nil {
				return err
			}
			signature, err := bundles.Sign(args[0], bundles.Packing{Signing: signing, KeyID: flags.id})
			if err != nil {
				return failed(err, "is the key one for "+flags.algorithm+"? --signing-alg names another algorithm")
			}
			if output == "" {
				output = args[0]
			}
			file := filepath.Join(output, ".signatures.json")
			if err := os.WriteFile(file, signature, 0o644); err != nil { //nolint:gosec // a signature isn't secret
				return failed(fmt.Errorf("write signature: %w", err), "name another directory with --output-file-path")
			}
			return p.say("%s: written", file)
		},
	}
	command.Flags().StringVarP(&output, "output-file-path", "o", "", "`directory` to write to, in place of the signed one")
	flags.addSigning(command)
	acceptBundleMode(command)
	return command
}

func (p *Program) bundleVerifyCommand() *cobra.Command {
	var flags keyFlags
	command := &cobra.Command{
		Use:   "verify BUNDLE",
		Short: "check a .tar.gz bundle, and its signature, as a server would",
		Args:  oneBundle,
		RunE: func(command *cobra.Command, args []string) error {
			said := "passes all checks; its signature was not looked at"
			if flags.key != "" {
				key, err := opakeys.NewKeyConfig(flags.key, flags.algorithm, flags.scope)
				if err != nil {
					return usage(fmt.Errorf("read key: %w", err), "name a PEM file with --verification-key")
				}
				keys := bundle.NewVerificationConfig(map[string]*opakeys.Config{flags.id: key}, flags.id, flags.scope, nil)
				if err := bundles.VerifySignature(args[0], keys); err != nil {
					return failed(err, "compare --verification-key, --signing-alg, --key-id and --scope with what it was signed with")
				}
				said = "passes all checks, and is signed by " + flags.id
			}
			if err := p.checkPacked(command.Context(), args[0], args[0]); err != nil {
				return err
			}
			return p.say("%s: %s", args[0], said)
		},
	}
	command.Flags().StringVar(&flags.key, "verification-key", "", "public key, a PEM `file`; for HS algorithms the secret or a file that holds it")
	flags.addCommon(command)
	acceptBundleMode(command)
	return command
}

// acceptBundleMode accepts the flag that OPA's commands need for bundles. Here it has no effect.
func acceptBundleMode(command *cobra.Command) {
	command.Flags().BoolP("bundle", "b", true, "accepted, as OPA's commands want it")
	if err := command.Flags().MarkHidden("bundle"); err != nil {
		panic(err) // the flag was added a line above
	}
}

func oneBundle(command *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usage(fmt.Errorf("%d paths where one bundle is named", len(args)), "run "+command.CommandPath()+" --help")
	}
	return nil
}
