package prompts

// Pending returns how many prompts wait for an answer.
func (b *Book) Pending() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.open
}
