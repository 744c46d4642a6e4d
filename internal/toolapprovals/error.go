package toolapprovals

// OldError means that a file is of version 1, which has no directories: every reading of its entries could be
// more than was approved.
type OldError struct{}

func (*OldError) Error() string {
	return "it is of version 1, whose approvals name no directories, so what they allow can't be told"
}

// InvalidError states that a file can't be read. Pointer is the JSON pointer (RFC 6901) of the value that is
// wrong, empty for the file as a whole.
type InvalidError struct {
	Pointer string
	Reason  string
}

func (e *InvalidError) Error() string {
	if e.Pointer == "" {
		return e.Reason
	}
	return e.Pointer + ": " + e.Reason
}

var (
	_ error = (*OldError)(nil)
	_ error = (*InvalidError)(nil)
)
