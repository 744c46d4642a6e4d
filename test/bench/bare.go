package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/goccy/go-json"
	"github.com/labstack/echo/v4"

	v1 "policyd/api/v1"
)

// serveBare serves an Echo handler that decodes a call and answers a decision of
// the size that policyd answers, and does nothing else: the floor.
func serveBare(ctx context.Context, addr, answerFile string) error {
	text, err := os.ReadFile(answerFile)
	if err != nil {
		return fmt.Errorf("read answer: %w", err)
	}
	var decision v1.Decision
	if err := json.Unmarshal(text, &decision); err != nil {
		return fmt.Errorf("decode answer: %w", err)
	}
	e := echo.New()
	e.HideBanner, e.HidePort = true, true
	e.POST("/v1/decide", func(c echo.Context) error {
		var call v1.Call
		if err := json.NewDecoder(c.Request().Body).Decode(&call); err != nil {
			return echo.NewHTTPError(http.StatusBadRequest, err.Error())
		}
		out, err := json.Marshal(&decision)
		if err != nil {
			return err
		}
		return c.JSONBlob(http.StatusOK, out)
	})
	e.Server.ReadHeaderTimeout = time.Minute
	context.AfterFunc(ctx, func() { _ = e.Close() })
	if err := e.Start(addr); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve bare handler: %w", err)
	}
	return nil
}
