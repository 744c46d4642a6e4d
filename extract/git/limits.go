package git

// Bounds on what one Inspect reads; beyond them nothing is trusted. git itself
// bounds a gitfile at 1 MiB.
const (
	maxConfigBytes      = 1 << 20
	maxGitfileBytes     = 4 << 10
	maxIndexBytes       = 64 << 20
	maxDiscoveryParents = 256
	maxRepositories     = 256
	maxRepositoryDepth  = 8
	maxDependencies     = 2048
)
