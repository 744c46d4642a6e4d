package main

import (
	"errors"
	"fmt"
	"runtime"
	"strconv"

	"github.com/spf13/cobra"

	"policyd/internal/config"
	"policyd/internal/sidecar"
)

// settings are the settings of a sidecar.
type settings = sidecar.Settings

// settingsFlags are flags that represent settings, by the setting's dotted name.
type settingsFlags struct {
	file   string
	values map[string]*string
	watch  bool
	unsafe bool
}

// addPolicy adds the flags of commands that decide.
func (f *settingsFlags) addPolicy(command *cobra.Command) {
	f.add(command, "bundle", "bundle", "policy bundle, a `directory` or a .tar.gz file; the built-in one unless set")
	f.addState(command)
}

// addState adds the flags for the locations of settings and state.
func (f *settingsFlags) addState(command *cobra.Command) {
	command.Flags().StringVar(&f.file, "config", "", "settings `file` (POLICYD_CONFIG)")
	f.add(command, "state_dir", "state-dir", "`directory` of tokens, database and decision log")
}

// addServer adds the flags of commands that serve or look at a server.
func (f *settingsFlags) addServer(command *cobra.Command) {
	f.add(command, "addr", "addr", "`address` to listen on (127.0.0.1:7483)")
	f.add(command, "run_dir", "run-dir", "`directory` of the Unix socket")
	f.add(command, "decision_log.file", "log-file", "decision log `file`")
	command.Flags().BoolVar(&f.watch, "watch", false, "reload the bundle when it changes on disk")
	command.Flags().BoolVar(&f.unsafe, "unsafe-debug-broadcast", false, "allow the namespace mode unsafe_debug")
}

func (f *settingsFlags) add(command *cobra.Command, key, name, help string) {
	if f.values == nil {
		f.values = map[string]*string{}
	}
	f.values[name] = command.Flags().String(name, "", help)
	// The dotted name is found again when the flags are read.
	if err := command.Flags().SetAnnotation(name, settingAnnotation, []string{key}); err != nil {
		panic(err) // the flag was added a line above
	}
}

const settingAnnotation = "setting"

// settings reads the settings: flags over environment over file over defaults.
func (p *Program) settings(command *cobra.Command, flags *settingsFlags) (*settings, error) {
	overrides := map[string]string{}
	for name, value := range flags.values {
		if flag := command.Flags().Lookup(name); flag.Changed {
			overrides[flag.Annotations[settingAnnotation][0]] = *value
		}
	}
	for name, of := range map[string]struct {
		key   string
		value bool
	}{"watch": {"watch", flags.watch}, "unsafe-debug-broadcast": {config.UnsafeDebugFlag, flags.unsafe}} {
		if flag := command.Flags().Lookup(name); flag != nil && flag.Changed {
			overrides[of.key] = strconv.FormatBool(of.value)
		}
	}
	file := flags.file
	if file == "" {
		file, _ = p.LookupEnv("POLICYD_CONFIG")
	}
	loaded, err := config.Load(file, p.LookupEnv, overrides)
	if err != nil {
		return nil, usage(err, settingsHint(err))
	}
	if err := sidecar.CheckInlineForms(loaded.Settings()); err != nil {
		return nil, usage(fmt.Errorf("%s: %w", file, err), "docs/operators.md describes safe verbs")
	}
	home, _ := p.LookupEnv("HOME")
	return &settings{Config: loaded, File: file, Home: home, Env: p.LookupEnv, Platform: runtime.GOOS}, nil
}

func settingsHint(err error) string {
	var refused *config.Error
	if errors.As(err, &refused) {
		return "docs/operators.md lists the settings"
	}
	return "name a settings file with --config, or none"
}
