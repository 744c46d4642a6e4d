package shell

import "policyd/extract/argv"

// Table is the program table by which lines are parsed. It is safe for concurrent use.
type Table struct {
	*argv.Table
	meanings map[string]meaning
}

// NewTable returns the embedded program table.
func NewTable() (*Table, error) {
	programs, err := argv.NewTable()
	if err != nil {
		return nil, err
	}
	return &Table{programs, meanings(&programs.Words.Operands)}, nil
}

// With returns a table that has the programs of an operator as well; see argv.Table.With.
func (t *Table) With(entries map[string]any) (*Table, error) {
	programs, err := t.Table.With(entries)
	if err != nil {
		return nil, err
	}
	return &Table{programs, t.meanings}, nil
}
