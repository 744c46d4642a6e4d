package bundles

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/open-policy-agent/opa/v1/bundle"
)

const manifestName = ".manifest"

// gather reads the files of a bundle, and refuses what OPA's reader silently accepts: too many bytes, and
// duplicate names.
func gather(loader bundle.DirectoryLoader, bundleName string) ([]file, error) {
	var files []file
	seen, total := map[string]bool{}, 0
	var buffer bytes.Buffer
	for {
		next, err := loader.NextFile()
		if errors.Is(err, io.EOF) {
			return files, nil
		}
		if err != nil {
			return nil, err
		}
		name := strings.TrimPrefix(path.Clean(next.Path()), "/")
		if seen[name] {
			// An archive can contain a name twice, and the second would silently replace the first.
			return nil, fmt.Errorf("%s is repeated in the bundle", path.Join(bundleName, name))
		}
		seen[name] = true
		content, err := readAll(next, &buffer)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", path.Join(bundleName, name), err)
		}
		if total += len(content); total > maxBundleBytes {
			return nil, fmt.Errorf("read %s: files sum up to more than %d bytes", path.Join(bundleName, name), maxBundleBytes)
		}
		files = append(files, file{name, content})
	}
}

func readAll(f *bundle.Descriptor, buffer *bytes.Buffer) ([]byte, error) {
	defer f.Close()
	buffer.Reset()
	if _, err := f.Read(buffer, maxBundleBytes+1); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return bytes.Clone(buffer.Bytes()), nil
}

// digest is one of names and contents.
type digest [sha256.Size]byte

func digestOf(files []file) digest {
	sum := sha256.New()
	for _, one := range files {
		writeField(sum, []byte(one.name))
		writeField(sum, one.content)
	}
	return digest(sum.Sum(nil))
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
	default: // an unknown key: the decoder follows it
		offset = decoder.InputOffset()
	}
	row := 1 + bytes.Count(content[:min(int(offset), len(content))], []byte("\n"))
	return fmt.Errorf(":%d: %w", row, err)
}
