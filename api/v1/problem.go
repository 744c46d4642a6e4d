package v1

// Problem is the body of every error answer (RFC 9457, application/problem+json).
// Its zero Decision denies, so that a careless client fails closed.
type Problem struct {
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail"`
	// Code is stable, for machines.
	Code     string `json:"code"`
	Decision Effect `json:"decision"`
}
