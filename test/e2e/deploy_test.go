package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	v1 "policyd/api/v1"
)

// configMaps are those of deploy/kubernetes, by name.
func configMaps(t *testing.T) map[string]map[string]string {
	t.Helper()
	text, err := os.ReadFile("../../deploy/kubernetes/policyd.yaml")
	require.NoError(t, err)
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	found := map[string]map[string]string{}
	for {
		var object struct {
			Kind     string `yaml:"kind"`
			Metadata struct {
				Name string `yaml:"name"`
			} `yaml:"metadata"`
			Data yaml.Node `yaml:"data"`
		}
		err := decoder.Decode(&object)
		if errors.Is(err, io.EOF) {
			return found
		}
		require.NoError(t, err)
		if object.Kind == "ConfigMap" {
			data := map[string]string{}
			require.NoError(t, object.Data.Decode(&data))
			found[object.Metadata.Name] = data
		}
	}
}

// TestKubernetesFilesAreAccepted starts a server with what the manifests mount, in the way that a kubelet mounts
// it, and checks that the rule of their bundle decides.
func TestKubernetesFilesAreAccepted(t *testing.T) {
	maps := configMaps(t)
	t.Setenv("POD_IP", "127.0.0.1")
	settings, bundle := mounted(t, maps["policyd-settings"]), mounted(t, maps["policyd-bundle"])
	s := startServer(t, "--config", filepath.Join(settings, "policyd.yaml"), "--bundle", bundle, "--watch")
	args, err := json.Marshal(map[string]string{"url": "https://example.org/", "prompt": "x"})
	require.NoError(t, err)
	decision := s.decide(t, v1.Call{Tool: "WebFetch", Args: args, Session: v1.Session{
		ID: "s", Agent: "claude-code", Audience: v1.AudiencePersonal, Interactive: new(true),
	}})
	assert.Equal(t, v1.EffectDeny, decision.Effect)
	assert.Equal(t, []string{"no_fetch"}, codes(decision))
}

// mounted writes the files as a kubelet does: links to a directory that is swapped.
func mounted(t *testing.T, files map[string]string) string {
	t.Helper()
	require.NotEmpty(t, files)
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "..2026"), 0o755))
	require.NoError(t, os.Symlink("..2026", filepath.Join(dir, "..data")))
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "..2026", name), []byte(text), 0o644))
		require.NoError(t, os.Symlink(filepath.Join("..data", name), filepath.Join(dir, name)))
	}
	return dir
}
