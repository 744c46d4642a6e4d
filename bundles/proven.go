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

// proof is the result of checks of the embedded bundle at build time, by the test that writes it: its files
// can be read, the engine compiles them without an error, and they pass the smoke cases. All of it follows
// from the content of the digest, so a start need not repeat it. For another digest it proves nothing.
type proof struct {
	// Digest covers the bundle's files, the smoke cases and the engine's version.
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

// digestOfProof is the Digest of a proof about a bundle of this content, empty if the cases can't be read.
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

// stagesProven are the compiler stages that find mistakes, or have nothing to change in the embedded bundle:
// the stage that reorders bodies until they are safe, for one, changes nothing.
var stagesProven = []ast.StageID{
	ast.StageCheckUnusedImports, ast.StageCheckKeywordOverrides, ast.StageCheckDuplicateImports, ast.StageCheckVoidCalls,
	ast.StageCheckRuleConflicts, ast.StageCheckUndefinedFuncs, ast.StageCheckSafetyRuleHeads, ast.StageCheckSafetyRuleBodies,
	ast.StageCheckRecursion, ast.StageCheckTypes, ast.StageCheckUnsafeBuiltins, ast.StageCheckDeprecatedBuiltins,
	ast.StageRewriteTemplateStrings, ast.StageRewritePrintCalls, ast.StageRewriteRegoMetadataCalls, ast.StageRewriteWithValues,
}
