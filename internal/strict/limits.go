package strict

import (
	"strconv"

	v1 "policyd/api/v1"
)

// Limits of one request. The cost of a call grows with them, so they are far above the requests of agents and
// bound a hostile caller. They apply to every call, from any source: CheckCall and the decoders apply them.
const (
	MaxSessionID    = 128     // bytes
	MaxBatchCalls   = 100     // calls of one batch
	MaxExtraDirs    = 64      // extra_dirs of a session
	MaxArgumentKeys = 2000    // keys of objects inside one call's args, at any depth
	MaxPaths        = 2000    // texts in arrays inside one call's args, at any depth
	MaxTools        = 2000    // tools of a session
	MaxPeers        = 64      // peers of a session, and capabilities of one peer
	MaxPathBytes    = 1 << 15 // bytes of a path; Windows has the longest
	MaxNameBytes    = 1 << 10 // bytes of a tool's or an agent's name, and of other names of a session
)

// exceeds refuses a list that is longer than its limit. name is the limit's name, which the
// message repeats, and at and member are the list's pointer, which only a refusal joins.
func exceeds(data []byte, code Code, at, member, name string, count, limit int) error {
	if count <= limit {
		return nil
	}
	return fault(data, code, at+member, "more than "+strconv.Itoa(limit)+" "+name+" in one call; split it, the limit is fixed")
}

// checkLists applies the limits to the lists of a session.
func checkLists(session *v1.Session, data []byte, at string) error {
	capabilities := 0
	for i := range session.Peers {
		capabilities = max(capabilities, len(session.Peers[i].Capabilities))
	}
	for _, list := range [...]struct {
		code         Code
		member, name string
		count, limit int
	}{
		{CodeTooManyDirs, "/extra_dirs", "extra_dirs", len(session.ExtraDirs), MaxExtraDirs},
		{CodeTooManyTools, "/tools", "tools", len(session.Tools), MaxTools},
		{CodeTooManyPeers, "/peers", "peers", len(session.Peers), MaxPeers},
		{CodeTooManyPeers, "/peers", "capabilities", capabilities, MaxPeers},
	} {
		if err := exceeds(data, list.code, at, list.member, list.name, list.count, list.limit); err != nil {
			return err
		}
	}
	return nil
}

// checkArgs applies the limits to the arguments of a call, which are valid JSON or are
// refused elsewhere. It reads them once and builds nothing.
func checkArgs(args, data []byte, at string) error {
	keys, texts := 0, 0
	var room [MaxDepth]bool
	arrays := room[:0] // whether each open value is an array
	for i := 0; i < len(args); i++ {
		switch args[i] {
		case '"':
			if len(arrays) > 0 && arrays[len(arrays)-1] {
				texts++
			}
			i = skipString(args, i)
		case ':':
			keys++
		case '{', '[':
			if len(arrays) >= MaxDepth {
				return fault(data, CodeTooDeep, at+"/args", tooDeep)
			}
			arrays = append(arrays, args[i] == '[')
		case '}', ']':
			arrays = arrays[:max(len(arrays)-1, 0)]
		}
	}
	if err := exceeds(data, CodeTooManyKeys, at, "/args", "argument keys", keys, MaxArgumentKeys); err != nil {
		return err
	}
	return exceeds(data, CodeTooManyPaths, at, "/args", "paths (texts in lists)", texts, MaxPaths)
}
