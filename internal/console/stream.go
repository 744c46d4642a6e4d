package console

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"policyd/internal/events"
)

// beat is the interval at which a silent stream writes and checks its session. writePatience bounds the time
// that a browser may need to read.
const (
	beat          = 15 * time.Second
	writePatience = 10 * time.Second
)

// stream sends events: the kind of an event and the id of its subject. Pages fetch everything else again.
func (c *Console) stream(w http.ResponseWriter, r *http.Request, _ Operator) {
	after := r.Header.Get("Last-Event-ID")
	if after == "" {
		after = r.URL.Query().Get("after")
	}
	watcher := c.options.Events.Watch(after)
	defer watcher.Close()
	w.Header().Set("Content-Type", "text/event-stream")
	control := http.NewResponseController(w)
	write := func(text []byte) bool {
		if control.SetWriteDeadline(time.Now().Add(writePatience)) != nil {
			return false
		}
		if _, err := w.Write(text); err != nil {
			return false
		}
		return control.Flush() == nil
	}
	if err := control.SetReadDeadline(time.Time{}); err != nil { // the request has been read
		return
	}
	if !write([]byte("retry: 500\n\n")) {
		return
	}
	ticker := time.NewTicker(beat)
	defer ticker.Stop()
	for {
		list, more := watcher.Next()
		if len(list) > 0 {
			if _, _, known := c.operator(r); !known || !write(messages(list)) {
				return
			}
			continue
		}
		select {
		case <-r.Context().Done():
			return
		case <-more:
		case <-ticker.C:
			if _, _, known := c.operator(r); !known || !write([]byte(": policyd\n\n")) {
				return
			}
		}
	}
}

// messages writes events with the ids that they are about.
func messages(list []events.Event) []byte {
	var out bytes.Buffer
	for _, event := range list {
		var about struct {
			ID       string `json:"id"`
			Decision string `json:"decision_id"`
		}
		// Data that isn't an object, or has no id, has no subject.
		_ = json.Unmarshal(event.Data, &about)
		if event.Kind == events.Decision {
			about.ID = about.Decision
		}
		kind := event.Kind
		if strings.HasPrefix(kind, events.PromptEnded) && kind != events.PromptCreated {
			kind = "prompt.ended"
		}
		text, err := json.Marshal(map[string]string{"id": about.ID})
		if err != nil {
			continue
		}
		fmt.Fprintf(&out, "id: %s\nevent: %s\ndata: %s\n\n", event.ID, kind, text)
	}
	return out.Bytes()
}
