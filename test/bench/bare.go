package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/goccy/go-json"
	"github.com/labstack/echo/v4"

	v1 "policyd/api/v1"
)

// serveBare serves an Echo handler that decodes a call and answers a decision of
// the size that policyd answers, and does nothing else but its duties: a floor.
func serveBare(ctx context.Context, o options) error {
	at := o.bare
	duties, err := readDuties(ctx, o.duties)
	if err != nil {
		return err
	}
	handler, err := bareHandler(o.answer, duties)
	if err != nil {
		return err
	}
	e := echo.New()
	e.HideBanner, e.HidePort = true, true
	e.POST(decidePath, handler)
	e.Server.ReadHeaderTimeout = time.Minute
	context.AfterFunc(ctx, func() { _ = e.Close() })
	network := "tcp"
	if filepath.IsAbs(at) {
		network = "unix"
	}
	if e.Listener, err = new(net.ListenConfig).Listen(ctx, network, at); err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	if err := e.Start(""); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve bare handler: %w", err)
	}
	return nil
}

// bareHandler answers what a file holds, after its duties. They come when the call was
// read, since it is what they are about: from there on net/http watches the connection.
func bareHandler(answerFile string, duties []duty) (echo.HandlerFunc, error) {
	text, err := os.ReadFile(answerFile)
	if err != nil {
		return nil, fmt.Errorf("read answer: %w", err)
	}
	var decision v1.Decision
	if err := json.Unmarshal(text, &decision); err != nil {
		return nil, fmt.Errorf("decode answer: %w", err)
	}
	return func(c echo.Context) error {
		var call v1.Call
		if err := json.NewDecoder(c.Request().Body).Decode(&call); err != nil {
			return echo.NewHTTPError(http.StatusBadRequest, err.Error())
		}
		for _, one := range duties {
			if err := one(c.Request().Context()); err != nil {
				return err
			}
		}
		out, err := json.Marshal(&decision)
		if err != nil {
			return err
		}
		return c.JSONBlob(http.StatusOK, out)
	}, nil
}

// startBare starts this program as the bare server at an address or a socket.
func (b *bench) startBare(ctx context.Context, at endpoint, answer []byte, flags ...string) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find own program: %w", err)
	}
	file := filepath.Join(b.dir, "answer.json")
	if err := os.WriteFile(file, answer, 0o600); err != nil {
		return nil, fmt.Errorf("write answer: %w", err)
	}
	return b.launch(ctx, nil, self, append(flags, "-bare", at.address, "-answer", file)...)
}
