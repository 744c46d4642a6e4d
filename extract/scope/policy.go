package scope

import (
	v1 "policyd/api/v1"
	"policyd/extract/disk"
	"policyd/extract/git/history"
	"policyd/extract/git/trust"
	"policyd/extract/lists"
	"policyd/extract/paths"
)

// Policy is what counts for each call of a policy snapshot, and what is remembered from call to call.
type Policy struct {
	Lists *lists.Lists
	// Own and Protected are the real names of what is policyd's own: links on the way may have been pointed
	// elsewhere since the start.
	Own, Protected []string
	// Home is the sidecar's own home directory.
	Home string
	Git  *trust.Reader
	// Past is what commits hold of secret files.
	Past *history.Past
	// Clients are the catalog's names of the programs that agents call themselves.
	Clients map[string]string
	// GitFiles and GitDirectories are names below a repository's own directory that may hold credentials.
	GitFiles, GitDirectories []string

	homes     disk.Memory[[]lists.Root]
	rootNames rootNames
}

// ownProtected notes a file of policyd's own that is protected, if a path is one or lies below it.
func (p *Policy) ownProtected(real string, class *v1.Form) {
	for _, file := range p.Protected {
		if paths.FoldedWithin(real, file) {
			class.Put(protectedAlways, file)
		}
	}
}
