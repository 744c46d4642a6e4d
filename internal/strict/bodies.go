package strict

import v1 "policyd/api/v1"

// nothingOpaque is for bodies in which null means nothing anywhere.
func nothingOpaque(string) bool { return false }

// DecodeSession reads the body of PUT /v1/sessions/{id}. The error is an *Error.
func DecodeSession(data []byte) (*v1.Session, error) {
	session, err := decode[v1.Session](data, nothingOpaque)
	if err != nil {
		return nil, err
	}
	if err := checkSession(session, data, ""); err != nil {
		return nil, err
	}
	return session, nil
}

// DecodeApproval decodes the body of POST /v1/approvals, in which a directory may be null as in lists of
// approvals: null means anywhere. The error is an *Error.
func DecodeApproval(data []byte) (*v1.ApprovalRequest, error) {
	return decode[v1.ApprovalRequest](data, func(pointer string) bool { return pointer == "/directory" })
}

// Decode reads a body that is checked elsewhere. The error is an *Error.
func Decode[T any](data []byte) (*T, error) { return decode[T](data, nothingOpaque) }
