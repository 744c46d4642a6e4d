// Package gitreach says what git commands print of files and commits, and what only their repository tells of them.
package gitreach

// Tables say which git commands print contents, of which commits, and what else they print. It may be used
// concurrently.
type Tables struct {
	// readers are the commands that print contents, by verb chain, walks the options that say of which commits.
	readers map[string]gitReader
	walks   *gitWalks
	// openers say which objects commands open.
	openers map[string]*opener
	Stores  *gitStores
}

// Load reads the embedded tables.
func Load() (*Tables, error) {
	readers, err := loadGitReaders()
	if err != nil {
		return nil, err
	}
	walks, err := loadGitWalks()
	if err != nil {
		return nil, err
	}
	stores, err := loadGitStores()
	if err != nil {
		return nil, err
	}
	openers, err := loadGitOpeners()
	if err != nil {
		return nil, err
	}
	return &Tables{readers: readers, walks: walks, openers: openers, Stores: stores}, nil
}
