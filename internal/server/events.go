package server

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"policyd/internal/events"
)

// beat is the interval at which a silent stream sends a comment, so that proxies and clients don't close it.
const beat = 15 * time.Second

// streamEvents answers with server-sent events until the client goes away or the server drains.
// Last-Event-ID, or the parameter after, resumes after an event.
func (s *Server) streamEvents(c echo.Context) error {
	query := readQuery(c.Request().URL)
	after := query.text("after")
	wanted := wantedKinds(query.text("kinds"))
	if err := query.done(); err != nil {
		return err
	}
	if id := c.Request().Header.Get("Last-Event-ID"); id != "" {
		after = id
	}
	watcher := s.options.Events.Watch(after)
	defer watcher.Close()
	ctx, cancel, err := s.holdContext(c)
	if err != nil {
		return err
	}
	defer cancel()
	header := c.Response().Header()
	header.Set(echo.HeaderContentType, "text/event-stream")
	header.Set(echo.HeaderCacheControl, "no-store")
	c.Response().WriteHeader(http.StatusOK)
	if err := writeEvents(c, nil, wanted); err != nil {
		return err
	}
	ticker := time.NewTicker(beat)
	defer ticker.Stop()
	for {
		list, more := watcher.Next()
		if len(list) > 0 {
			if err := writeEvents(c, list, wanted); err != nil {
				return err
			}
			continue
		}
		select {
		case <-ctx.Done():
			return nil
		case <-more:
		case <-ticker.C:
			if err := writeEvents(c, nil, wanted); err != nil {
				return err
			}
		}
	}
}

// wantedKinds parses a list of kinds; nil means all. A reader that missed events always learns of it.
func wantedKinds(list string) map[string]bool {
	if list == "" {
		return nil
	}
	wanted := map[string]bool{events.Resync: true}
	for kind := range strings.SplitSeq(list, ",") {
		wanted[kind] = true
	}
	return wanted
}

// writeEvents writes events, or a comment if there are none.
func writeEvents(c echo.Context, list []events.Event, wanted map[string]bool) error {
	var out bytes.Buffer
	for _, event := range list {
		if wanted != nil && !wanted[event.Kind] {
			continue
		}
		fmt.Fprintf(&out, "id: %s\nevent: %s\ndata: %s\n\n", event.ID, event.Kind, event.Data)
	}
	if len(list) == 0 {
		out.WriteString(": policyd\n\n")
	}
	if out.Len() == 0 {
		return nil
	}
	if _, err := c.Response().Write(out.Bytes()); err != nil {
		return nil //nolint:nilerr // the client is gone, and nobody reads an error
	}
	c.Response().Flush()
	return nil
}
