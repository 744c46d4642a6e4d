package bundles

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/open-policy-agent/opa/v1/bundle"
)

const manifestName = ".manifest"

var _ bundle.DirectoryLoader = (*checkedLoader)(nil)

// checkedLoader hands on the files of a bundle, and refuses what OPA's reader would
// skip, or would complain of without saying where.
type checkedLoader struct {
	bundle.DirectoryLoader
	name string
	read int
	seen map[string]bool
}

// NextFile implements bundle.DirectoryLoader.
func (l *checkedLoader) NextFile() (*bundle.Descriptor, error) {
	file, err := l.DirectoryLoader.NextFile()
	if err != nil {
		return nil, err // io.EOF ends the files, and must stay itself
	}
	defer file.Close()
	name := strings.TrimPrefix(path.Clean(file.Path()), "/")
	if l.seen[name] {
		// An archive can hold a name twice, and the second would quietly replace the first.
		return nil, fmt.Errorf("%s stands twice in the bundle", path.Join(l.name, name))
	}
	l.seen[name] = true
	var content bytes.Buffer
	if _, err := file.Read(&content, maxBundleBytes+1); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read %s: %w", path.Join(l.name, name), err)
	}
	l.read += content.Len()
	if l.read > maxBundleBytes {
		return nil, fmt.Errorf("read %s: files sum up to more than %d bytes", path.Join(l.name, name), maxBundleBytes)
	}
	if err := checkFile(name, content.Bytes()); err != nil {
		return nil, fmt.Errorf("%s%w", path.Join(l.name, name), err)
	}
	return bundle.NewDescriptor(file.URL(), file.Path(), &content), nil
}

// checkFile refuses single files. Its errors begin with what follows a file name.
func checkFile(name string, content []byte) error {
	base := path.Base(name)
	switch base {
	case bundle.WasmFile, bundle.PlanFile, bundle.PlanProtoFile, "patch.json":
		return errors.New(": only Rego modules and data can be loaded")
	case manifestName:
		if err := checkJSON(content, new(any)); err != nil {
			return err
		}
		// A misspelt key would leave the roots open to everything.
		return checkJSON(content, new(bundle.Manifest))
	case "data.json":
		if err := checkJSON(content, new(any)); err != nil {
			return err
		}
	}
	if strings.HasPrefix(name, siteRoot+"/") && (base == "data.json" || bundle.IsYAMLDataFile(base)) {
		return fmt.Errorf(": data below %s would pose as rules; it belongs below %s", siteRoot, siteDataRoot)
	}
	return nil
}

func checkJSON(content []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(into)
	var offset int64
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &kind):
		offset = kind.Offset
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		offset = int64(len(content))
	default: // an unknown key: the decoder stands behind it
		offset = decoder.InputOffset()
	}
	row := 1 + bytes.Count(content[:min(int(offset), len(content))], []byte("\n"))
	return fmt.Errorf(":%d: %w", row, err)
}
