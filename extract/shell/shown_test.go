package shell

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// S2: a line shows what the environment holds by other ways than its words, too.
func TestValuesThatAreShownOtherwise(t *testing.T) {
	for _, line := range []string{
		"set -x; [ -n \"$CANARY\" ]", "[ -n \"$CANARY\" ]; set -eux", "set -x; y=$CANARY", "f() { [ \"$CANARY\" ]; }; set -x; f",
		"bash -c 'set -x; [[ $CANARY ]]'", "[[ $CANARY =~ .+ ]] && echo \"$BASH_REMATCH\"", "y=$CANARY; [[ $y =~ (.) ]] && ls",
		"for c in a b; do case $CANARY in $c*) echo $c;; esac; done", "case $CANARY in a*) ls;; esac", "[[ $CANARY == ?a* ]] && ls",
		"for c in 'a*' b; do [[ $CANARY == $c ]] && ls; done", "[[ $CANARY < m ]] && ls", "[ \"$CANARY\" \\< m ] && ls",
		"[ \"${CANARY:0:1}\" = a ] && ls", "y=${CANARY#a}; [ \"$y\" = \"$CANARY\" ] && ls", "[ -z \"${CANARY##a*}\" ] && ls",
		"y=${CANARY#a}; echo ${#y}", "for c in a b; do case $c in [$CANARY]) echo $c;; esac; done", "[[ a == [\"$CANARY\"] ]] && ls", "[[ a == $CANARY ]]", "case ${CANARY%b} in x) ls;; esac",
	} {
		assert.NotEmptyf(t, parse(t, line).Messy, "%q", line)
	}
	for _, line := range []string{
		"set -x; ls", "set -x; y=a; [ -n \"$y\" ] && ls $HOME", "set +x; [ -n \"$CANARY\" ]", "set -x; echo $? $# $HOSTNAME",
		"[ -n \"$CANARY\" ]", "[ \"$CANARY\" = prod ]", "[[ $CANARY == prod ]]", "[[ a == \"$CANARY\" ]]", "[ \"${CANARY:-x}\" != x ]", "echo ${#CANARY}",
		"case $CANARY in prod|\"\") ls;; *) ls;; esac", "y=a.b; [[ ${y%.*} == a* ]] && ls", "case $OSTYPE in darwin*) ls;; esac",
		"while read -r y; do [[ $y =~ ^(a+) ]] && echo \"${BASH_REMATCH[1]}\"; done < f",
	} {
		assert.Emptyf(t, parse(t, line).Messy, "%q", line)
	}
}
