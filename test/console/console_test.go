// Package console drives the console of the real program in a real browser. It is a module of its
// own, so that the browser's driver never reaches the program's dependencies.
package console

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// patience bounds every wait: a busy machine is no failure.
const patience = 60 * time.Second

var program string

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "policyd-console")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	if programs := os.Getenv("POLICYD_TEST_PROGRAMS"); programs != "" {
		program = filepath.Join(programs, "policyd")
		return m.Run()
	}
	program = filepath.Join(dir, "policyd")
	out, err := exec.Command("go", "build", "-C", "../..", "-o", dir+"/", "./cmd/policyd", "./cmd/policyd-hook").CombinedOutput()
	if err != nil {
		panic(string(out))
	}
	return m.Run()
}

// server is a running policyd.
type server struct {
	url, state, runDir, config, home string
	console                          string
	// oidc is added to the settings of the console, and prompts to those beside it.
	oidc    string
	prompts string
	command *exec.Cmd
	exited  chan struct{}
}

func newServer(t *testing.T) *server {
	t.Helper()
	runDir, err := os.MkdirTemp("", "pc") //nolint:usetesting // short: a socket's name is bounded
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(runDir) })
	home, err := os.MkdirTemp("", "home") //nolint:usetesting // short, for the pictures
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(home) })
	s := &server{state: filepath.Join(t.TempDir(), "state"), runDir: runDir, home: home, config: filepath.Join(t.TempDir(), "policyd.yaml")}
	s.serve(t, "127.0.0.1:0")
	t.Cleanup(func() { s.stop() })
	return s
}

// serve starts a server with the console at an address.
func (s *server) serve(t *testing.T, address string) {
	t.Helper()
	require.NoError(t, os.WriteFile(s.config, []byte("console: {addr: '"+address+"', serve: always"+s.oidc+"}\n"+s.prompts), 0o600))
	s.start(t)
}

func (s *server) start(t *testing.T) {
	t.Helper()
	s.command = exec.Command(program, "serve", "--addr", "127.0.0.1:0", "--state-dir", s.state, "--run-dir", s.runDir, "--config", s.config)
	s.command.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + s.home}
	var errors bytes.Buffer
	s.command.Stderr = &errors
	stdout, err := s.command.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, s.command.Start())
	line, _ := bufio.NewReader(stdout).ReadString('\n')
	s.url = regexp.MustCompile(`http://[0-9.]+:[0-9]+`).FindString(line)
	require.NotEmpty(t, s.url, errors.String())
	s.exited = make(chan struct{})
	go func(ended *exec.Cmd, exited chan struct{}) {
		_ = ended.Wait() // it was asked to end
		close(exited)
	}(s.command, s.exited)
}

func (s *server) stop() {
	if s.command == nil {
		return
	}
	_ = s.command.Process.Signal(syscall.SIGTERM)
	select {
	case <-s.exited:
	case <-time.After(patience):
		_ = s.command.Process.Kill()
	}
	s.command = nil
}

// call asks the API and returns status and answer.
func (s *server) call(role, method, path, body string) (int, map[string]any, error) {
	token, err := os.ReadFile(filepath.Join(s.state, role+".token"))
	if err != nil {
		return 0, nil, err
	}
	request, err := http.NewRequest(method, s.url+path, strings.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	request.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, nil, err
	}
	var out map[string]any
	_ = json.Unmarshal(text, &out)
	return response.StatusCode, out, nil
}

func (s *server) must(t *testing.T, role, method, path, body string) map[string]any {
	t.Helper()
	status, out, err := s.call(role, method, path, body)
	require.NoError(t, err)
	require.Less(t, status, 300, "%v", out)
	return out
}

// held is a call that waits for its answer.
type held struct {
	decision chan string
	at       chan time.Time
}

func (s *server) hold(session string) *held {
	h := &held{decision: make(chan string, 1), at: make(chan time.Time, 1)}
	body, _ := json.Marshal(map[string]any{
		"tool": "Bash", "args": map[string]string{"command": "git push origin main"}, "session": map[string]any{"id": session},
	})
	go func() {
		_, out, err := s.call("agent", http.MethodPost, "/v1/decide?wait=5m", string(body))
		h.at <- time.Now()
		h.decision <- fmt.Sprint(out["decision"], err)
	}()
	return h
}

func (h *held) wait(t *testing.T) string {
	t.Helper()
	select {
	case decision := <-h.decision:
		return strings.TrimSuffix(decision, "<nil>")
	case <-time.After(patience):
		require.FailNow(t, "the call is not released")
		return ""
	}
}

func (s *server) register(t *testing.T, id, agent string) {
	t.Helper()
	dir := filepath.Join(s.home, "repo")
	require.NoError(t, os.MkdirAll(dir, 0o755))
	body, err := json.Marshal(map[string]any{"id": id, "agent": agent, "audience": "personal", "interactive": true, "project_dir": dir, "platform": "linux", "shell": "bash"})
	require.NoError(t, err)
	s.must(t, "agent", http.MethodPut, "/v1/sessions/"+id, string(body))
}

// browser starts a browser of its own, or skips the test.
func browser(t *testing.T) context.Context {
	t.Helper()
	if testing.Short() {
		t.Skip("skipped: a browser takes seconds")
	}
	found := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			found = path
			break
		}
	}
	if found == "" {
		t.Skip("skipped: chromium is not installed")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(found), chromedp.NoSandbox, chromedp.WSURLReadTimeout(patience))
	allocated, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	ctx, end := chromedp.NewContext(allocated)
	t.Cleanup(end)
	require.NoError(t, chromedp.Run(ctx))
	return ctx
}

// tab opens another tab with the same cookies.
func tab(parent context.Context, t *testing.T) context.Context {
	t.Helper()
	ctx, end := chromedp.NewContext(parent)
	t.Cleanup(end)
	require.NoError(t, chromedp.Run(ctx)) // the tab ends with the context of its first run
	return ctx
}

func do(ctx context.Context, t *testing.T, actions ...chromedp.Action) {
	t.Helper()
	bounded, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	require.NoError(t, chromedp.Run(bounded, actions...))
}

// login opens the console.
func (s *server) login(ctx context.Context, t *testing.T) {
	t.Helper()
	link := fmt.Sprint(s.must(t, "operator", http.MethodPost, "/v1/console/link", `{"by":"alice"}`)["url"])
	s.console, _, _ = strings.Cut(link, "/console/")
	do(ctx, t, chromedp.Navigate(link))
	onNextPage(ctx, t, `document.getElementById("live")?.textContent === "Live"`)
	var address string
	do(ctx, t, chromedp.Location(&address))
	require.Equal(t, s.console+"/console/", address, "no code stays in the address")
}

// until waits for an expression to hold. It is looked at by a timer, since tabs in the background draw
// no frames.
func until(expression string) chromedp.Action {
	return chromedp.Poll(expression, nil, chromedp.WithPollingTimeout(patience), chromedp.WithPollingInterval(10*time.Millisecond))
}

func evaluate[T any](ctx context.Context, t *testing.T, expression string) T {
	t.Helper()
	var out T
	do(ctx, t, chromedp.Evaluate(expression, &out))
	return out
}

// onNextPage waits for an expression to hold on a page to which the one that is open goes by itself. That ends
// what is evaluated on the one that is open.
func onNextPage(ctx context.Context, t *testing.T, expression string) {
	t.Helper()
	require.Eventually(t, func() bool {
		bounded, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		holds := false
		return chromedp.Run(bounded, chromedp.Evaluate(expression, &holds)) == nil && holds
	}, patience, 10*time.Millisecond)
}

const openCards = `document.querySelectorAll('#list .card[data-state=pending]').length`

func press(choice string) chromedp.Action {
	return chromedp.Click(`#list .card[data-state=pending] button[data-choice=`+choice+`]`, chromedp.ByQuery)
}

// TestAnswerFromThePage checks the way from a held call to a click and back, and reports how long each part
// takes.
func TestAnswerFromThePage(t *testing.T) {
	ctx := browser(t)
	s := newServer(t)
	s.register(t, "s1", "codex")
	s.login(ctx, t)
	do(ctx, t, chromedp.Evaluate(`window.seen = 0; new MutationObserver(() => { if (!window.seen && `+openCards+`) window.seen = Date.now(); }).observe(document.getElementById("list"), {childList: true, subtree: true})`, nil))
	asked := time.Now()
	call := s.hold("s1")
	do(ctx, t, until(openCards+" === 1"))
	seen := time.UnixMilli(int64(evaluate[float64](ctx, t, "window.seen")))
	t.Logf("from the call to the card: %v", seen.Sub(asked))
	assert.Contains(t, evaluate[string](ctx, t, `document.querySelector("#list .code").textContent`), "git push origin main")
	assert.Equal(t, "(1) Waiting · policyd", evaluate[string](ctx, t, "document.title"))
	do(ctx, t, settled())
	do(ctx, t, chromedp.Evaluate(`document.addEventListener("click", () => { window.clicked = Date.now(); }, {capture: true})`, nil), press("once"))
	assert.Equal(t, "allow", call.wait(t))
	released := <-call.at
	clicked := time.UnixMilli(int64(evaluate[float64](ctx, t, "window.clicked")))
	t.Logf("from the click to the released call: %v", released.Sub(clicked))
	do(ctx, t, until(`document.querySelector("#list .ending")?.textContent.includes("by alice")`))
	paint := evaluate[float64](ctx, t, `performance.getEntriesByName("first-contentful-paint")[0]?.startTime || 0`)
	t.Logf("first paint: %.0f ms", paint)
	weight := evaluate[float64](ctx, t, `performance.getEntries().filter((e) => e.transferSize !== undefined && !e.name.includes("/events")).reduce((sum, e) => sum + e.decodedBodySize, 0)`)
	t.Logf("page weight: %.1f KiB", weight/1024)
	assert.Less(t, weight, 150.0*1024)
	assert.Zero(t, evaluate[int](ctx, t, `performance.getEntries().filter((e) => e.name.startsWith("http") && !e.name.startsWith(location.origin)).length`), "nothing of another host")
	assert.Zero(t, evaluate[int](ctx, t, `localStorage.length + sessionStorage.length + document.cookie.length`), "no secret where a script reads it")
}

// TestKeysAnswer checks that the page can be used by keyboard alone, that a dangerous answer takes two
// presses, and that a remembered answer can be undone.
func TestKeysAnswer(t *testing.T) {
	ctx := browser(t)
	s := newServer(t)
	s.register(t, "s1", "codex")
	s.login(ctx, t)
	first := s.hold("s1")
	do(ctx, t, until(openCards+" === 1"), until(`performance.now() - Number(document.querySelector("#list .card").dataset.since) > 300`))
	do(ctx, t, chromedp.KeyEvent("a"), until(`document.querySelector("#list .said").textContent.includes("Press again")`))
	assert.Equal(t, 1, evaluate[int](ctx, t, openCards))
	do(ctx, t, chromedp.KeyEvent("a"))
	assert.Equal(t, "allow", first.wait(t))
	do(ctx, t, until(`document.querySelector(".toast button")?.textContent === "Undo"`), chromedp.KeyEvent("u"),
		until(`[...document.querySelectorAll(".toast")].some((box) => box.textContent.startsWith("Undone"))`))
	assert.Empty(t, s.must(t, "operator", http.MethodGet, "/v1/approvals", "")["approvals"])
	second := s.hold("s1")
	do(ctx, t, until(openCards+" === 1"), until(`performance.now() - Number(document.querySelector("#list .card[data-state=pending]").dataset.since) > 300`), chromedp.KeyEvent("d"))
	assert.Equal(t, "deny", second.wait(t))
}

// TestEqualQuestionsTakeOnePress checks that five equal questions are one card and one answer.
func TestEqualQuestionsTakeOnePress(t *testing.T) {
	ctx := browser(t)
	s := newServer(t)
	s.login(ctx, t)
	var calls []*held
	for i := range 5 {
		session := fmt.Sprintf("s%d", i)
		s.register(t, session, "codex")
		calls = append(calls, s.hold(session))
	}
	do(ctx, t, until(`document.querySelector("#list .card")?.dataset.ids.split(" ").length === 5`))
	assert.Equal(t, 1, evaluate[int](ctx, t, openCards))
	do(ctx, t, until(`performance.now() - Number(document.querySelector("#list .card").dataset.since || 0) > 300`), press("once"))
	for _, call := range calls {
		assert.Equal(t, "allow", call.wait(t))
	}
	do(ctx, t, until(openCards+" === 0"))
}

// TestTwoOperatorsRace checks that of two answers one wins, and that the other page states who.
func TestTwoOperatorsRace(t *testing.T) {
	one := browser(t)
	s := newServer(t)
	s.register(t, "s1", "codex")
	s.login(one, t)
	two := tab(one, t)
	do(two, t, chromedp.Navigate(s.console+"/console/"), until(`document.getElementById("live").textContent === "Live"`))
	call := s.hold("s1")
	for _, ctx := range []context.Context{one, two} {
		do(ctx, t, until(openCards+" === 1"), until(`performance.now() - Number(document.querySelector("#list .card").dataset.since) > 300`))
	}
	var wait sync.WaitGroup
	for ctx, choice := range map[context.Context]string{one: "once", two: "deny"} {
		wait.Go(func() {
			bounded, cancel := context.WithTimeout(ctx, patience)
			defer cancel()
			_ = chromedp.Run(bounded, chromedp.Evaluate(`document.querySelector('button[data-choice=`+choice+`]')?.click()`, nil))
		})
	}
	wait.Wait()
	got := call.wait(t)
	assert.Contains(t, []string{"allow", "deny"}, got)
	for _, ctx := range []context.Context{one, two} {
		do(ctx, t, until(openCards+" === 0"), until(`document.querySelector("#list .ending")?.textContent.includes("alice")`))
	}
}

// TestTheServerRestarts checks that a page which is left open goes on: its session holds, and it shows what
// waits.
func TestTheServerRestarts(t *testing.T) {
	ctx := browser(t)
	s := newServer(t)
	s.register(t, "s1", "codex")
	s.login(ctx, t)
	s.must(t, "agent", http.MethodPost, "/v1/decide", `{"tool":"Bash","args":{"command":"git push a"},"session":{"id":"s1"}}`)
	do(ctx, t, until(openCards+" === 1"))
	s.stop()
	do(ctx, t, until(`document.getElementById("live").textContent === "Reconnecting"`))
	address := strings.TrimPrefix(s.console, "http://")
	s.serve(t, address)
	s.must(t, "agent", http.MethodPost, "/v1/decide", `{"tool":"Bash","args":{"command":"git push b"},"session":{"id":"s1"}}`)
	do(ctx, t, until(`document.getElementById("live").textContent === "Live"`), until(openCards+" === 2"))
	do(ctx, t, chromedp.Evaluate(`[...document.querySelectorAll("#list .card")].find((card) => card.textContent.includes("git push b")).querySelector("[data-choice=deny]").click()`, nil), until(openCards+" === 1"))
}

// TestExpiryShows checks that a prompt which ends by itself ends on the page.
func TestExpiryShows(t *testing.T) {
	ctx := browser(t)
	s := newServer(t)
	s.register(t, "s1", "codex")
	s.login(ctx, t)
	s.must(t, "agent", http.MethodPost, "/v1/decide", `{"tool":"Bash","args":{"command":"git push"},"session":{"id":"s1"}}`)
	do(ctx, t, until(openCards+" === 1"))
	do(ctx, t, until(`/^\d+ h \d+ min$/.test(document.querySelector("time.expires").textContent)`))
	s.must(t, "operator", http.MethodDelete, "/v1/sessions/s1", "")
	do(ctx, t, until(`document.querySelector("#list .ending")?.textContent.startsWith("Withdrawn")`))
	assert.Equal(t, 0, evaluate[int](ctx, t, openCards))
}

// TestAnExpiredPromptTakesNoAnswer checks that a prompt whose time is over ends on the page and can't be
// answered. The shortest time is a minute, which the other tests don't wait for.
func TestAnExpiredPromptTakesNoAnswer(t *testing.T) {
	t.Parallel()
	ctx := browser(t)
	s := newServer(t)
	s.stop()
	s.prompts = "prompts: {expiry: 1m}\n"
	s.serve(t, "127.0.0.1:0")
	s.register(t, "s1", "codex")
	s.login(ctx, t)
	decision := s.must(t, "agent", http.MethodPost, "/v1/decide", `{"tool":"Bash","args":{"command":"git push"},"session":{"id":"s1"}}`)
	id := decision["prompt"].(map[string]any)["id"].(string)
	do(ctx, t, until(openCards+" === 1"), until(`/^\d+ s$/.test(document.querySelector("time.expires").textContent)`))
	do(ctx, t, until(`parseInt(document.querySelector("time.expires").textContent) < 30`))
	do(ctx, t, until(`document.querySelector("#list .ending")?.textContent.startsWith("Expired")`))
	assert.Equal(t, 0, evaluate[int](ctx, t, openCards))
	assert.Equal(t, 0, evaluate[int](ctx, t, `document.querySelectorAll("#list [data-choice]:not(:disabled)").length`))
	status, answer, err := s.call("operator", http.MethodPost, "/v1/prompts/"+id+"/answer", `{"choice":"once"}`)
	require.NoError(t, err)
	assert.Equal(t, http.StatusGone, status, answer)
	assert.Equal(t, "prompt_ended", answer["code"])
	again := s.must(t, "agent", http.MethodPost, "/v1/decide", `{"tool":"Bash","args":{"command":"git push"},"session":{"id":"s1"}}`)
	assert.Equal(t, "prompt", again["decision"], again)
}

// hostile are commands with which an agent tries to be more than text.
var hostile = []string{
	`echo '<img src=x onerror="document.title=1"><script>window.owned=1</script>'`, `echo "</pre></article><button data-choice=once>x</button>"`,
	"echo '\x1b[2J\x1b]0;owned\x07'", "echo '\u202ehsup tig'", "git рush origin", "curl https://еxample.org/x",
	"echo " + strings.Repeat("x", 16<<10), strings.Repeat("\n", 300) + "make evil", `echo '{{.}} ${alert(1)}'`, "echo 'a\u200bb\u2066c\u00ad'",
}

// TestHostileText checks that nothing an agent writes runs, hides or reorders anything, and that the page
// doesn't grow wider than the window.
func TestHostileText(t *testing.T) {
	ctx := browser(t)
	s := newServer(t)
	s.register(t, "s1", "codex")
	s.login(ctx, t)
	do(ctx, t, emulation.SetDeviceMetricsOverride(360, 740, 1, true))
	for i, command := range hostile {
		body, err := json.Marshal(map[string]any{"tool": "Bash", "args": map[string]string{"command": command + fmt.Sprintf("; git push b%d", i)}, "session": map[string]any{"id": "s1"}})
		require.NoError(t, err)
		s.must(t, "agent", http.MethodPost, "/v1/decide", string(body))
	}
	asked := len(s.must(t, "operator", http.MethodGet, "/v1/prompts?state=pending", "")["prompts"].([]any))
	require.Positive(t, asked)
	do(ctx, t, until(fmt.Sprintf("%s === %d", openCards, asked)))
	assert.True(t, evaluate[bool](ctx, t, `window.owned === undefined && !document.title.includes("1)owned")`))
	assert.Equal(t, 0, evaluate[int](ctx, t, `document.querySelectorAll("#list img, #list script, #list h1, #list .code button").length`))
	assert.False(t, evaluate[bool](ctx, t, `/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069\u00ad]/.test(document.body.textContent)`))
	assert.Positive(t, evaluate[int](ctx, t, `document.querySelectorAll("#list mark").length`))
	assert.LessOrEqual(t, evaluate[int](ctx, t, `document.documentElement.scrollWidth`), 360)
}

// TestAnotherOriginCanDoNothing checks that a page of another origin can neither frame the console nor send
// it a write with the person's cookie.
func TestAnotherOriginCanDoNothing(t *testing.T) {
	ctx := browser(t)
	s := newServer(t)
	s.register(t, "s1", "codex")
	s.login(ctx, t)
	prompt := s.must(t, "agent", http.MethodPost, "/v1/decide", `{"tool":"Bash","args":{"command":"git push"},"session":{"id":"s1"}}`)["prompt"].(map[string]any)["id"]
	content := fmt.Sprintf(`<!doctype html><iframe id="frame" src="%[1]s/console/"></iframe>
<form id="form" method="post" enctype="text/plain" target="other" action="%[1]s/console/answer"><input name='{"ids":["%[2]s"],"choice":"once","x":"' value='"}'></form><iframe name="other"></iframe>
<script>
window.results = [];
for (const type of ["application/json", "text/plain"]) for (const mode of ["cors", "no-cors"])
  fetch("%[1]s/console/answer", {method: "POST", mode, credentials: "include", headers: {"Content-Type": type}, body: JSON.stringify({ids: ["%[2]s"], choice: "once"})}).then((r) => window.results.push(r.type + r.status), () => window.results.push("refused"));
fetch("%[1]s/console/list", {credentials: "include"}).then(() => window.results.push("read"), () => window.results.push("refused"));
new EventSource("%[1]s/console/events", {withCredentials: true}).onerror = () => window.results.push("refused");
document.getElementById("form").submit();
</script>`, s.console, prompt)
	evil := &http.Server{Addr: "127.0.0.1:0", Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, content)
	})}
	listener := listen(t)
	go func() { _ = evil.Serve(listener) }()
	t.Cleanup(func() { _ = evil.Close() })
	other := tab(ctx, t)
	do(other, t, chromedp.Navigate("http://"+listener.Addr().String()+"/"))
	var found string
	require.Eventually(t, func() bool {
		bounded, cancel := context.WithTimeout(other, patience)
		defer cancel()
		return chromedp.Run(bounded, chromedp.Evaluate(`window.results.join()`, &found)) == nil &&
			strings.Count(found, ",") >= 5
	}, patience, 10*time.Millisecond)
	t.Log(found)
	for _, never := range []string{"200", "read"} {
		assert.NotContains(t, found, never)
	}
	framed, posted := frames(other, t)[0], frames(other, t)[1]
	assert.Equal(t, s.console+"/console/", framed.UnreachableURL, "the console is not shown in a frame")
	assert.Equal(t, s.console+"/console/answer", posted.UnreachableURL+strings.TrimPrefix(posted.URL, "chrome-error://chromewebdata/"), "the form was sent")
	pending := s.must(t, "operator", http.MethodGet, "/v1/prompts?state=pending", "")["prompts"].([]any)
	assert.Len(t, pending, 1, "nobody answered")
}

// frames are the frames of a page, once they have loaded, or were refused.
func frames(ctx context.Context, t *testing.T) (found []*cdp.Frame) {
	t.Helper()
	require.Eventually(t, func() bool {
		bounded, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		var tree *page.FrameTree
		err := chromedp.Run(bounded, chromedp.ActionFunc(func(ctx context.Context) (err error) {
			tree, err = page.GetFrameTree().Do(ctx)
			return err
		}))
		found = nil
		for _, child := range tree.ChildFrames {
			if child.Frame.URL != "" && child.Frame.URL != "about:blank" {
				found = append(found, child.Frame)
			}
		}
		return err == nil && len(found) == len(tree.ChildFrames)
	}, patience, 10*time.Millisecond)
	return found
}

// TestPagesAreAccessible runs axe-core on every page, wide and narrow, light and dark.
func TestPagesAreAccessible(t *testing.T) {
	axe, err := os.ReadFile(filepath.Join("..", "..", "bin", ".axe", "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		t.Skip("skipped: axe-core is not installed; npm install --prefix bin/.axe axe-core")
	}
	ctx := browser(t)
	s := newServer(t)
	s.oidc = ", oidc: {issuer: 'http://127.0.0.1:9', client: policyd, roles: {ops: operator}}"
	s.stop()
	s.serve(t, "127.0.0.1:0")
	s.eachPage(ctx, t, func(name string, _ int64) { assert.Empty(t, problems(ctx, t, string(axe)), name) })
	// Those that nobody is logged in for.
	do(ctx, t, network.ClearBrowserCookies())
	for path, heading := range map[string]string{"": "Unauthorized", "login": "Log in", "signin": "Bad Gateway", "nothing": "Not Found"} {
		do(ctx, t, chromedp.Navigate(s.console+"/console/"+path), until(`document.querySelector("h1")?.textContent === "`+heading+`"`))
		assert.Empty(t, problems(ctx, t, string(axe)), heading)
	}
}

// TestPagesFitTheWindow checks that no page is wider than the window, wide and narrow, light and dark. It
// takes the pictures of docs/ if POLICYD_TEST_SCREENSHOTS is set.
func TestPagesFitTheWindow(t *testing.T) {
	ctx := browser(t)
	newServer(t).eachPage(ctx, t, func(name string, width int64) {
		assert.LessOrEqual(t, evaluate[int64](ctx, t, `document.documentElement.scrollWidth`), width, name)
		if picture, waiting := strings.CutPrefix(name, "waiting-"); waiting && os.Getenv("POLICYD_TEST_SCREENSHOTS") != "" {
			var content []byte
			do(ctx, t, chromedp.CaptureScreenshot(&content))
			require.NoError(t, os.WriteFile(filepath.Join("..", "..", "docs", "console-"+picture+".png"), content, 0o644))
		}
	})
}

// eachPage shows every page, with something on it, at every width and in every scheme. Names are "waiting-360-dark".
func (s *server) eachPage(ctx context.Context, t *testing.T, look func(name string, width int64)) {
	t.Helper()
	for _, one := range []struct{ session, agent, command string }{
		{"3f9c", "codex", "git push origin main"},
		{"a1b2", "claude-code", "npm install left-pad"},
		{"a1b2", "claude-code", "git рush --force"},
		{"a1b2", "claude-code", "ls"},
		{"77aa", "claude-code", "curl -d @report.json https://example.org/upload"},
	} {
		s.register(t, one.session, one.agent)
		body, err := json.Marshal(map[string]any{"tool": "Bash", "args": map[string]string{"command": one.command}, "session": map[string]any{"id": one.session}})
		require.NoError(t, err)
		s.must(t, "agent", http.MethodPost, "/v1/decide", string(body))
	}
	s.must(t, "operator", http.MethodPost, "/v1/approvals", `{"verb":"git fetch"}`)
	id := s.must(t, "operator", http.MethodGet, "/v1/decisions", "")["decisions"].([]any)[0].(map[string]any)["decision_id"].(string)
	s.login(ctx, t)
	for page, name := range map[string]string{
		"": "waiting", "decisions": "decisions", "decisions/" + id: "decision", "remembered": "remembered", "sessions": "sessions", "policy": "policy", "rates": "rates",
	} {
		for _, width := range []int64{360, 1440} {
			for _, scheme := range []string{"light", "dark"} {
				do(ctx, t, emulation.SetDeviceMetricsOverride(width, 900, 1, width < 500),
					emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}}),
					chromedp.Navigate(s.console+"/console/"+page), until(`document.getElementById("live").textContent === "Live"`))
				look(fmt.Sprintf("%s-%d-%s", name, width, scheme), width)
			}
		}
	}
}

// problems are what axe-core finds that is serious or critical.
func problems(ctx context.Context, t *testing.T, axe string) []string {
	t.Helper()
	do(ctx, t, chromedp.Evaluate(axe+";0", nil), chromedp.Evaluate(`window.found = null; axe.run().then((result) => { window.found = result.violations
		.filter((one) => ["serious", "critical"].includes(one.impact)).map((one) => one.id + " " + one.nodes.map((node) => node.html).join(" ").slice(0, 300)); }); 0`, nil), until(`window.found !== null`))
	return evaluate[[]string](ctx, t, `window.found`)
}

// TestNothingMovesUnderThePointer checks that a card under the pointer stays in its place while others
// appear, and that thousands of decisions are shown without a delay.
func TestNothingMovesUnderThePointer(t *testing.T) {
	ctx := browser(t)
	s := newServer(t)
	s.register(t, "s1", "codex")
	s.login(ctx, t)
	decide := func(command string) {
		body, err := json.Marshal(map[string]any{"tool": "Bash", "args": map[string]string{"command": command}, "session": map[string]any{"id": "s1"}})
		require.NoError(t, err)
		s.must(t, "agent", http.MethodPost, "/v1/decide", string(body))
	}
	decide("git push first")
	do(ctx, t, until(openCards+" === 1"), chromedp.Focus(`#list .card button[data-choice=deny]`, chromedp.ByQuery))
	top := `[...document.querySelectorAll("#list .card")].find((card) => card.textContent.includes("git push first")).getBoundingClientRect().top`
	before := evaluate[float64](ctx, t, top)
	for i := range 5 {
		decide(fmt.Sprintf("git push other-%d", i))
	}
	do(ctx, t, until(openCards+" === 6"))
	// Browsers scroll by whole pixels, so each card can cost half of one.
	assert.InDelta(t, before, evaluate[float64](ctx, t, top), 5.0/2+0.1)
	assert.Equal(t, "deny", evaluate[string](ctx, t, `document.activeElement.dataset.choice`), "the focus stays")
	assert.False(t, evaluate[bool](ctx, t, `document.getElementById("above").hidden`))
	for i := range 50 { // 100 calls each
		calls := make([]string, 0, 100)
		for j := range 100 {
			calls = append(calls, fmt.Sprintf(`{"tool":"Bash","args":{"command":"ls %d"},"session":{"id":"s1"}}`, i*100+j))
		}
		s.must(t, "agent", http.MethodPost, "/v1/decide/batch", `{"calls":[`+strings.Join(calls, ",")+`]}`)
	}
	began := time.Now()
	do(ctx, t, chromedp.Navigate(s.console+"/console/decisions"), until(`document.getElementById("live").textContent === "Live"`))
	t.Logf("decisions, read for the first time: %v", time.Since(began))
	began = time.Now()
	do(ctx, t, chromedp.Navigate(s.console+"/console/decisions?verb=ls"), until(`document.getElementById("live").textContent === "Live"`))
	t.Logf("decisions, filtered: %v", time.Since(began))
	assert.Equal(t, "5000", evaluate[string](ctx, t, `document.getElementById("found").textContent`))
	decide("ls new")
	do(ctx, t, until(`document.querySelector("#rows tr").textContent.includes("ls new")`))
}
