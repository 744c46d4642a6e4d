package contain

// olderCalls: this architecture has no forms without a directory descriptor.
var olderCalls = map[int]call{}
