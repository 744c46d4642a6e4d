package watch

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

// paper is what a view writes, and reports each write.
type paper struct {
	mu      sync.Mutex
	text    strings.Builder
	written chan string
}

func (p *paper) Write(text []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text.Write(text)
	p.written <- string(text)
	return len(text), nil
}

// TestPollAsksWithEachTick checks the feed: at once, then with the clock, errors too.
func TestPollAsksWithEachTick(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	ticks := make(chan time.Time)
	results := make(chan Update, 1)
	updates := Poll(ctx, ticks, func(context.Context) ([]v1.Prompt, error) {
		next := <-results
		return next.Prompts, next.Err
	})
	for i, want := range []Update{{Prompts: []v1.Prompt{asked("p1")}}, {Err: errors.New("away")}, {}} {
		if i > 0 {
			ticks <- noon
		}
		results <- want
		assert.Equal(t, want, <-updates)
	}
	cancel()
	_, open := <-updates
	assert.False(t, open)
}

// TestTheViewDrawsAndAnswers checks the loop around the board.
func TestTheViewDrawsAndAnswers(t *testing.T) {
	updates, keys, redraw := make(chan Update), make(chan Key), make(chan time.Time)
	out := &paper{written: make(chan string, 100)}
	width := 80
	view := &View{
		Updates: updates, Keys: keys, Redraw: redraw, Clock: func() time.Time { return noon }, Out: out,
		Size: func() (int, int) { return width, 24 },
		Answer: func(_ context.Context, id, choice string) (string, error) {
			return "Saved: " + id + " " + choice, nil
		},
	}
	ended := make(chan error, 1)
	go func() { ended <- view.Run(t.Context()) }()
	assert.Equal(t, enter, <-out.written)
	assert.Contains(t, <-out.written, "Nothing is pending")
	updates <- Update{Prompts: []v1.Prompt{asked("p1")}}
	assert.Contains(t, <-out.written, "> git push p1")
	updates <- Update{Prompts: []v1.Prompt{asked("p1")}} // the same again isn't drawn again
	keys <- 'o'
	assert.NotContains(t, <-out.written, "Saved")
	assert.Contains(t, <-out.written, "Saved: p1 once")
	redraw <- noon
	keys <- 'q'
	require.NoError(t, <-ended)
	assert.Equal(t, leave, <-out.written)
	assert.Empty(t, out.written)
}

// TestTheViewEndsWithItsSources checks that it leaves the screen whatever ends it.
func TestTheViewEndsWithItsSources(t *testing.T) {
	for name, end := range map[string]func(cancel func(), updates chan Update, keys chan Key){
		"context":  func(cancel func(), _ chan Update, _ chan Key) { cancel() },
		"feed":     func(_ func(), updates chan Update, _ chan Key) { close(updates) },
		"terminal": func(_ func(), _ chan Update, keys chan Key) { close(keys) },
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			updates, keys := make(chan Update), make(chan Key)
			out := &paper{written: make(chan string, 100)}
			view := &View{
				Updates: updates, Keys: keys, Clock: time.Now, Out: out, Size: func() (int, int) { return 80, 24 },
			}
			ended := make(chan error, 1)
			go func() { ended <- view.Run(ctx) }()
			<-out.written
			end(cancel, updates, keys)
			require.NoError(t, <-ended)
			assert.True(t, strings.HasSuffix(out.text.String(), leave))
		})
	}
}

type brokenPaper struct{}

func (brokenPaper) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestAScreenThatIsGoneEndsTheWatch(t *testing.T) {
	view := &View{Out: brokenPaper{}, Size: func() (int, int) { return 80, 24 }, Clock: time.Now}
	require.ErrorIs(t, view.Run(t.Context()), io.ErrClosedPipe)
	updates := make(chan Update, 1)
	updates <- Update{Prompts: []v1.Prompt{asked("p1")}}
	lines := &Lines{Out: brokenPaper{}, In: strings.NewReader(""), Updates: updates}
	require.ErrorIs(t, lines.Run(t.Context()), io.ErrClosedPipe)
}
