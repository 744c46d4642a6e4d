package bundles

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/bundle"
	"github.com/open-policy-agent/opa/v1/util"
)

// signaturesName is the file with a bundle's signature.
const signaturesName = ".signatures.json"

// Packing states how a bundle is packed.
type Packing struct {
	// Revision replaces that of the manifest; empty leaves it.
	Revision string
	// Signing is nil for none. KeyID names the key in the signature.
	Signing *bundle.SigningConfig
	KeyID   string
}

// Pack makes a .tar.gz bundle of a directory. It contains the files that a server would read there, in order
// of their names and without times, so that the same files give the same bytes. It doesn't check their
// content; New does.
func Pack(dir string, packing Packing) ([]byte, error) {
	files, err := listFiles(dir)
	if err != nil {
		return nil, fmt.Errorf("read bundle %s: %w", dir, err)
	}
	if packing.Revision != "" {
		if err := setRevision(files, packing.Revision); err != nil {
			return nil, fmt.Errorf("set revision of %s: %w", dir, err)
		}
	}
	if packing.Signing != nil {
		if files, err = signed(files, packing); err != nil {
			return nil, fmt.Errorf("sign bundle %s: %w", dir, err)
		}
	}
	return archiveOf(files)
}

// listFiles reads the files of a bundle, and its signature. A link to a directory can't be followed; the
// reader that checks the bundle reports it.
func listFiles(dir string) ([]file, error) {
	var files []file
	root := os.DirFS(dir)
	err := fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case strings.HasPrefix(entry.Name(), ".") && name != "." && name != manifestName && name != signaturesName:
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case entry.IsDir() || !partOfBundle(name):
			return nil
		}
		content, err := fs.ReadFile(root, name)
		files = append(files, file{name, content})
		return err
	})
	if err == nil && len(files) == 0 {
		err = errors.New("it holds neither rules nor data")
	}
	return files, err
}

// partOfBundle states which files OPA's reader looks at; the others are left out.
func partOfBundle(name string) bool {
	base := path.Base(name)
	return name == manifestName || name == signaturesName || strings.HasSuffix(name, bundle.RegoExt) ||
		base == "data.json" || bundle.IsYAMLDataFile(base)
}

func setRevision(files []file, revision string) error {
	at := slices.IndexFunc(files, func(f file) bool { return f.name == manifestName })
	if at < 0 {
		return errors.New("there is no " + manifestName)
	}
	if slices.ContainsFunc(files, func(f file) bool { return f.name == signaturesName }) {
		return errors.New("it is signed, and would not be any more; sign it after that")
	}
	var manifest map[string]json.RawMessage
	if err := json.Unmarshal(files[at].content, &manifest); err != nil {
		return fmt.Errorf("read %s: %w", manifestName, err)
	}
	said, err := json.Marshal(revision)
	if err != nil {
		return err
	}
	manifest["revision"] = said
	files[at].content, err = json.Marshal(manifest)
	return err
}

// signed returns the files with a signature over all of them.
func signed(files []file, packing Packing) ([]file, error) {
	files = slices.DeleteFunc(files, func(f file) bool { return f.name == signaturesName })
	hasher, err := bundle.NewSignatureHasher(bundle.SHA256)
	if err != nil {
		return nil, err
	}
	infos := make([]bundle.FileInfo, 0, len(files))
	for _, f := range files {
		var value any = f.content
		if bundle.IsStructuredDoc(f.name) {
			value = nil
			if err := util.Unmarshal(f.content, &value); err != nil {
				return nil, fmt.Errorf("read %s: %w", f.name, err)
			}
		}
		digest, err := hasher.HashFile(value)
		if err != nil {
			return nil, err
		}
		infos = append(infos, bundle.NewFile(f.name, hex.EncodeToString(digest), string(bundle.SHA256)))
	}
	token, err := bundle.GenerateSignedToken(infos, packing.Signing, packing.KeyID)
	if err != nil {
		return nil, err
	}
	content, err := json.Marshal(bundle.SignaturesConfig{Signatures: []string{token}})
	if err != nil {
		return nil, err
	}
	return append(files, file{signaturesName, content}), nil
}

// Sign makes the content of .signatures.json for a directory, over the files that Pack
// would pack.
func Sign(dir string, packing Packing) ([]byte, error) {
	files, err := listFiles(dir)
	if err != nil {
		return nil, fmt.Errorf("read bundle %s: %w", dir, err)
	}
	if files, err = signed(files, packing); err != nil {
		return nil, fmt.Errorf("sign bundle %s: %w", dir, err)
	}
	return files[len(files)-1].content, nil
}

func archiveOf(files []file) ([]byte, error) {
	var out bytes.Buffer
	packed := gzip.NewWriter(&out)
	tape := tar.NewWriter(packed)
	for _, f := range files {
		header := &tar.Header{Name: f.name, Mode: 0o644, Size: int64(len(f.content)), Typeflag: tar.TypeReg}
		if err := tape.WriteHeader(header); err != nil {
			return nil, fmt.Errorf("write archive: %w", err)
		}
		if _, err := tape.Write(f.content); err != nil {
			return nil, fmt.Errorf("write archive: %w", err)
		}
	}
	if err := errors.Join(tape.Close(), packed.Close()); err != nil {
		return nil, fmt.Errorf("write archive: %w", err)
	}
	return out.Bytes(), nil
}

// VerifySignature reads an archive and checks that it is signed by one of the keys.
func VerifySignature(archive string, keys *bundle.VerificationConfig) error {
	file, err := os.Open(archive)
	if err != nil {
		return fmt.Errorf("read bundle: %w", err)
	}
	defer file.Close()
	packed, err := readLimited(file, maxBundleBytes)
	if err != nil {
		return fmt.Errorf("read bundle %s: %w", archive, err)
	}
	content, err := bundle.NewCustomReader(bundle.NewTarballLoaderWithBaseURL(bytes.NewReader(packed), "")).
		WithBundleVerificationConfig(keys).
		WithSizeLimitBytes(maxBundleBytes).
		WithLazyLoadingMode(false).
		Read()
	if err != nil {
		return fmt.Errorf("verify signature of %s: %w", archive, err)
	}
	if len(content.Signatures.Signatures) == 0 {
		return fmt.Errorf("verify signature of %s: it is not signed", archive)
	}
	return nil
}
