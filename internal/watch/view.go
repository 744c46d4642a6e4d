package watch

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"
)

// Sequences that enter the view and leave it: another screen, no cursor, and
// brackets around what is pasted.
const (
	enter = "\x1b[?1049h\x1b[?25l\x1b[?2004h"
	leave = styleEnd + "\x1b[?2004l\x1b[?25h\x1b[?1049l"
)

// View is the view on a terminal. All fields are needed.
type View struct {
	Updates <-chan Update
	Keys    <-chan Key
	Answer  Answer
	// Size is called before each drawing.
	Size func() (width, height int)
	// Redraw makes the view look at its size again; it need not mean a change.
	Redraw <-chan time.Time
	// Plain leaves colours out.
	Plain bool
	Clock func() time.Time
	Out   io.Writer
}

// answered is the result of an answer.
type answered struct {
	id, resolution string
	err            error
}

// Run shows the view until q is pressed, ctx ends or the terminal does, and leaves
// the screen as it was. The terminal is in raw mode already.
func (v *View) Run(ctx context.Context) (err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if err := v.write(enter); err != nil {
		return err
	}
	defer func() {
		if left := v.write(leave); err == nil {
			err = left
		}
	}()
	b := &board{answered: map[string]bool{}}
	results := make(chan answered, 1) // one answer at a time
	drawn := ""
	for {
		b.width, b.height = v.Size()
		if drawn, err = v.draw(b, drawn); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-v.Redraw:
		case news, open := <-v.Updates:
			if !open {
				return nil
			}
			b.update(news, v.Clock())
		case done := <-results:
			b.result(done.id, done.resolution, done.err, v.Clock())
		case key, open := <-v.Keys:
			if !open {
				return nil
			}
			asked := b.press(key, v.Clock())
			if asked.quit {
				return nil
			}
			if asked.id != "" {
				go func() {
					resolution, err := v.Answer(ctx, asked.id, asked.choice)
					results <- answered{asked.id, resolution, err}
				}()
			}
		}
	}
}

// draw shows a board, unless the same is shown already.
func (v *View) draw(b *board, before string) (drawn string, err error) {
	var out strings.Builder
	out.WriteString("\x1b[H")
	for i, line := range b.layout().rows {
		if i > 0 {
			out.WriteString("\r\n")
		}
		if v.Plain && line.style == styleDanger {
			line.style = styleNone
		}
		out.WriteString(line.style + line.text)
		if line.style != styleNone {
			out.WriteString(styleEnd)
		}
		out.WriteString("\x1b[K")
	}
	out.WriteString("\x1b[J")
	drawn = fmt.Sprintf("%dx%d", b.width, b.height) + out.String()
	if drawn == before {
		return drawn, nil
	}
	return drawn, v.write(out.String())
}

func (v *View) write(text string) error {
	if _, err := io.WriteString(v.Out, text); err != nil {
		return fmt.Errorf("draw: %w", err)
	}
	return nil
}
