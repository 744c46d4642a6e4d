package watch

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/internal/render"
)

// Lines shows prompts without a terminal: each new one, and its outcome. Answers are lines of "<id>
// <choice>". All fields are required.
type Lines struct {
	Updates <-chan Update
	In      io.Reader
	Answer  Answer
	Out     io.Writer
	// Complain gets errors that don't end the watch.
	Complain func(err error)
}

// Run runs until ctx ends or there are no more updates, also if In has ended.
func (l *Lines) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	typed := readLines(ctx, l.In)
	open := map[string]v1.Prompt{}
	trouble := ""
	for {
		select {
		case <-ctx.Done():
			return nil
		case news, more := <-l.Updates:
			switch {
			case !more:
				return nil
			case news.Err == nil:
				trouble = ""
				if err := l.show(open, news.Prompts); err != nil {
					return err
				}
			case news.Err.Error() != trouble: // the same once
				trouble = news.Err.Error()
				l.Complain(news.Err)
			}
		case line, more := <-typed:
			if !more {
				typed = nil
				continue
			}
			if err := l.answer(ctx, open, line); err != nil {
				return err
			}
		}
	}
}

// show prints new prompts and ended ones.
func (l *Lines) show(open map[string]v1.Prompt, pending []v1.Prompt) error {
	listed := map[string]bool{}
	for i := range pending {
		prompt := &pending[i]
		listed[prompt.ID] = true
		if _, known := open[prompt.ID]; known {
			continue
		}
		open[prompt.ID] = *prompt
		if err := l.print(render.Text(prompt)); err != nil {
			return err
		}
	}
	for id, prompt := range open {
		if listed[id] {
			continue
		}
		delete(open, id)
		if prompt.State != v1.PromptPending {
			continue // it was answered here, which has been printed
		}
		if err := l.print(shownLine(id) + "  ended\n"); err != nil {
			return err
		}
	}
	return nil
}

// answer sends the answer of a line.
func (l *Lines) answer(ctx context.Context, open map[string]v1.Prompt, line string) error {
	words := strings.Fields(line)
	if len(words) == 0 {
		return nil
	}
	if len(words) != 2 {
		l.Complain(fmt.Errorf("read answer: %q is not \"<id> <choice>\"", line))
		return nil
	}
	prompt, known := open[words[0]]
	if known && !slices.ContainsFunc(offersOf(&prompt, false), func(choice v1.Choice) bool { return choice.Key == words[1] }) {
		l.Complain(fmt.Errorf("answer %s: it doesn't offer %q", words[0], words[1]))
		return nil
	}
	resolution, err := l.Answer(ctx, words[0], words[1])
	if err != nil {
		l.Complain(fmt.Errorf("answer %s: %w", words[0], err))
		return nil
	}
	if known {
		prompt.State = v1.PromptAnswered
		open[words[0]] = prompt
	}
	return l.print(shownLine(words[0]+"  "+resolution) + "\n")
}

func (l *Lines) print(text string) error {
	if _, err := io.WriteString(l.Out, text); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}

// readLines reads lines until the reader ends, and then closes the channel.
func readLines(ctx context.Context, reader io.Reader) <-chan string {
	lines := make(chan string)
	go func() {
		defer close(lines)
		scanner := bufio.NewScanner(reader)
		for scanner.Scan() {
			select {
			case lines <- scanner.Text():
			case <-ctx.Done():
				return
			}
		}
	}()
	return lines
}
