package record

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-json"
)

// operation is one change of a mask.
type operation struct {
	pointer string
	path    []string
	upsert  bool
	value   any
}

// errNowhere states that a pointer leads nowhere: there is nothing to mask.
var errNowhere = errors.New("the pointer leads nowhere")

// apply applies the operations to the document, in their order, and collects the erased and masked pointers.
// An invalid operation is an error; one whose pointer doesn't exist changes nothing.
func (d *document) apply(operations []any) error {
	read := make([]operation, len(operations))
	for i := range operations {
		var err error
		if read[i], err = readOperation(operations[i]); err != nil {
			return fmt.Errorf("read mask: %w", err)
		}
	}
	d.Erased, d.Masked = slices.Clone(d.Erased), slices.Clone(d.Masked)
	for i := range read {
		change := &read[i]
		changed, err := change.applyTo(d.part(change.path[0]))
		switch {
		case errors.Is(err, errNowhere):
		case err != nil:
			return fmt.Errorf("apply mask %s: %w", change.pointer, err)
		default:
			*d.part(change.path[0]) = changed
			list := &d.Erased
			if change.upsert {
				list = &d.Masked
			}
			*list = append(*list, change.pointer)
		}
	}
	return nil
}

// part is the part of the document that a pointer begins with.
func (d *document) part(name string) *any {
	switch name {
	case "input":
		return &d.Input
	case "call":
		return &d.Call
	}
	return &d.Result
}

// readOperation reads a JSON pointer, which erases, or an object with op (remove,
// upsert), path and value.
func readOperation(value any) (operation, error) {
	change, is := operation{}, false
	switch value := value.(type) {
	case string:
		change.pointer = value
	case map[string]any:
		if change.pointer, is = value["path"].(string); !is {
			return operation{}, fmt.Errorf("path is %v, not a JSON pointer", value["path"])
		}
		switch value["op"] {
		case "remove":
		case "upsert":
			change.upsert = true
			if change.value, is = value["value"]; !is {
				return operation{}, errors.New("upsert has no value")
			}
		default:
			return operation{}, fmt.Errorf("op is %v, neither remove nor upsert", value["op"])
		}
	default:
		return operation{}, fmt.Errorf("%v is neither a JSON pointer nor an object", value)
	}
	rest, rooted := strings.CutPrefix(change.pointer, "/")
	if !rooted {
		return operation{}, fmt.Errorf("%q does not begin with a slash", change.pointer)
	}
	for segment := range strings.SplitSeq(rest, "/") {
		change.path = append(change.path, strings.ReplaceAll(strings.ReplaceAll(segment, "~1", "/"), "~0", "~"))
	}
	if !slices.Contains([]string{"input", "call", "result"}, change.path[0]) {
		return operation{}, fmt.Errorf("%q is not below /input, /call or /result", change.pointer)
	}
	return change, nil
}

// applyTo returns the part of the record with the change made.
func (o *operation) applyTo(part *any) (any, error) {
	if len(o.path) == 1 {
		if !o.upsert {
			return nil, nil // null is what is left of an erased part
		}
		return o.value, nil
	}
	return o.applyBelow(*part, o.path[1:])
}

// applyBelow returns a value with the change made below it.
func (o *operation) applyBelow(value any, path []string) (any, error) {
	switch value := value.(type) {
	case map[string]any:
		return o.inObject(value, path)
	case []any:
		return o.inList(value, path)
	}
	return nil, errNowhere
}

func (o *operation) inObject(members map[string]any, path []string) (any, error) {
	member, there := members[path[0]]
	switch {
	case len(path) == 1 && o.upsert:
		members[path[0]] = o.value
		return members, nil
	case !there && o.upsert:
		member = map[string]any{}
	case !there:
		return nil, errNowhere
	case len(path) == 1:
		delete(members, path[0])
		return members, nil
	}
	changed, err := o.applyBelow(member, path[1:])
	if err != nil {
		return nil, err
	}
	members[path[0]] = changed
	return members, nil
}

func (o *operation) inList(list []any, path []string) (any, error) {
	at, err := strconv.Atoi(path[0])
	if err != nil || at < 0 || at >= len(list) {
		return nil, errNowhere
	}
	switch {
	case len(path) == 1 && o.upsert:
		list[at] = o.value
		return list, nil
	case len(path) == 1:
		return slices.Delete(list, at, at+1), nil
	}
	if list[at], err = o.applyBelow(list[at], path[1:]); err != nil {
		return nil, err
	}
	return list, nil
}

// unmarshalNumbers keeps numbers as they are written.
func unmarshalNumbers(text []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	return decoder.Decode(into)
}
