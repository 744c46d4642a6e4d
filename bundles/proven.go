package bundles

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"sync"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/version"
)

//go:generate go test -count=1 -run ^TestTheEmbeddedBundleIsProven$ . -update

//go:embed smoke
var smokeFiles embed.FS

// proof is what was found out of the embedded bundle where the program was built, by the
// test that writes it: that its files can be read, that the engine compiles them without
// an error, and that they pass the smoke cases. All of it follows from what the digest is
// of, so that a start need not find it out again. Another digest proves nothing.
type proof struct {
	// Digest is that of the bundle's files, of the smoke cases and of the engine's version.
	Digest string `json:"digest"`
	// Revision is what the bundle's contents are called.
	Revision string `json:"revision"`
}

const proofFile = "smoke/proof.json"

// written is the proof that the program carries; without one nothing is proven.
var written = sync.OnceValue(func() proof {
	var read proof
	content, err := smokeFiles.ReadFile(proofFile)
	if err != nil || json.Unmarshal(content, &read) != nil {
		return proof{}
	}
	return read
})

// digestOfProof is what a proof about a bundle of this content says in Digest, empty if the cases can't be
// read.
func digestOfProof(content digest) string {
	sum := sha256.New()
	sum.Write(content[:])
	for _, name := range []string{casesFile, factsFile} {
		text, err := fs.ReadFile(smokeFiles, name)
		if err != nil {
			return ""
		}
		writeField(sum, text)
	}
	writeField(sum, []byte(version.Version))
	return hex.EncodeToString(sum.Sum(nil))
}

// proven reports whether the proof is about the embedded bundle as these files have it.
func proven(content digest) bool {
	known := written().Digest
	return known != "" && known == digestOfProof(content)
}

// provenAlone reports whether the parts are the embedded bundle alone, as it was proven.
func provenAlone(parts []part) bool { return len(parts) == 1 && parts[0].proven }

// stagesProven are those of the compiler that find mistakes, or have nothing to change in
// the embedded bundle: what reorders bodies until they are safe, for one, finds them so.
var stagesProven = []ast.StageID{
	ast.StageCheckUnusedImports, ast.StageCheckKeywordOverrides, ast.StageCheckDuplicateImports, ast.StageCheckVoidCalls,
	ast.StageCheckRuleConflicts, ast.StageCheckUndefinedFuncs, ast.StageCheckSafetyRuleHeads, ast.StageCheckSafetyRuleBodies,
	ast.StageCheckRecursion, ast.StageCheckTypes, ast.StageCheckUnsafeBuiltins, ast.StageCheckDeprecatedBuiltins,
	ast.StageRewriteTemplateStrings, ast.StageRewritePrintCalls, ast.StageRewriteRegoMetadataCalls, ast.StageRewriteWithValues,
}
