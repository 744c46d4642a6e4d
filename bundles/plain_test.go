package bundles

import (
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/stretchr/testify/require"
)

func TestPlainVerbsAreSafeFormsThatNeedNothing(t *testing.T) {
	for name, test := range map[string]struct{ tables, want string }{
		"one form":             {`{"linux": {"ls": [{"form": {"-l": "none"}, "needs": {}}]}}`, `{"linux": {"ls": {"-l": "none"}}}`},
		"a form that needs":    {`{"linux": {"git": [{"form": {"-v": "none"}, "needs": {"-v": "none"}}]}}`, `{"linux": {}}`},
		"the first of several": {`{"linux": {"a": [{"form": {"-v": "none"}, "needs": {"-v": "none"}}, {"form": {"-x": "none"}, "needs": {}}, {"form": {"-y": "none"}, "needs": {}}]}}`, `{"linux": {"a": {"-x": "none"}}}`},
		"without needs":        {`{"linux": {"a": [{"form": {"-x": "none"}}]}}`, `{"linux": {}}`},
		"without a form":       {`{"linux": {"a": [{"needs": {}}]}}`, `{"linux": {}}`},
		"no list":              {`{"linux": {"a": {"form": {}, "needs": {}}}, "darwin": []}`, `{"linux": {}, "darwin": {}}`},
		"no form at all":       {`{"linux": {"a": [1, null]}}`, `{"linux": {}}`},
	} {
		t.Run(name, func(t *testing.T) {
			data := ast.MustParseTerm(`{"policyd": {"config": {"safe_verbs": ` + test.tables + `}}}`).Value.(ast.Object)
			want := ast.MustParseTerm(`{"policyd": {"config": {"plain_verbs": ` + test.want + `}}}`)
			require.Equal(t, want.String(), plainVerbs(data).String())
		})
	}
	for _, data := range []string{`{}`, `{"policyd": {"config": {"safe_verbs": [1]}}}`} {
		require.Zero(t, plainVerbs(ast.MustParseTerm(data).Value.(ast.Object)).Len(), data)
	}
}
