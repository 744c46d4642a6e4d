package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	v1 "policyd/api/v1"
	"policyd/internal/server"
	"policyd/internal/visible"
	"policyd/internal/watch"
)

func (p *Program) promptsWatch() *cobra.Command {
	var chosen settingsFlags
	var by string
	command := &cobra.Command{
		Use:   "watch",
		Short: "show pending prompts live and answer them by key",
		Long: "Show pending prompts live and answer them by key: o once, s this chat, h always here, a always anywhere (twice),\n" +
			"y allow, d deny, n and p or the arrows for another prompt, q to end. Without a terminal, print prompts as they\n" +
			"come and read lines of \"<id> <choice>\".",
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
			return errors.Join(p.watchPrompts(command.Context(), o, by), o.close())
		},
	}
	command.Flags().StringVar(&by, "by", "", "who answers; the user of this terminal unless set")
	chosen.addOperator(command)
	return command
}

// reachServer connects to the server of the state directory. A long-running command can't lock the state
// itself: then no server could start.
func reachServer(ctx context.Context, s *settings) (*operator, error) {
	tokens, err := server.LoadOrCreateTokens(s.StateDir)
	if err != nil {
		return nil, failed(err, stateHint(err))
	}
	unlock, err := lockState(ctx, s.StateDir, "", 0)
	var used *inUseError
	switch {
	case errors.As(err, &used) && used.by.Socket != "":
		return overSocket(used.by.Socket, tokens.Operator), nil
	case err == nil:
		err = unlock()
	case errors.As(err, &used):
		err = nil // another command, for a moment
	}
	return nil, failed(errors.Join(fmt.Errorf("no server runs with the state directory %s", s.StateDir), err), "policyd serve starts one")
}

// watchPrompts watches until the person ends it or a signal does.
func (p *Program) watchPrompts(ctx context.Context, o *operator, by string) error {
	// Main handles the other two signals. A terminal in raw mode is unusable, so these end the watch as well,
	// in order.
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGHUP, syscall.SIGQUIT)
	defer stop()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ticker := time.NewTicker(watch.Interval)
	defer ticker.Stop()
	updates := watch.Poll(ctx, ticker.C, func(ctx context.Context) ([]v1.Prompt, error) {
		return gather(ctx, o, "/v1/prompts?state="+v1.PromptPending, func(page *v1.PromptList) []v1.Prompt { return page.Prompts })
	})
	answer := func(ctx context.Context, id, choice string) (string, error) {
		var response v1.AnswerResponse
		path := "/v1/prompts/" + url.PathEscape(id) + "/answer"
		_, err := o.do(ctx, http.MethodPost, path, v1.AnswerRequest{Choice: choice, By: by}, &response)
		return response.Resolution, err
	}
	in, out, attended := p.terminal()
	if !attended {
		lines := &watch.Lines{
			Updates: updates, In: p.Stdin, Answer: answer, Out: p.Stdout, Complain: func(err error) { p.complain(err, "") },
		}
		return lines.Run(ctx)
	}
	// https://no-color.org: any value but the empty one.
	plain, _ := p.LookupEnv("NO_COLOR")
	return viewPrompts(ctx, in, out, plain != "", updates, answer)
}

// terminal returns the terminal that the program reads from and writes to, if it
// has one for both.
func (p *Program) terminal() (in, out *os.File, attended bool) {
	in, isFile := p.Stdin.(*os.File)
	if !isFile || !term.IsTerminal(int(in.Fd())) {
		return nil, nil, false
	}
	out, isFile = visible.Raw(p.Stdout).(*os.File)
	return in, out, isFile && term.IsTerminal(int(out.Fd()))
}

func viewPrompts(ctx context.Context, in, out *os.File, plain bool, updates <-chan watch.Update, answer watch.Answer) (err error) {
	before, err := term.MakeRaw(int(in.Fd()))
	if err != nil {
		return fmt.Errorf("prepare terminal: %w", err)
	}
	defer func() {
		if restored := term.Restore(int(in.Fd()), before); restored != nil {
			err = errors.Join(err, fmt.Errorf("restore terminal: %w", restored))
		}
	}()
	// A changed size is noticed at the next tick: not every system reports it.
	redraw := time.NewTicker(watch.Interval)
	defer redraw.Stop()
	view := &watch.View{
		Updates: updates, Keys: watch.Keys(ctx, io.Reader(in)), Answer: answer, Redraw: redraw.C, Clock: time.Now, Out: out, Plain: plain,
		Size: func() (width, height int) {
			width, height, err := term.GetSize(int(out.Fd()))
			if err != nil || width == 0 || height == 0 {
				return 80, 24
			}
			return width, height
		},
	}
	return view.Run(ctx)
}
