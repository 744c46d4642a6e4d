package shell

import "testing"

func BenchmarkParse(b *testing.B) {
	table := newTable(b)
	options := Options{Home: "/home/dev", Cwd: "/srv/proj", Plain: func(string) bool { return true }}
	for name, line := range map[string]string{
		"git_status":     "git status",
		"three_commands": "git status --short && grep -rn TODO src | head -20",
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				table.Parse(line, options)
			}
		})
	}
}

func BenchmarkNewTable(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := NewTable(); err != nil {
			b.Fatal(err)
		}
	}
}
