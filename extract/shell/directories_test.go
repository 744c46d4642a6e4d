package shell

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"policyd/extract/shell/host"
)

// there is a disk on which some directories and a file are there for everyone.
var there = host.Options{
	Home: "/home/dev", Cwd: "/srv/proj", Plain: func(string) bool { return true },
	Enterable: func(dir string) bool { return slices.Contains([]string{"/srv/proj", "/srv/proj/src"}, dir) },
	Readable:  func(path string) bool { return path == "/srv/proj/f" },
}

func TestDirectoriesThatAreLeftAndComeBackTo(t *testing.T) {
	for line, want := range map[string][]string{
		"cd src; cd ..; ls":                               {"/srv/proj"},
		"cd src; ls; cd ..; ls":                           {"/srv/proj"},
		"cd nosuch; cd ..; ls":                            {"/srv/proj", "/srv", "/srv/proj/nosuch"},
		"rm -rf src; cd src; cd ..; ls":                   {"/srv/proj", "/srv", "/srv/proj/src"},
		"git stash; cd src; cd ..; ls":                    {"/srv/proj", "/srv", "/srv/proj/src"},
		"while x; do cd src; cd ..; rm -rf src; done; ls": nil,
		"cd src && cd - && ls":                            {"/srv/proj"},
		"cd nosuch && cd - && ls":                         {"/srv/proj"},
		"cd src; cd -; cd -; ls":                          {"/srv/proj/src"},
		"pushd src && popd && ls":                         {"/srv/proj"},
		"pushd src && pushd /etc && popd && ls":           {"/srv/proj/src"},
		"pushd /etc; popd; ls":                            {"/srv/proj", "/etc"},
		"popd; ls":                                        nil,
		"cd -; ls":                                        nil,
		"cd $x; cd -; ls":                                 nil,
		"OLDPWD=/etc; cd src; cd -; ls":                   nil,
		"CDPATH=/etc; pushd src; ls":                      nil,
		"pushd +1; ls":                                    nil,
		"pushd; ls":                                       nil,
		"pushd src; popd -n; ls":                          nil,
		"if a; then pushd src; fi; popd; ls":              nil,
	} {
		got := newTable(t).Parse(line, there)
		c := got.Commands[len(got.Commands)-1]
		if want == nil {
			assert.True(t, c.Cwd.Others, line)
			continue
		}
		assert.ElementsMatch(t, want, c.Cwd.Known, line)
	}
	// zsh may push what cd leaves (AUTO_PUSHD).
	options := there
	options.Shell = "zsh"
	got := newTable(t).Parse("pushd src && cd /etc && popd && ls", options)
	assert.True(t, got.Commands[len(got.Commands)-1].Cwd.Others)
}

// A number is always printed where the file that is counted is there.
func TestCountsOfFilesThatAreThere(t *testing.T) {
	for line, want := range map[string]bool{
		"n=$(wc -l < f); grep -m $n x y": false, "n=$(wc -l < g); grep -m $n x y": true, "n=$(grep -c x f); grep -m $n x y": false,
		"rm f; n=$(wc -l < f); grep -m $n x y": true, "n=$(wc -l < ../proj/f); grep -m $n x y": true,
	} {
		got := newTable(t).Parse(line, there)
		assert.Equal(t, want, got.Commands[len(got.Commands)-1].Caveats.Has("dynamic_option"), line)
	}
}

// Digits that only the run can tell, in programs of sed and awk.
func TestNumbersInScripts(t *testing.T) {
	for line, want := range map[string]string{
		`n=$(wc -l < f); sed -n "${n}p" f`: "sed", `n=$(wc -l < f); sed -n "1,$((n+2))p" f`: "sed", // A number that may be missing leaves a text that prints too, or one that sed refuses.
		`n=$(wc -l < g); sed -n "${n}p" f`: "sed", `n=$(wc -l < g); sed -n "${n},$((n+9))p" f`: "sed", `n=$(wc -l < g); sed -n "1,${n}p" f`: "sed",
		`n=$(wc -l < g); sed -n "${n}e rm x" f`: "code", `n=$(wc -l < g); sed -n "$n,$n;e rm x" f`: "code", `n=$(wc -l < g); awk "NR>$n" f`: "awk",
		`n=$(wc -l < g); awk "BEGIN{print 1 >$n}" f`: "code",
		`n=$(wc -l < f); awk "NR > $n" f`:            "awk", `n=$(wc -l < f); awk "BEGIN{sys${n}tem(1)}" f`: "code", `n=$(wc -l < f); sed "s${n}e" f`: "code",
		`n=$(wc -l < f); sed "${n}w out" f`: "code", `n=$(wc -l < f); sed "1e$n" f`: "code",
	} {
		got := newTable(t).Parse(line, there)
		kind, _ := got.Commands[len(got.Commands)-1].Form.Get("<script>")
		if kind == "" {
			kind, _ = got.Commands[len(got.Commands)-1].Form.Get("<program>")
		}
		assert.Equal(t, want, kind, line)
	}
}
