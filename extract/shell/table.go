package shell

import "policyd/extract/argv"

// Table is the program table by which lines are parsed. It is safe for concurrent use.
type Table struct{ *argv.Table }

// NewTable returns the embedded program table.
func NewTable() (*Table, error) {
	programs, err := argv.NewTable()
	return &Table{programs}, err
}

// With returns a table that has the programs of an operator as well; see argv.Table.With.
func (t *Table) With(entries map[string]any) (*Table, error) {
	programs, err := t.Table.With(entries)
	if err != nil {
		return nil, err
	}
	return &Table{programs}, nil
}
