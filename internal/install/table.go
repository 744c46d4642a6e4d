package install

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	tomlfile "github.com/pelletier/go-toml/v2"
)

// The lines around policyd's entry in a TOML file. Everything else keeps its bytes, and the result is parsed
// again and compared.
const (
	tableBegin = "# policyd: begin"
	tableEnd   = "# policyd: end"
)

// addServerTable adds the hint tools' server at the end of the file, where a table is always valid.
func addServerTable(text []byte, program string, args []string) ([]byte, error) {
	before, err := readTOML(text)
	if err != nil {
		return nil, err
	}
	if servers, _ := before["mcp_servers"].(map[string]any); servers[serverName] != nil {
		return nil, fmt.Errorf("mcp_servers.%s exists already and policyd did not write it", serverName)
	}
	quoted, err := json.Marshal(append([]string{program}, args...)) // JSON's strings are TOML's, too
	if err != nil {
		return nil, fmt.Errorf("write settings: %w", err)
	}
	var words []json.RawMessage
	if err := json.Unmarshal(quoted, &words); err != nil {
		return nil, fmt.Errorf("write settings: %w", err)
	}
	var list []string
	for _, word := range words[1:] {
		list = append(list, string(word))
	}
	end := "\n"
	if bytes.Contains(text, []byte("\r\n")) {
		end = "\r\n"
	}
	lines := []string{
		tableBegin, "[mcp_servers." + serverName + "]", "command = " + string(words[0]), "args = [" + strings.Join(list, ", ") + "]", tableEnd, "",
	}
	if len(text) > 0 && !bytes.HasSuffix(text, []byte("\n")) {
		lines = append([]string{""}, lines...)
	}
	out := append(append([]byte{}, text...), strings.Join(lines, end)...)
	if after, err := readTOML(out); err != nil || !sameBut(before, after) {
		return nil, errors.Join(errors.New("mcp_servers can't be added to in its present form"), err)
	}
	return out, nil
}

// removeServerTable removes what addServerTable added.
func removeServerTable(text []byte) ([]byte, error) {
	before, err := readTOML(text)
	if err != nil {
		return nil, err
	}
	begin := lineOf(text, tableBegin)
	if begin < 0 {
		return text, nil
	}
	end := lineOf(text[begin:], tableEnd)
	if end < 0 {
		return nil, fmt.Errorf("%q has no %q; remove both by hand", tableBegin, tableEnd)
	}
	rest := text[begin+end:]
	if line := bytes.IndexByte(rest, '\n'); line >= 0 {
		rest = rest[line+1:]
	} else {
		rest = nil
	}
	out := append(append([]byte{}, text[:begin]...), rest...)
	if after, err := readTOML(out); err != nil || !sameBut(after, before) {
		return nil, errors.Join(fmt.Errorf("policyd did not write the text between %q and %q; remove it by hand", tableBegin, tableEnd), err)
	}
	return out, nil
}

// lineOf is where a line of exactly this text begins.
func lineOf(text []byte, line string) int {
	at := 0
	for each := range bytes.Lines(text) {
		if string(bytes.TrimRight(each, "\r\n")) == line {
			return at
		}
		at += len(each)
	}
	return -1
}

func readTOML(text []byte) (map[string]any, error) {
	values := map[string]any{}
	err := tomlfile.Unmarshal(text, &values)
	var wrong *tomlfile.DecodeError
	if errors.As(err, &wrong) {
		line, column := wrong.Position()
		return nil, fmt.Errorf("line %d, column %d: %s", line, column, strings.TrimPrefix(wrong.Error(), "toml: "))
	}
	if err != nil {
		return nil, fmt.Errorf("read TOML: %w", err)
	}
	return values, nil
}

// sameBut reports whether the two are equal except for our server in the second.
func sameBut(without, with map[string]any) bool {
	servers, _ := with["mcp_servers"].(map[string]any)
	if servers[serverName] == nil {
		return false
	}
	delete(servers, serverName)
	if len(servers) == 0 && without["mcp_servers"] == nil {
		delete(with, "mcp_servers")
	}
	return reflect.DeepEqual(without, with)
}
