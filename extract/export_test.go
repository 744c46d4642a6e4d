package extract

import "policyd/extract/shell"

// Forget drops what lines were explained as.
func (b *Base) Forget() { b.lines = shell.NewMemo(b.table) }
