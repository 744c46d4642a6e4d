package shell

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// A word outside of quotes whose text may be empty is then no word at all, and
// what stands behind it takes its place.
func TestWordsThatMayVanish(t *testing.T) {
	for _, line := range []string{
		"n=$(grep -c x f); rg -e $n -e --pre=bash b", "rg -e $(wc -l < f) -e --pre=bash b",
		"rg -e $(git merge-base a b) -e --pre=bash b", "git log -S $(grep -c x f) --grep --output=out",
		"n=$(grep -c x f); find . -name $n -path -fprint -name -o", "jq --arg v $(grep -c x f) --arg -n env . b",
		"n=$(grep -c x f); m=$n; grep $m f", "rg -e $(wc -l f) x",
	} {
		got := parse(t, line)
		last := got.Commands[len(got.Commands)-1]
		assert.True(t, last.Caveats.Has("dynamic_option"), line)
	}
	for _, line := range []string{
		"n=$(grep -c x f); rg -e \"$n\" b", "head -n $? f", "head -n $((1+2)) f", "n=$(ls | wc -l); head -n $n f",
		"head -n ${#x} f", "for i in $(grep -c x f); do head -n $i f; done", "n=3; n=$((n-1)); head -n $n f",
		"head -n 1$(grep -c x f) f",
	} {
		got := parse(t, line)
		last := got.Commands[len(got.Commands)-1]
		assert.False(t, last.Caveats.Has("dynamic_option"), line)
	}
}

// Without the only word that names a path, a program walks what it walks
// without one.
func TestVanishedPathsImplyTheDefault(t *testing.T) {
	for _, line := range []string{
		"grep -r s $(git ls-files x)", "rg s $(git rev-parse --verify x)", "git ls-files x | xargs rg s",
	} {
		assert.Contains(t, accesses(t, line), "read ./**", line)
	}
	assert.NotContains(t, accesses(t, "find src -type f | xargs -r grep -r s"), "read ./**")
	assert.NotContains(t, accesses(t, "grep -r s $(git rev-parse --verify x) src"), "read ./**")
}

// zsh leaves parameters whole, but drops them when they are empty; what a
// command prints it splits as bash does.
func TestZshWordsThatMayVanishOrSplit(t *testing.T) {
	for _, line := range []string{"[ $(cat f) ]", "test $(head -1 f) = ok", "[ $DISPLAY = a -a b ]"} {
		assert.NotEmpty(t, parseZsh(t, line).Messy, line)
	}
	for _, line := range []string{
		"sort -k $(cat f) b", "rg -e $DISPLAY -e x b", "rg -e $(true) -e x b", "rg -e ${N:-} -e x b",
		"X=$(cat f); find . -name $X -path -fprint -name x", "read -r X; rg -e $X -e x b",
	} {
		got := parseZsh(t, line)
		caveats := got.Commands[len(got.Commands)-1].Caveats
		assert.True(t, caveats.Has("dynamic_option") || caveats.Has("dynamic_word"), line)
	}
	// What the line itself leaves empty is no word for certain: -e is the pattern, x and b are files.
	got := parseZsh(t, "X=; rg -e $X -e x b")
	var read []string
	for _, access := range got.Commands[len(got.Commands)-1].Accesses {
		read = append(read, access.Op+" "+access.Text)
	}
	assert.Subset(t, read, []string{"read x", "read b"})
}

// Other separators are cut off the ends of a name that read takes.
func TestReadWithSeparators(t *testing.T) {
	followed := func(line string) bool {
		commands := parse(t, line).Commands
		return !commands[len(commands)-1].Caveats.Has("dynamic_word")
	}
	assert.True(t, followed("find src | while IFS= read -r f; do cat \"$f\"; done"))
	assert.True(t, followed("find src | while read -r f; do cat \"$f\"; done"))
	assert.False(t, followed("find src | while IFS=z read -r f; do cat \"$f\"; done"))
}

// What a program reads without an operand, or finds in a directory, it reads.
func TestReadsThatNoWordNames(t *testing.T) {
	for _, line := range []string{"nm", "size -A", "objdump -s"} {
		assert.Equal(t, "read a.out", accesses(t, line), line)
	}
	assert.Equal(t, "read b", accesses(t, "nm b"))
	assert.Equal(t, "read a/**, read d/**", accesses(t, "sdiff a d"))
}

// git runs gpg to say what a signature is worth.
func TestFormatsThatCheckSignatures(t *testing.T) {
	for line, runs := range map[string]bool{
		"git log --format='%h %G?'": true, "git log --pretty='tformat:%+GK'": true, "git show --format=%GS": true,
		"git for-each-ref --format='%(signature:grade)'": true, "git log --format='%h %s'": false, "git log --pretty=oneline": false,
		"git log --format='%gd %C(auto)%d G'": false,
	} {
		assert.Equal(t, runs, parse(t, line).Commands[0].Caveats.Has("executes"), line)
	}
}
