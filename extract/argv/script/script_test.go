package script

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// shell.md section 4: which sed scripts only print.
func TestPlainSed(t *testing.T) {
	for _, text := range []string{
		"1,40p", "$p", "/foo/,/bar/p", "s/a/b/g", "s|a/b|c|", "s/a/b/;s/c/d/2", "1d;$d", "/x/!d", "y/abc/xyz/", "=",
		"1~2p", "2,+3p", "/a/{s/x/y/;p}", "5q", "s/[0-9]*/N/gp", `s/\//_/g`, ":a;N;$!ba;s/\\n/ /g", ":a\nN\n$!ba\ns/\\n/ /g", ":a;$!{N;ba};s/x/y/", ":a ; s/x/y/;ta", "# note", "",
		`s/[^\/]*\///`, `s|[^\|]|x|`, `/[^\/]x/p`, `s/[[:alpha:]\/]*x/y/g`,
		"s/x/[/", "/re/I p", "n;d", `\,a,p`, "s/a/w/", "s/e/e/",
		"a\\\ntext", "1a text", "$ i\\\n text\np", "1c w out", "/x/{a e rm\n}", `/a/i\text`, `1i\  w out`, "$a\\e rm\np",
	} {
		assert.True(t, sedOnlyPrints(text), text)
	}
	for _, text := range []string{
		"s/.*/rm x/e", "w out", "1w out", "s/a/b/w out", "e", "1e rm x", "r /etc/passwd", "R x", "W x", "s/a/b/ge",
		"s/a/b", "{p", "p}", "s/[/]/x/", `s/[\\/]x/w o/`, `s/[\/]/x/w o`, `s/[^\/]/.*/e`, `s/[a\/b/]/x/`, `s/[\/]x]/y/w o/`, `s/[\]/]/e/`, `s/[/\/]/x/`, "s][^\\]]x]y]", "1i\\", "v", "a", "a x\\", "a\\\nx\\\ny", "a x\ne rm", "1i\\\nx\nw out", `a x\n`, "s\na\nb\n", "y/a", "p;e", "s/a/b/;w x", "sxaxbxe",
		"s/a/b/pw x", "1,2{e\n}", "l 5 w x",
		":a#;w out", "b#\nw out", "ba #;w out", ":a }", ":a;a\\\nw out", ":a;/x\nw out\n/p", "ta;s/a/\nw out\n/", ":a;y/a\nw o/bcdef/",
	} {
		assert.False(t, sedOnlyPrints(text), text)
	}
}

// shell.md section 4: which awk programs only print.
func TestAwkVerdict(t *testing.T) {
	for _, text := range []string{
		"{print $1}", "NR>1 {print $2}", "NR==1,NR==5", "/foo|bar/ {print}", "BEGIN{FS=\",\"} {s+=$2} END{print s}",
		"{print length($0)}", "!seen[$0]++", "{gsub(/a/,\"b\"); print}", "$3 > 10", "{a[$1]++} END{for (k in a) print k, a[k]}",
		"{print > \"/dev/stderr\"}", "{print 1 >\"/dev/stdout\"; print 2}", "{printf \"%s\\n\", $1}", "$1 ~ /x/ && $2 || $3", "{ if ($1 > 2) { print } }", "{print $1/$2}",
		"function max(a,b){return a>b?a:b} {m=max(m,length($0))} END{print m}", "{print f($1)} function f(x)\n{ return x*2 }",
		"/x/{getline; print}", "/x/ { getline line ; print line }", "{getline\nprint}", "{getline}", "{getline n}", "a || getline;",
	} {
		assert.True(t, awkVerdict(text).OnlyPrints, text)
	}
	for _, text := range []string{
		"BEGIN{\"rm x\"|getline}", "{print > \"out\"}", "{print | \"sh\"}", "BEGIN{system(\"rm x\")}", "{print >> f}",
		"BEGIN{while ((getline line < \"/etc/passwd\") > 0) print line}", "@load \"filefuncs\"", "BEGIN{f=\"x\"; @f()}",
		"BEGIN{ARGV[1]=\"/etc/passwd\"; ARGC=2}", "{printf \"x\" > \"out\"}", "function f(x){return x} {print g(1)}",
		"function f(x){return system(x)} {f(1)}", "function f(x){print x > \"out\"} {f(1)}", "function system(x){return x} {system(1)}", "function f(",
		"function f(x){\"rm x\" | getline} {f(1)}", "function toupper(x){return x}", "function NR(x){return x}", "function f(close){close(1)}", "function f(x) print > \"out\"",
		"func f(x){return x} {print f(1)}", "function f(x){return x} {print f(1) | \"sh\"}",
		"{ print $1 / 2 ; print \"a\" | \"sh\" }", "BEGIN { a = 1 /2; b = \"x/\" ; print b > \"o\" }", "{close(\"x\")}", "{print > \"/dev/stderr\" $1}", "{print > \"/dev/stderr\" \"/../x\"}", "{print > \"/dev/stdin\"}", "{print 1,\n2 > \"out\"}",
		"BEGIN { switch (1) { case /1; print \"touch x\" | \"sh\" #/\n} }", "{ case /1; print 1 }", "{ length /1; print 1 }", "{ x = srand /1/ 2 }",
		"{getline < \"f\"}", "{getline x < \"f\"}", "{getline <\"f\"; print}", "{\"id\" | getline; print}", "{\"id\" | getline x; print}", "{\"id\" |& getline}",
		"{print getline > \"f\"}", "{getline ARGV; print}", "{getline x[1]}", "{getline $1}", "{while ((getline x) > 0) print x}", "{getline(x)}", "{getline x/y/}",
		"{getline ENVIRON; print}", "{\"id\" ||getline|getline}", "{getline print}",
	} {
		assert.False(t, awkVerdict(text).OnlyPrints, text)
	}
	assert.True(t, awkVerdict(`BEGIN{print ENVIRON["HOME"]}`).Environment)
}

func TestJqVerdict(t *testing.T) {
	for _, text := range []string{".scripts", ".a[] | select(.b == \"c\") | .d", "to_entries[]", ".env", ".environment.x", "keys", "@base64d"} {
		verdict := Read("jq", text)
		assert.True(t, verdict.OnlyPrints && !verdict.Environment, text)
	}
	for _, text := range []string{"env", "$ENV", "$ENV.PATH", ". as $x | env.HOME", `"\(env)"`, "[env]", `"\("a" + (env.X))"`, `@json "\("a" + env.X)"`, `"\("\(env)")"`, `"\(1)" + env.X`} {
		assert.True(t, Read("jq", text).Environment, text)
	}
	for _, text := range []string{"import \"a\" as a; .", "include \"x\"; .", "\"open", `"\(1"`, "# \\\n\"\nenv # \""} {
		assert.False(t, Read("jq", text).OnlyPrints, text)
	}
	assert.False(t, Read("perl", "1").OnlyPrints, "a language that is not read is not plain")
}

// Two programs are named yq: only what both just print is plain.
func TestPlainYq(t *testing.T) {
	for _, text := range []string{
		".a.b", ".a[0].b", ".a[]", ".", ".services | keys", `.a[] | select(.name == "x")`, `.["a-b"]`, ".a-b.c", ".a // \"none\"",
		"length", ". | to_entries", "del(.a)", ".a = 1", "",
		"..", `.. | select(tag == "!!str")`, "(..) | length",
	} {
		assert.Truef(t, Read("yq", text).OnlyPrints, "%q", text)
	}
	for _, text := range []string{
		`load("/etc/passwd")`, "eval(.x)", "strenv(HOME)", "env", "$ENV", "..load(\"x\")", `keysload("x")`, `1load("x")`,
		`xml_load("x")`, `.a-env`, `"\(env)"`, `"open`, "@sh", "# x", `.a as $x`, "input_filename",
		"..env", "...", "..[0]", ".. | load(\"x\")", "tagload(\"x\")", "..\nenv",
	} {
		assert.Falsef(t, Read("yq", text).OnlyPrints, "%q", text)
	}
}

// V5, S2: behind a closing bracket a slash divides for some awks and begins a
// regex for others: where a comment would begin in it, the rest is code to these.
func TestAwkSlashesBehindBrackets(t *testing.T) {
	for _, text := range []string{
		"BEGIN{if(1) /#/; ARGV[1]=f}\n{print}", "BEGIN{while(c++<1) /#/; ARGV[1]=f}\n1", "{if(1) /#/; x=1}", "BEGIN{if(1) /x/; delete ARGV[1]}",
		"BEGIN{x /=/;ARGV[1]=f; x=1/2\n}\n1", "BEGIN{/a/ /=/;ARGV[1]=f; x=1/2\n}\n1", "BEGIN{x++ /#/;ARGV[1]=f; x=1/2\n}\n1",
		"BEGIN{\"a\" /#/;ARGV[1]=f; x=1/2\n}\n1",
	} {
		assert.False(t, awkVerdict(text).OnlyPrints, text)
	}
	for _, text := range []string{"{print ($1+$2)/2}", "{x=(a)/(b); print x}", "{s+=($2)/100} END{print s}", "{print $1} # (a)/2", "{x /= 2; print x}", "{print n++/2}"} {
		assert.True(t, awkVerdict(text).OnlyPrints, text)
	}
}

// V7, S2: awks differ about what a backslash in brackets means, and agree about where they
// end as long as neither a bracket nor a slash stands behind it.
func TestAwkEscapesInBrackets(t *testing.T) {
	for _, text := range []string{
		`{sub(/^[ \t]+/,""); print}`, `{gsub(/^[ \t\r]+|[ \t]+$/,"",$2); print $2}`, `/[^"\\]/`, `/[\\]/ {print}`, `/[[:alpha:]\t]/`, `match($0,/[\w.\-]+/)`, `/[]\t]/`,
	} {
		assert.True(t, awkVerdict(text).OnlyPrints, text)
	}
	for _, text := range []string{
		`/[\]/ {print} #/]/ {system("x")}`, `/[x\]]/ {print}`, `/[\[]/`, `/[a\/b]/`, `/[\x5d]/`, `/[\135]/`, `/[\u5d]/`, "/[\\\n]/", `/[\\\]/ {print > "f"} #/]/`, `/[\`, `/[a\]`,
	} {
		assert.False(t, awkVerdict(text).OnlyPrints, text)
	}
}
