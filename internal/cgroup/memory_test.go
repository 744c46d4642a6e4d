package cgroup_test

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"

	"policyd/internal/cgroup"
)

func TestMemoryLimit(t *testing.T) {
	for name, test := range map[string]struct {
		files map[string]string
		want  int64
		found bool
	}{
		"no control groups": {},
		"version 2 in a container": {
			map[string]string{"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "268435456\n"}, 268435456, true,
		},
		"version 2 without a limit": {
			map[string]string{"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "max\n"}, 0, false,
		},
		"version 2, the least of those above": {map[string]string{
			"proc/self/cgroup":                                        "0::/kubepods.slice/pod1/container\n",
			"sys/fs/cgroup/kubepods.slice/memory.max":                 "1000000000\n",
			"sys/fs/cgroup/kubepods.slice/pod1/memory.max":            "300000000\n",
			"sys/fs/cgroup/kubepods.slice/pod1/container/memory.max":  "max\n",
			"sys/fs/cgroup/kubepods.slice/another/memory.max":         "1\n",
			"sys/fs/cgroup/kubepods.slice/pod1/container/memory.high": "2\n",
		}, 300000000, true},
		"version 2, with the host's path": {
			map[string]string{"proc/self/cgroup": "0::/../../docker/abc\n", "sys/fs/cgroup/memory.max": "5000\n"}, 5000, true,
		},
		"version 1": {map[string]string{
			"proc/self/cgroup": "5:cpu,cpuacct:/docker/abc\n4:memory:/docker/abc\n",
			"sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes": "536870912\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes":            "9223372036854771712\n",
		}, 536870912, true},
		"version 1 without a limit": {map[string]string{
			"proc/self/cgroup":                           "4:memory:/docker/abc\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
		}, 0, false},
		"both versions at once": {map[string]string{
			"proc/self/cgroup":                           "4:memory:/\n0::/\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "700\n", "sys/fs/cgroup/memory.max": "max",
		}, 700, true},
		"nonsense": {map[string]string{"proc/self/cgroup": "x\n\n0::\n::::\n", "sys/fs/cgroup/memory.max": "-1"}, 0, false},
	} {
		files := fstest.MapFS{}
		for path, text := range test.files {
			files[path] = &fstest.MapFile{Data: []byte(text)}
		}
		got, found := cgroup.MemoryLimit(files)
		assert.Equal(t, test.found, found, name)
		if found {
			assert.Equal(t, test.want, got, name)
		}
	}
}

// FuzzMemoryLimit checks that a limit is a number that was written, whatever the kernel's files say.
func FuzzMemoryLimit(f *testing.F) {
	f.Add("0::/a/b\n", "100", "max")
	f.Add("4:memory:/../a\n", "9223372036854771712", "7")
	f.Fuzz(func(t *testing.T, groups, top, below string) {
		limit, found := cgroup.MemoryLimit(fstest.MapFS{
			"proc/self/cgroup":                           {Data: []byte(groups)},
			"sys/fs/cgroup/memory.max":                   {Data: []byte(top)},
			"sys/fs/cgroup/a/memory.max":                 {Data: []byte(below)},
			"sys/fs/cgroup/memory/memory.limit_in_bytes": {Data: []byte(top)},
		})
		if found && limit <= 0 {
			t.Fatalf("%d", limit)
		}
	})
}
