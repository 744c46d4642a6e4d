package notify

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"

	v1 "policyd/api/v1"
	"policyd/internal/render"
)

// NewSender returns what delivers to a target.
func NewSender(target Target) Sender {
	// An address that is moved to isn't one of the settings.
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	switch target.Kind {
	case Desktop:
		return desktop{}
	case Command:
		return command{argv: target.Command}
	}
	return &poster{target: target, client: client}
}

// poster sends over HTTP.
type poster struct {
	target Target
	client *http.Client
}

var _ Sender = (*poster)(nil)

// event is the body of a webhook.
type event struct {
	// Event is prompt.created, or prompt. and the state in which it ended.
	Event string `json:"event"`
	// Delivery is the same for every attempt.
	Delivery string     `json:"delivery"`
	Prompt   *v1.Prompt `json:"prompt"`
	Text     string     `json:"text"`
	Link     string     `json:"link"`
}

func (p *poster) Send(ctx context.Context, message *Message) error {
	body, header, err := p.content(message)
	if err != nil {
		return fmt.Errorf("make message: %w", err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, p.target.URL, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("make request: %w: the address can't be used", errRefused)
	}
	for name, value := range header {
		request.Header.Set(name, value)
	}
	request.Header.Set("User-Agent", "policyd")
	response, err := p.client.Do(request)
	if err != nil {
		var failed *url.Error
		if errors.As(err, &failed) {
			err = failed.Err // the address is a secret
		}
		return fmt.Errorf("send: %w", err)
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, 64<<10)) // the status suffices
	switch {
	case response.StatusCode < http.StatusMultipleChoices:
		return nil
	case response.StatusCode == http.StatusTooManyRequests || response.StatusCode >= http.StatusInternalServerError:
		return fmt.Errorf("the target answered %d", response.StatusCode)
	}
	return fmt.Errorf("%w: the target answered %d", errRefused, response.StatusCode)
}

// content is the body and the header for a kind of target.
func (p *poster) content(message *Message) (body []byte, header map[string]string, err error) {
	header = map[string]string{"Content-Type": "application/json", "Policyd-Delivery": message.ID}
	switch p.target.Kind {
	case Slack:
		blocks := render.Slack(message.Prompt).Blocks
		if message.Link != "" {
			blocks = append(blocks, render.SlackBlock{Type: "section", Text: &render.SlackText{Type: "plain_text", Text: "Open: " + message.Link}})
		}
		body, err = json.Marshal(map[string]any{"text": "policyd asks", "blocks": blocks, "unfurl_links": false})
		return body, header, err
	case Discord:
		sent := render.Discord(message.Prompt)
		body, err = json.Marshal(struct {
			render.DiscordMessage
			Content string `json:"content,omitempty"`
		}{sent, linked(message)})
		return body, header, err
	case Ntfy:
		header["Content-Type"] = "text/plain; charset=utf-8"
		header["Title"] = "policyd asks"
		header["X-Message-Id"] = message.ID
		if message.Prompt.State != v1.PromptPending {
			header["Title"] = "policyd: answered"
		}
		if message.Link != "" {
			header["Click"] = message.Link
		}
		if p.target.Secret != "" {
			header["Authorization"] = "Bearer " + p.target.Secret
		}
		return []byte(bounded(render.Text(message.Prompt), mostNtfy)), header, nil
	}
	name := "prompt.created"
	if message.Prompt.State != v1.PromptPending {
		name = "prompt." + message.Prompt.State
	}
	body, err = json.Marshal(event{Event: name, Delivery: message.ID, Prompt: message.Prompt, Text: render.Text(message.Prompt), Link: message.Link})
	if err == nil && p.target.Secret != "" {
		header["Policyd-Signature"] = signature(p.target.Secret, message.At.Unix(), body)
	}
	return body, header, err
}

func linked(message *Message) string {
	if message.Link == "" {
		return ""
	}
	return "Open: <" + message.Link + ">"
}

// signature signs a body and the time at which it is sent: t=<seconds>,v1=<hex of HMAC-SHA256>.
func signature(secret string, at int64, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	fmt.Fprintf(mac, "%d.", at)
	mac.Write(body)
	return "t=" + strconv.FormatInt(at, 10) + ",v1=" + hex.EncodeToString(mac.Sum(nil))
}

// mostNtfy is how many bytes ntfy accepts as a message and not as a file.
const mostNtfy = 4000

// bounded cuts a text that is longer than most bytes, with a mark.
func bounded(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "… (cut)"
}

// desktop shows a notification on this machine.
type desktop struct{}

func (desktop) Send(ctx context.Context, message *Message) error {
	summary, body := desktopText(message)
	// The text is an operand and never an option or a script: it contains an agent's text.
	argv := []string{"notify-send", "--app-name=policyd", "--", summary, markup.Replace(body)}
	if runtime.GOOS == "darwin" {
		argv = []string{"osascript", "-e", "on run argv", "-e", `display notification (item 2 of argv) with title (item 1 of argv)`, "-e", "end run", "--", summary, body}
	}
	if err := exec.CommandContext(ctx, argv[0], argv[1:]...).Run(); err != nil {
		return fmt.Errorf("%w: run %s: %w", errRefused, argv[0], err)
	}
	return nil
}

// markup escapes what a notification server reads as markup. Some servers know no numeric character
// references, which package html writes for quotes.
var markup = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// mostDesktop is how many bytes of a command a notification shows.
const mostDesktop = 300

// desktopText is the text of a notification: the question, the command, and where to answer.
func desktopText(message *Message) (summary, body string) {
	card := render.NewCard(message.Prompt)
	if card.Ending != "" {
		return "policyd: answered", card.Title + "\n" + card.Ending
	}
	lines := []string{card.Title}
	var code strings.Builder
	for _, segment := range card.Code {
		code.WriteString(segment.Text)
	}
	if code.Len() > 0 {
		lines = append(lines, bounded(code.String(), mostDesktop))
	}
	if message.Link != "" {
		lines = append(lines, message.Link)
	}
	return "policyd asks", strings.Join(lines, "\n")
}

// command runs a program with the event on its standard input.
type command struct{ argv []string }

func (c command) Send(ctx context.Context, message *Message) error {
	body, _, err := (&poster{}).content(message)
	if err != nil {
		return fmt.Errorf("make message: %w", err)
	}
	run := exec.CommandContext(ctx, c.argv[0], c.argv[1:]...)
	run.Stdin = bytes.NewReader(body)
	run.Env = append(os.Environ(), "POLICYD_PROMPT="+message.Prompt.ID, "POLICYD_STATE="+message.Prompt.State, "POLICYD_LINK="+message.Link)
	if err := run.Run(); err != nil {
		return fmt.Errorf("run %s: %w", c.argv[0], err)
	}
	return nil
}
