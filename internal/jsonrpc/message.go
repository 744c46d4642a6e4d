package jsonrpc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"
)

// Kind is what a message is.
type Kind int

// Kinds of messages. The zero value is no message.
const (
	None Kind = iota
	Request
	Notification
	Response
)

// Message is one message. Its parts share memory with the line that it was read from.
type Message struct {
	Kind   Kind
	Method string
	// ID is the id as it was written, nil for a notification.
	ID []byte
	// Params, Result and Error are values as they were written, nil for none.
	Params, Result, Error []byte
	// At is where the value of params begins in the line.
	At int
	// Raw is the whole message.
	Raw []byte
}

// Codes of JSON-RPC errors.
const (
	CodeParse          = -32700
	CodeInvalidRequest = -32600
	CodeUnknownMethod  = -32601
	CodeInvalidParams  = -32602
	// CodeRefused is the first code that JSON-RPC leaves to servers.
	CodeRefused = -32000
)

// FaultError is the reason why a line can't be forwarded. ID is that of the message, nil if it isn't known
// for certain.
type FaultError struct {
	Code    int
	Message string
	ID      []byte
}

var _ error = (*FaultError)(nil)

func (f *FaultError) Error() string { return f.Message }

// MaxBatch bounds the messages of one batch.
const MaxBatch = 100

// Read parses a line, with or without its line end. A blank line has no messages. batch reports whether they
// were in an array. The error is a *FaultError.
func Read(line []byte) (messages []Message, batch bool, err error) {
	text := trimEnd(line)
	if len(bytes.TrimLeft(text, " \t")) == 0 {
		return nil, false, nil
	}
	// Some readers end a line at a lone carriage return, and would read another
	// message than the one that is here.
	if bytes.IndexByte(text, '\r') >= 0 {
		return nil, false, &FaultError{Code: CodeParse, Message: "the line contains a carriage return"}
	}
	r := reader{text: text, decoder: jsontext.NewDecoder(bytes.NewBuffer(text))}
	messages, batch, err = r.whole()
	if err != nil {
		return nil, batch, err
	}
	return messages, batch, nil
}

func trimEnd(line []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte{'\n'}), []byte{'\r'})
}

type reader struct {
	text    []byte
	decoder *jsontext.Decoder
}

func (r *reader) whole() (messages []Message, batch bool, err error) {
	switch r.decoder.PeekKind() {
	case '[':
		batch = true
		messages, err = r.array()
	case '{':
		var message Message
		message, err = r.message()
		messages = []Message{message}
	default:
		if _, err := r.decoder.ReadValue(); err != nil {
			return nil, false, broken(err)
		}
		return nil, false, &FaultError{Code: CodeInvalidRequest, Message: "the line is no JSON object"}
	}
	if err != nil {
		return nil, batch, err
	}
	if _, err := r.decoder.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, batch, &FaultError{Code: CodeParse, Message: "something follows the message on its line"}
	}
	return messages, batch, nil
}

func (r *reader) array() ([]Message, error) {
	if _, err := r.decoder.ReadToken(); err != nil {
		return nil, broken(err)
	}
	messages := []Message{}
	for r.decoder.PeekKind() != ']' {
		if len(messages) == MaxBatch {
			return nil, &FaultError{Code: CodeInvalidRequest, Message: fmt.Sprintf("a batch holds more than %d messages", MaxBatch)}
		}
		if kind := r.decoder.PeekKind(); kind != '{' && kind != 0 {
			return nil, &FaultError{Code: CodeInvalidRequest, Message: "a batch holds something else than messages"}
		}
		message, err := r.message()
		if err != nil {
			return nil, err
		}
		messages = append(messages, message)
	}
	if _, err := r.decoder.ReadToken(); err != nil {
		return nil, broken(err)
	}
	if len(messages) == 0 {
		return nil, &FaultError{Code: CodeInvalidRequest, Message: "a batch is empty"}
	}
	return messages, nil
}

// message reads one message. A fault names its id once the whole object is
// known to have no other.
func (r *reader) message() (Message, error) {
	var m Message
	if _, err := r.decoder.ReadToken(); err != nil {
		return Message{}, broken(err)
	}
	begin := int(r.decoder.InputOffset()) - 1
	var fault *FaultError
	for r.decoder.PeekKind() != '}' {
		name, err := r.decoder.ReadToken()
		if err != nil {
			return Message{}, broken(err)
		}
		key := name.String()
		value, err := r.decoder.ReadValue()
		if err != nil {
			return Message{}, broken(err)
		}
		end := int(r.decoder.InputOffset())
		if text := m.take(key, r.text[end-len(value):end:end], end-len(value)); text != "" && fault == nil {
			fault = &FaultError{Code: CodeInvalidRequest, Message: text}
		}
	}
	if _, err := r.decoder.ReadToken(); err != nil {
		return Message{}, broken(err)
	}
	end := int(r.decoder.InputOffset())
	m.Raw = r.text[begin:end:end]
	if fault == nil {
		fault = m.classify()
	}
	if fault != nil {
		fault.ID = m.ID
		return Message{}, fault
	}
	return m, nil
}

// take parses one member, and returns what is wrong with it.
func (m *Message) take(key string, value []byte, at int) (wrong string) {
	switch key {
	case "jsonrpc":
	case "id":
		if !bytes.ContainsRune([]byte(`"-n0123456789`), rune(value[0])) {
			return "the id is neither a string nor a number"
		}
		m.ID = value
	case "method":
		text, err := jsontext.AppendUnquote(nil, value)
		if err != nil || value[0] != '"' || len(text) == 0 {
			return "the method is no text"
		}
		m.Method = string(text)
		if bytes.ContainsFunc(text, unicode.IsControl) {
			return "the method holds control characters"
		}
	case "params":
		m.Params, m.At = value, at
	case "result":
		m.Result = value
	case "error":
		m.Error = value
	default:
		return fmt.Sprintf("the message has a member %q, which JSON-RPC doesn't know", short(key))
	}
	return ""
}

func (m *Message) classify() *FaultError {
	answers := m.Result != nil || m.Error != nil
	switch {
	case m.Method != "" && answers:
		return &FaultError{Code: CodeInvalidRequest, Message: "the message is a request and an answer at once"}
	case m.Result != nil && m.Error != nil:
		return &FaultError{Code: CodeInvalidRequest, Message: "the message has a result and an error"}
	case m.Method != "" && m.ID != nil:
		m.Kind = Request
	case m.Method != "":
		m.Kind = Notification
	case answers && m.ID != nil && m.Params == nil:
		m.Kind = Response
	default:
		return &FaultError{Code: CodeInvalidRequest, Message: "the message is neither a request nor an answer"}
	}
	return nil
}

// broken is the fault of text that isn't JSON, or that readers could parse differently.
func broken(err error) *FaultError {
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) {
		return &FaultError{Code: CodeParse, Message: fmt.Sprintf("byte %d: %v", syntax.ByteOffset, syntax.Err)}
	}
	return &FaultError{Code: CodeParse, Message: "the message ends early"}
}

// short keeps what is quoted in an error readable.
func short(text string) string {
	const most = 60
	if len(text) <= most {
		return text
	}
	return text[:most] + "…"
}
