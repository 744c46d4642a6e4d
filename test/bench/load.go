package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"
)

// connectionCounts are the loads that each server is measured under.
var connectionCounts = []int{1, 8}

// target is one server, and the request that it is asked over and over.
type target struct {
	name  string
	url   string
	token string
	body  []byte
}

// sample is what a server did under one load.
type sample struct {
	latencies []time.Duration
	elapsed   time.Duration
}

// load names a server's sample by its name and number of connections.
type load struct {
	name        string
	connections int
}

func (s sample) quantile(q float64) time.Duration {
	if len(s.latencies) == 0 {
		return 0
	}
	slices.Sort(s.latencies)
	return s.latencies[min(int(q*float64(len(s.latencies))), len(s.latencies)-1)]
}

// perSecond is how many requests were answered in a second, at all connections.
func (s sample) perSecond() float64 {
	return float64(len(s.latencies)) / s.elapsed.Seconds()
}

// measureInTurns measures every server at every load, in turns.
func measureInTurns(ctx context.Context, targets []target, o options) (map[load]*sample, error) {
	results := map[load]*sample{}
	for round := range o.rounds + 1 {
		for _, connections := range connectionCounts {
			for _, t := range targets {
				slice, err := t.press(ctx, connections, o.slice)
				if err != nil {
					return nil, fmt.Errorf("measure %s: %w", t.name, err)
				}
				if round == 0 {
					continue // warms the server up
				}
				key := load{t.name, connections}
				if results[key] == nil {
					results[key] = &sample{}
				}
				results[key].latencies = append(results[key].latencies, slice.latencies...)
				results[key].elapsed += slice.elapsed
			}
		}
	}
	return results, nil
}

// press sends the request over n connections, one after the other on each, for
// the given time.
func (t target) press(ctx context.Context, n int, duration time.Duration) (sample, error) {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: n, MaxConnsPerHost: n}}
	defer client.CloseIdleConnections()
	begin := time.Now()
	var (
		mu    sync.Mutex
		all   sample
		first error
		group sync.WaitGroup
	)
	for range n {
		group.Go(func() {
			var own []time.Duration
			var err error
			for err == nil && time.Since(begin) < duration {
				started := time.Now()
				_, err = t.ask(ctx, client)
				own = append(own, time.Since(started))
			}
			mu.Lock()
			defer mu.Unlock()
			all.latencies = append(all.latencies, own...)
			if first == nil {
				first = err
			}
		})
	}
	group.Wait()
	all.elapsed = time.Since(begin)
	return all, first
}

// ask sends the request once and reads the whole answer.
func (t target) ask(ctx context.Context, client *http.Client) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, t.url, bytes.NewReader(t.body))
	if err != nil {
		return nil, fmt.Errorf("make request: %w", err)
	}
	request.Header.Set("Content-Type", "application/json")
	if t.token != "" {
		request.Header.Set("Authorization", "Bearer "+t.token)
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("send request: %w", err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, fmt.Errorf("read answer: %w", err)
	}
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("status %d: %s", response.StatusCode, answer)
	}
	return answer, nil
}
