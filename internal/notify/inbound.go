package notify

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	v1 "policyd/api/v1"
	"policyd/internal/render"
)

// Prompts are the questions that are answered from elsewhere.
type Prompts interface {
	Get(ctx context.Context, id string) (v1.Prompt, error)
	Answer(ctx context.Context, id string, request v1.AnswerRequest) (v1.AnswerResponse, error)
}

// Inbound handles the clicks on messages.
type Inbound struct {
	Prompts Prompts
	Clock   func() time.Time
	// Secret is Slack's signing secret, and PublicKey Discord's, in hexadecimal.
	Secret, PublicKey string
	// People are the ids of those who may answer.
	People []string
	// ReplyHost is where Slack accepts the message that replaces the clicked one: https://hooks.slack.com/.
	ReplyHost string
}

// skew is how old a signed request may be.
const skew = 5 * time.Minute

const mostInbound = 64 << 10

// signed reads a request and checks that it is fresh.
func (i *Inbound) signed(r *http.Request, stamp string) (body []byte, fresh bool) {
	body, err := io.ReadAll(io.LimitReader(r.Body, mostInbound+1))
	if err != nil || len(body) > mostInbound {
		return nil, false
	}
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil {
		return nil, false
	}
	age := i.Clock().Sub(time.Unix(seconds, 0))
	return body, age < skew && age > -skew
}

// answer answers a prompt in a person's name.
func (i *Inbound) answer(ctx context.Context, id, choice, person, name string) (v1.Prompt, error) {
	if !slices.Contains(i.People, person) {
		return v1.Prompt{}, errors.New("you may not answer; an operator adds your id " + strconv.Quote(person) + " to people in the settings")
	}
	if choice == v1.ChoiceAlwaysAnywhere {
		return v1.Prompt{}, errors.New("an answer that holds anywhere is given in the console")
	}
	if _, err := i.Prompts.Answer(ctx, id, v1.AnswerRequest{Choice: choice, By: name}); err != nil {
		var coded *v1.CodedError
		if errors.As(err, &coded) && (coded.Code == "prompt_answered" || coded.Code == "prompt_ended") {
			return i.Prompts.Get(ctx, id)
		}
		return v1.Prompt{}, err
	}
	return i.Prompts.Get(ctx, id)
}

// reason is the text of an error for a person.
func reason(err error) string {
	var coded *v1.CodedError
	if errors.As(err, &coded) {
		return coded.Err.Error()
	}
	return err.Error()
}

// Slack handles interactions of Slack (https://api.slack.com/authentication/verifying-requests-from-slack).
func (i *Inbound) Slack(w http.ResponseWriter, r *http.Request) {
	stamp := r.Header.Get("X-Slack-Request-Timestamp")
	body, fresh := i.signed(r, stamp)
	mac := hmac.New(sha256.New, []byte(i.Secret))
	fmt.Fprintf(mac, "v0:%s:%s", stamp, body)
	want := "v0=" + hex.EncodeToString(mac.Sum(nil))
	if i.Secret == "" || !fresh || !hmac.Equal([]byte(want), []byte(r.Header.Get("X-Slack-Signature"))) {
		http.Error(w, "the signature is wrong", http.StatusUnauthorized)
		return
	}
	form, err := url.ParseQuery(string(body))
	var click struct {
		Type string `json:"type"`
		User struct {
			ID       string `json:"id"`
			Username string `json:"username"`
		} `json:"user"`
		Actions []struct {
			ActionID string `json:"action_id"`
			Value    string `json:"value"`
		} `json:"actions"`
		ResponseURL string `json:"response_url"`
	}
	if err == nil {
		err = json.Unmarshal([]byte(form.Get("payload")), &click)
	}
	if err != nil || click.Type != "block_actions" || len(click.Actions) != 1 {
		http.Error(w, "this is no click", http.StatusBadRequest)
		return
	}
	prompt, err := i.answer(r.Context(), click.Actions[0].Value, click.Actions[0].ActionID, click.User.ID, "slack:"+click.User.Username)
	reply := map[string]any{"replace_original": true, "text": "policyd", "blocks": render.Slack(&prompt).Blocks}
	if err != nil {
		reply = map[string]any{"replace_original": false, "response_type": "ephemeral", "text": reason(err)}
	}
	w.WriteHeader(http.StatusOK)
	i.replace(r.Context(), click.ResponseURL, reply)
}

// replace sends Slack the message that replaces the clicked one.
func (i *Inbound) replace(ctx context.Context, address string, reply any) {
	if i.ReplyHost == "" || !strings.HasPrefix(address, i.ReplyHost) {
		return
	}
	text, err := json.Marshal(reply)
	if err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(text))
	if err != nil {
		return
	}
	request.Header.Set("Content-Type", "application/json")
	if response, err := http.DefaultClient.Do(request); err == nil {
		_ = response.Body.Close() // the answer is given, even if the message can't be sent
	}
}

// Kinds of Discord's interactions and answers.
const (
	discordPing    = 1
	discordClick   = 3
	discordPong    = 1
	discordSay     = 4
	discordUpdate  = 7
	discordPrivate = 64
)

// Discord handles interactions of Discord (https://discord.com/developers/docs/interactions/overview).
func (i *Inbound) Discord(w http.ResponseWriter, r *http.Request) {
	stamp := r.Header.Get("X-Signature-Timestamp")
	body, fresh := i.signed(r, stamp)
	key, err := hex.DecodeString(i.PublicKey)
	signed, wrong := hex.DecodeString(r.Header.Get("X-Signature-Ed25519"))
	if err != nil || wrong != nil || len(key) != ed25519.PublicKeySize || !fresh || !ed25519.Verify(key, append([]byte(stamp), body...), signed) {
		http.Error(w, "the signature is wrong", http.StatusUnauthorized)
		return
	}
	type user struct{ ID, Username string }
	var click struct {
		Type   int
		User   user
		Member struct{ User user }
		Data   struct {
			CustomID string `json:"custom_id"`
		}
	}
	if err := json.Unmarshal(body, &click); err != nil {
		http.Error(w, "this is no interaction", http.StatusBadRequest)
		return
	}
	reply := map[string]any{"type": discordPong}
	if click.Type != discordPing {
		reply = i.discordReply(r.Context(), click.Type, click.Data.CustomID, click.Member.User.ID+click.User.ID, click.Member.User.Username+click.User.Username)
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(reply) // the other side went away
}

func (i *Inbound) discordReply(ctx context.Context, kind int, custom, id, name string) map[string]any {
	parts := strings.Split(custom, ":")
	err := errors.New("this is no button of policyd")
	var prompt v1.Prompt
	if kind == discordClick && len(parts) == 3 && parts[0] == "policyd" {
		prompt, err = i.answer(ctx, parts[1], parts[2], id, "discord:"+name)
	}
	if err != nil {
		return map[string]any{"type": discordSay, "data": map[string]any{"content": reason(err), "flags": discordPrivate, "allowed_mentions": map[string]any{"parse": []string{}}}}
	}
	return map[string]any{"type": discordUpdate, "data": render.Discord(&prompt)}
}
