package test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	v1 "policyd/api/v1"
	"policyd/bundles"
	"policyd/internal/pdp"
	"policyd/test/project"
)

const (
	standInImage = "localhost/policyd-builder"
	programImage = "localhost/policyd"
	// unprivileged is the user that the image names.
	unprivileged = "65532"
)

// TestContainer builds the image by the Dockerfile and runs it as its unprivileged user. Base images can't be
// pulled everywhere, so the builder stage is a local stand-in: an empty image into which this machine's
// toolchain and module cache are mounted.
func TestContainer(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: -short")
	}
	if _, err := exec.LookPath("buildah"); err != nil {
		t.Skip("skipped: buildah is not installed; make test installs it where it can")
	}
	if os.Getuid() != 0 {
		t.Skip("skipped: building without a container runtime needs root")
	}
	b := newBuildah(t)
	shelf := newHTTPSShelf(t)
	b.buildStandIn(shelf.authority(t))
	b.buildProgram()
	b.inspect()
	container := b.run("from", programImage)
	t.Run("decides", func(t *testing.T) { b.decides(t, container) })
	t.Run("fetches a bundle over HTTPS", func(t *testing.T) { b.fetches(t, container, shelf) })
	t.Run("serves and is healthy", func(t *testing.T) { b.serves(t, container) })
	t.Run("serves an agent's container", func(t *testing.T) { b.servesAgent(t) })
}

// servesAgent runs the sidecar of deploy/compose.yaml with its mounts, and asks
// it over the shared socket by the names that the agent's container has (P13).
func (b *buildah) servesAgent(t *testing.T) {
	t.Helper()
	tree, err := project.New(t.Context(), t.TempDir())
	require.NoError(t, err)
	service := readCompose(t).Services["policyd"]
	places := map[string]string{"agent-home": tree.Home, "socket": b.owned(t, 0o750), "state": b.owned(t, 0o700)}
	arguments := []string{"run", "--isolation", "chroot"}
	for _, volume := range service.Volumes {
		source := places[volume.Source]
		switch {
		case strings.HasPrefix(volume.Source, "${PROJECT"):
			source = tree.Project
		case volume.Type == "bind":
			source = filepath.Join(repository(t), "deploy", volume.Source)
		}
		require.NotEmpty(t, source, volume.Source)
		arguments = append(arguments, "--volume", source+":"+volume.Target+map[bool]string{true: ":ro", false: ""}[volume.ReadOnly])
	}
	container := b.run("from", programImage)
	arguments = append(arguments, container, "--", "/usr/bin/policyd")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	serve := b.command(ctx, append(append(arguments, service.Command...), "--addr", "127.0.0.1:17484")...)
	var problems bytes.Buffer
	serve.Stderr = &problems
	stdout, err := serve.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, serve.Start())
	defer func() {
		require.NoError(t, serve.Process.Signal(syscall.SIGTERM))
		_ = serve.Wait() // this isolation kills what it runs, so how it ends says nothing
	}()
	line, err := bufio.NewReader(stdout).ReadString('\n')
	require.NoErrorf(t, err, "%s", &problems)
	require.Contains(t, line, "policyd listens on")
	sidecar := pdp.New(pdp.Address{Socket: filepath.Join(places["socket"], "agents", "policyd.sock")})
	defer sidecar.Close()
	for command, want := range map[string]v1.Effect{
		"cat README.md": v1.EffectAllow, "git status": v1.EffectAllow, "cat .env": v1.EffectDeny, "cat /mnt/workspace/README.md": v1.EffectPrompt,
	} {
		body := fmt.Sprintf(`{"tool":"Bash","args":{"command":%q},"cwd":"/workspace","session":{"id":"s","agent":"claude-code",`+
			`"audience":"personal","project_dir":"/workspace","home":"/home/agent","interactive":true}}`, command)
		answer, err := sidecar.Do(ctx, http.MethodPost, "/v1/decide", nil, []byte(body))
		require.NoError(t, err)
		var decision v1.Decision
		require.NoErrorf(t, json.Unmarshal(answer.Body, &decision), "%s", answer.Body)
		assert.Equalf(t, want, decision.Effect, "%s: %+v", command, decision.Reasons)
	}
}

// owned is a directory of the image's user, as a named volume is.
func (b *buildah) owned(t *testing.T, mode os.FileMode) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "pd") //nolint:usetesting // t.TempDir is longer than a socket's name may be
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	require.NoError(t, os.Chmod(dir, mode))
	user, err := strconv.Atoi(unprivileged)
	require.NoError(t, err)
	require.NoError(t, os.Chown(dir, user, user))
	return dir
}

// composeFile is what the test needs of deploy/compose.yaml; the module in
// test/deploy reads it whole.
type composeFile struct {
	Services map[string]struct {
		Command []string `yaml:"command"`
		Volumes []struct {
			Type     string `yaml:"type"`
			Source   string `yaml:"source"`
			Target   string `yaml:"target"`
			ReadOnly bool   `yaml:"read_only"`
		} `yaml:"volumes"`
	} `yaml:"services"`
}

func readCompose(t *testing.T) composeFile {
	t.Helper()
	text, err := os.ReadFile("../deploy/compose.yaml")
	require.NoError(t, err)
	var file composeFile
	require.NoError(t, yaml.Unmarshal(text, &file))
	require.NotEmpty(t, file.Services["policyd"].Volumes)
	return file
}

// buildah runs the program of that name with a store of its own.
type buildah struct {
	t     *testing.T
	store []string
	dir   string
}

func newBuildah(t *testing.T) *buildah {
	t.Helper()
	dir := t.TempDir()
	b := &buildah{t: t, dir: dir, store: []string{
		"--storage-driver", "vfs", "--root", filepath.Join(dir, "root"), "--runroot", filepath.Join(dir, "run"),
	}}
	t.Cleanup(func() {
		// The store's files belong to the store; rm leaves nothing mounted.
		_ = exec.Command("buildah", append(b.store, "rm", "--all")...).Run()
	})
	return b
}

func (b *buildah) command(ctx context.Context, arguments ...string) *exec.Cmd {
	return exec.CommandContext(ctx, "buildah", append(append([]string{}, b.store...), arguments...)...)
}

// run runs buildah to its end and returns what it printed.
func (b *buildah) run(arguments ...string) string {
	b.t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := b.command(b.t.Context(), arguments...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	require.NoErrorf(b.t, cmd.Run(), "buildah %s\n%s%s", strings.Join(arguments, " "), &stdout, &stderr)
	return strings.TrimSpace(stdout.String())
}

// httpsShelf serves a bundle under a certificate that only the image's authorities vouch for.
type httpsShelf struct{ *httptest.Server }

func newHTTPSShelf(t *testing.T) httpsShelf {
	t.Helper()
	packed, err := bundles.Pack(filepath.Join(repository(t), "bundles/examples/public_strict"), bundles.Packing{})
	require.NoError(t, err)
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write(packed)
	}))
	t.Cleanup(server.Close)
	return httpsShelf{server}
}

// authority is the certificate of the authority in PEM.
func (s httpsShelf) authority(t *testing.T) []byte {
	t.Helper()
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
}

// fetches checks that the image trusts the authorities that its builder has.
func (b *buildah) fetches(t *testing.T, container string, shelf httpsShelf) {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.Chmod(dir, 0o755))
	scratch := b.owned(t, 0o700) // what a container runtime gives as a tmpfs
	settings := fmt.Sprintf("bundles:\n  services: {shelf: {url: %q}}\n  bundles: {site: {service: shelf, resource: site.tar.gz}}\n", shelf.URL)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "policyd.yaml"), []byte(settings), 0o644))
	cmd := b.command(t.Context(), "run", "--isolation", "chroot", "--volume", dir+":/etc/policyd:ro", "--volume", scratch+":/tmp", container, "--",
		"/usr/bin/policyd", "decide", "--quiet", "--config", "/etc/policyd/policyd.yaml", "-")
	cmd.Stdin = strings.NewReader(`{"tool":"Bash","args":{"command":"ls"},"cwd":"/work","session":{"id":"s","agent":"claude-code",` +
		`"audience":"public","project_dir":"/work","interactive":true}}`)
	out, err := cmd.CombinedOutput()
	require.NoErrorf(t, err, "%s", out)
	assert.Equal(t, "deny\n", string(out))
}

// buildStandIn makes an image that a builder can be, with one authority for certificates.
func (b *buildah) buildStandIn(authority []byte) {
	b.t.Helper()
	context := filepath.Join(b.dir, "standin")
	require.NoError(b.t, os.MkdirAll(filepath.Join(context, "tmp"), 0o755))
	require.NoError(b.t, os.WriteFile(filepath.Join(context, "passwd"), []byte("root:x:0:0::/tmp:/none\n"), 0o644))
	require.NoError(b.t, os.WriteFile(filepath.Join(context, "ca-certificates.crt"), authority, 0o644))
	require.NoError(b.t, os.WriteFile(filepath.Join(context, "Dockerfile"), []byte(strings.Join([]string{
		"FROM scratch",
		"ENV HOME=/tmp GOPATH=/go GOCACHE=/cache GOPROXY=off GOFLAGS=-mod=mod GOTOOLCHAIN=local",
		"COPY passwd /etc/passwd",
		"COPY ca-certificates.crt /etc/ssl/certs/",
		"COPY tmp /tmp/",
	}, "\n")), 0o644))
	b.run("bud", "--isolation", "chroot", "--quiet", "--tag", standInImage, context)
}

func (b *buildah) buildProgram() {
	b.t.Helper()
	mount := func(from, to string) string { return fmt.Sprintf("--volume=%s:%s", from, to) }
	b.run("bud", "--isolation", "chroot", "--format", "docker", "--quiet",
		"--build-arg", "BUILDER="+standInImage,
		mount(goEnv(b.t, "GOROOT"), "/usr/local/go:ro"),
		mount(goEnv(b.t, "GOMODCACHE"), "/go/pkg/mod"),
		mount(goEnv(b.t, "GOCACHE"), "/cache"),
		"--tag", programImage, repository(b.t))
}

// inspect holds what the image promises before anything runs.
func (b *buildah) inspect() {
	b.t.Helper()
	var image struct {
		Docker struct {
			Config struct {
				User         string
				Entrypoint   []string
				Volumes      map[string]struct{}
				Healthcheck  *struct{ Test []string }
				ExposedPorts map[string]struct{}
			} `json:"config"`
		}
	}
	require.NoError(b.t, json.Unmarshal([]byte(b.run("inspect", "--type", "image", programImage)), &image))
	config := image.Docker.Config
	assert.Equal(b.t, unprivileged+":"+unprivileged, config.User)
	assert.Equal(b.t, []string{"/usr/bin/policyd"}, config.Entrypoint)
	assert.Contains(b.t, config.Volumes, "/var/lib/policyd")
	assert.Empty(b.t, config.ExposedPorts, "the server listens on loopback and its socket")
	require.NotNil(b.t, config.Healthcheck)
	assert.Equal(b.t, []string{"CMD", "/usr/bin/policyd", "doctor", "--health"}, config.Healthcheck.Test)
}

func (b *buildah) decides(t *testing.T, container string) {
	t.Helper()
	const call = `{"tool":"Read","args":{"file_path":"/work/.env"},"cwd":"/work",` +
		`"session":{"id":"s","agent":"claude-code","audience":"personal","project_dir":"/work","interactive":true}}`
	cmd := b.command(t.Context(), "run", "--isolation", "chroot", container, "--", "/usr/bin/policyd", "decide", "-")
	cmd.Stdin = strings.NewReader(call)
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		require.NoErrorf(t, err, "%s", exit.Stderr)
	}
	require.NoError(t, err)
	var decision v1.Decision
	require.NoErrorf(t, json.Unmarshal(out, &decision), "%s", out)
	assert.Equal(t, v1.EffectDeny, decision.Effect)
	assert.NotEmpty(t, decision.Policy.Revision)
}

// serves starts the server as the image does and asks for its health as the
// health check does, until it is well or patience ends.
func (b *buildah) serves(t *testing.T, container string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var output bytes.Buffer
	serve := b.command(ctx, "run", "--isolation", "chroot", container, "--", "/usr/bin/policyd", "serve", "--addr", "127.0.0.1:17483")
	serve.Stdout, serve.Stderr = &output, &output
	require.NoError(t, serve.Start())
	stopped := make(chan error, 1)
	go func() { stopped <- serve.Wait() }()
	defer func() {
		// This isolation kills what it runs, so how it ends says nothing.
		require.NoError(t, serve.Process.Signal(syscall.SIGTERM))
		<-stopped //nolint:errcheck // see above
	}()
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		health := b.command(ctx, "run", "--isolation", "chroot", container, "--", "/usr/bin/policyd", "doctor", "--health")
		answer, err := health.CombinedOutput()
		if err == nil {
			return
		}
		select {
		case <-tick.C:
		case err := <-stopped:
			stopped <- err
			require.FailNowf(t, "policyd serve ended", "%v\n%s", err, &output)
		case <-ctx.Done():
			require.FailNowf(t, "never healthy", "%s\n%s", answer, &output)
		}
	}
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "env", name).Output()
	require.NoError(t, err)
	return strings.TrimSpace(string(out))
}
