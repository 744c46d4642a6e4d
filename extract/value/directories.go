package value

// Directories are the directories that something may happen in.
type Directories struct {
	Known []string
	// Others is true if others are possible, too.
	Others bool
}

// Complete reports whether the directories are known, all of them.
func (d *Directories) Complete() bool { return !d.Others && len(d.Known) > 0 }

// Single reports whether there is one directory, and no other.
func (d *Directories) Single() bool { return !d.Others && len(d.Known) == 1 }

// Only reports whether a directory is the one that there is.
func (d *Directories) Only(directory string) bool { return d.Single() && d.Known[0] == directory }
