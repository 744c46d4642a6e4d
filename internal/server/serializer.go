package server

import (
	"errors"
	"fmt"

	"github.com/goccy/go-json"
	"github.com/labstack/echo/v4"
)

// serializer writes answers. It reads nothing: requests are decoded strictly.
type serializer struct{}

var _ echo.JSONSerializer = serializer{}

// Serialize writes value and a line feed in one write.
func (serializer) Serialize(c echo.Context, value any, indent string) error {
	encoder := json.NewEncoder(c.Response())
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", indent)
	if err := encoder.Encode(value); err != nil {
		return fmt.Errorf("encode answer: %w", err)
	}
	return nil
}

// Deserialize is never allowed.
func (serializer) Deserialize(echo.Context, any) error {
	return errors.New("decode request: only the strict decoder reads requests")
}
