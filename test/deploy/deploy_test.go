// Package deploy holds that the files of deploy/ are what their programs take.
// It is a module of its own, so that the types of Kubernetes and Compose never
// reach the program's dependencies.
package deploy

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/compose-spec/compose-go/v2/loader"
	"github.com/compose-spec/compose-go/v2/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

const (
	manifests = "../../deploy/kubernetes/policyd.yaml"
	compose   = "../../deploy/compose.yaml"
	// group owns the socket's directory: the image's user.
	group = 65532
)

// readManifests decodes every document as the API server would: an unknown field
// is an error.
func readManifests(t *testing.T) map[string]runtime.Object {
	t.Helper()
	text, err := os.ReadFile(manifests)
	require.NoError(t, err)
	reader := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
	found := map[string]runtime.Object{}
	for {
		document, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return found
		}
		require.NoError(t, err)
		var kind struct {
			Kind     string `json:"kind"`
			Metadata struct {
				Name string `json:"name"`
			} `json:"metadata"`
		}
		require.NoError(t, yaml.Unmarshal(document, &kind))
		object := map[string]runtime.Object{
			"ConfigMap": &core.ConfigMap{}, "Deployment": &apps.Deployment{},
			"PersistentVolumeClaim": &core.PersistentVolumeClaim{}, "NetworkPolicy": &networking.NetworkPolicy{},
		}[kind.Kind]
		require.NotNilf(t, object, "kind %s", kind.Kind)
		require.NoErrorf(t, yaml.UnmarshalStrict(document, object), "%s %s", kind.Kind, kind.Metadata.Name)
		assert.Empty(t, validation.IsDNS1123Subdomain(kind.Metadata.Name))
		found[kind.Kind+"/"+kind.Metadata.Name] = object
	}
}

func TestManifestsAreConsistent(t *testing.T) {
	found := readManifests(t)
	require.Contains(t, found, "Deployment/agent")
	pod := found["Deployment/agent"].(*apps.Deployment).Spec.Template.Spec
	require.Len(t, pod.InitContainers, 1)
	require.Len(t, pod.Containers, 1)
	sidecar, agent := pod.InitContainers[0], pod.Containers[0]
	volumes := map[string]core.Volume{}
	for _, volume := range pod.Volumes {
		volumes[volume.Name] = volume
		if volume.ConfigMap != nil {
			require.Contains(t, found, "ConfigMap/"+volume.ConfigMap.Name)
			for key := range found["ConfigMap/"+volume.ConfigMap.Name].(*core.ConfigMap).Data {
				assert.Empty(t, validation.IsConfigMapKey(key))
			}
		}
		if volume.PersistentVolumeClaim != nil {
			assert.Contains(t, found, "PersistentVolumeClaim/"+volume.PersistentVolumeClaim.ClaimName)
		}
	}
	for _, container := range []core.Container{sidecar, agent} {
		for _, mount := range container.VolumeMounts {
			assert.Contains(t, volumes, mount.Name)
		}
		assert.False(t, *container.SecurityContext.AllowPrivilegeEscalation)
		assert.Equal(t, []core.Capability{"ALL"}, container.SecurityContext.Capabilities.Drop)
	}
	assert.Equal(t, core.ContainerRestartPolicyAlways, *sidecar.RestartPolicy, "a sidecar outlives the start")
	assert.True(t, *sidecar.SecurityContext.ReadOnlyRootFilesystem)
	// C4: the example separates what a decision point alone can't.
	assert.NotEqual(t, *sidecar.SecurityContext.RunAsUser, *agent.SecurityContext.RunAsUser, "a user each")
	assert.EqualValues(t, group, *pod.SecurityContext.FSGroup)
	assert.False(t, *pod.AutomountServiceAccountToken)
	held := map[string]bool{}
	for _, mount := range sidecar.VolumeMounts {
		held[mount.Name] = mount.ReadOnly
	}
	for _, mount := range agent.VolumeMounts {
		readOnly, shared := held[mount.Name]
		assert.NotContains(t, []string{"state", "settings", "bundle"}, mount.Name, "P6: out of the agent's reach")
		if shared {
			assert.NotEqualf(t, mount.ReadOnly, readOnly, "%s is written on one side alone", mount.Name)
		}
	}
	policy := found["NetworkPolicy/agent"].(*networking.NetworkPolicy).Spec
	assert.Equal(t, found["Deployment/agent"].(*apps.Deployment).Spec.Template.Labels, policy.PodSelector.MatchLabels)
	require.Len(t, policy.Ingress, 1, "metrics, and nothing else")
	require.Len(t, policy.Ingress[0].Ports, 1)
	assert.EqualValues(t, sidecar.Ports[0].ContainerPort, policy.Ingress[0].Ports[0].Port.IntValue())
	assert.NotEmpty(t, policy.Ingress[0].From)
	assert.Len(t, policy.PolicyTypes, 2)
}

// TestManifestsCanBeOperated checks that the sidecar's image has a version, that it is probed over the
// address it listens on, that its metrics can be scraped, and that its state outlives the pod without a
// database.
func TestManifestsCanBeOperated(t *testing.T) {
	found := readManifests(t)
	template := found["Deployment/agent"].(*apps.Deployment).Spec.Template
	sidecar := template.Spec.InitContainers[0]
	assert.Regexp(t, `:[0-9]+\.[0-9]+\.[0-9]+$`, sidecar.Image)
	require.Len(t, sidecar.Ports, 1)
	port := strconv.Itoa(int(sidecar.Ports[0].ContainerPort))
	settings := found["ConfigMap/policyd-settings"].(*core.ConfigMap).Data["policyd.yaml"]
	assert.Contains(t, settings, `addr: "${POD_IP}:`+port+`"`)
	assert.Contains(t, settings, "metrics: {access: open}")
	assert.Equal(t, map[string]string{"prometheus.io/scrape": "true", "prometheus.io/port": port, "prometheus.io/path": "/metrics"}, template.Annotations)
	for name, probe := range map[string]*core.Probe{"/readyz": sidecar.ReadinessProbe, "/livez": sidecar.LivenessProbe} {
		require.NotNil(t, probe, name)
		require.NotNil(t, probe.HTTPGet, name)
		assert.Equal(t, name, probe.HTTPGet.Path)
		assert.Equal(t, sidecar.Ports[0].Name, probe.HTTPGet.Port.StrVal)
	}
	for _, variable := range sidecar.Env {
		assert.NotEqual(t, "POLICYD_STORE", variable.Name, "a database is no requirement")
	}
	for _, volume := range template.Spec.Volumes {
		if volume.Name == "state" {
			assert.NotNil(t, volume.PersistentVolumeClaim)
		}
	}
}

// TestManifestsAreStrict checks that the decoder above finds a misspelt field.
func TestManifestsAreStrict(t *testing.T) {
	var claim core.PersistentVolumeClaim
	assert.Error(t, yaml.UnmarshalStrict([]byte("spec: {accessMode: [ReadWriteOnce]}"), &claim))
}

func loadCompose(t *testing.T, environment types.Mapping) (*types.Project, error) {
	t.Helper()
	path, err := filepath.Abs(compose)
	require.NoError(t, err)
	return loader.LoadWithContext(t.Context(), types.ConfigDetails{
		WorkingDir: filepath.Dir(path), Environment: environment,
		ConfigFiles: []types.ConfigFile{{Filename: path}},
	})
}

func TestComposeIsConsistent(t *testing.T) {
	project, err := loadCompose(t, types.Mapping{"PROJECT": "/srv/project", "AGENT_IMAGE": "agent"})
	require.NoError(t, err)
	sidecar, agent := project.Services["policyd"], project.Services["agent"]
	assert.True(t, sidecar.ReadOnly)
	assert.Equal(t, "none", sidecar.NetworkMode)
	assert.Equal(t, []string{"ALL"}, sidecar.CapDrop)
	assert.NotEqual(t, sidecar.User, agent.User, "a user each")
	assert.Equal(t, []string{"65532"}, agent.GroupAdd)
	writable := map[string]int{}
	for _, service := range []types.ServiceConfig{sidecar, agent} {
		for _, volume := range service.Volumes {
			if !volume.ReadOnly {
				writable[volume.Source]++
			}
		}
	}
	assert.Equal(t, map[string]int{"/srv/project": 1, "agent-home": 1, "socket": 1, "state": 1}, writable,
		"every place is written on one side alone")
	for _, volume := range agent.Volumes {
		assert.NotEqual(t, "state", volume.Source, "P6: out of the agent's reach")
	}
}

// TestComposeReportsWhatIsMissing checks that a project has to be named.
func TestComposeReportsWhatIsMissing(t *testing.T) {
	_, err := loadCompose(t, types.Mapping{})
	require.Error(t, err)
}
