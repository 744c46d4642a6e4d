// Bare is the least that a hook could be: it sends what it reads to a socket and
// prints what comes back. The hook program is measured against it.
package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
)

func main() {
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(socket string) error {
	client := &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", socket)
		},
	}}
	response, err := client.Post("http://localhost/v1/hooks/claude", "application/json", os.Stdin)
	if err != nil {
		return fmt.Errorf("send: %w", err)
	}
	defer response.Body.Close()
	if _, err := io.Copy(os.Stdout, response.Body); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}
