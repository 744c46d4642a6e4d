package main

import (
	"context"
	"errors"
	"fmt"
	"html"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"

	v1 "policyd/api/v1"
)

func (p *Program) consoleCommand() *cobra.Command {
	var chosen settingsFlags
	var by string
	var asJSON, noBrowser bool
	command := &cobra.Command{
		Use:   "console",
		Short: "open the console in a browser",
		Long: "Print a link that logs a browser in at the console of the running server. It works once, for two minutes.\n" +
			"If there is a browser here, it is started.",
		Args: noArguments,
		RunE: func(command *cobra.Command, _ []string) error {
			s, err := p.settings(command, &chosen)
			if err != nil {
				return err
			}
			o, err := reachServer(command.Context(), s)
			if err != nil {
				return err
			}
			if by == "" {
				by = person()
			}
			var link v1.ConsoleLink
			_, err = o.do(command.Context(), http.MethodPost, "/v1/console/link", v1.ConsoleLinkRequest{By: by}, &link)
			if err := errors.Join(err, o.close()); err != nil {
				return err
			}
			if asJSON {
				return p.printJSON(&link)
			}
			if err := p.say("%s", link.URL); err != nil {
				return err
			}
			if noBrowser {
				return nil
			}
			return p.startBrowser(command.Context(), s.StateDir, link.URL)
		},
	}
	command.Flags().StringVar(&by, "by", "", "who answers there; the user of this terminal unless set")
	command.Flags().BoolVar(&noBrowser, "no-browser", false, "print the link alone")
	command.Flags().BoolVar(&asJSON, "json", false, "print JSON, and start no browser")
	chosen.addOperator(command)
	return command
}

// startBrowser opens a link. Other programs see the command line of the browser, so the link is in a file
// that this user alone reads.
func (p *Program) startBrowser(ctx context.Context, stateDir, link string) error {
	opener := p.opener()
	if len(opener) == 0 {
		return nil
	}
	file := filepath.Join(stateDir, "console.html")
	page := `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>policyd</title>` +
		`<meta http-equiv="refresh" content="0;url=` + html.EscapeString(link) + `">`
	if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("open browser: %w", err)
	}
	if err := os.WriteFile(file, []byte(page), 0o600); err != nil {
		return fmt.Errorf("open browser: %w", err)
	}
	started := exec.CommandContext(context.WithoutCancel(ctx), opener[0], append(opener[1:], file)...)
	if err := started.Start(); err != nil {
		p.remark("no browser could be started; open the link yourself")
		return nil //nolint:nilerr // the link is printed
	}
	return started.Process.Release()
}

// opener is the program that opens a file in a browser, empty if there is none.
func (p *Program) opener() []string {
	switch runtime.GOOS {
	case "darwin":
		return []string{"open"}
	case "windows":
		return []string{"rundll32", "url.dll,FileProtocolHandler"}
	}
	x, _ := p.LookupEnv("DISPLAY")
	wayland, _ := p.LookupEnv("WAYLAND_DISPLAY")
	found, err := exec.LookPath("xdg-open")
	if err != nil || x == "" && wayland == "" {
		return nil
	}
	return []string{found}
}
