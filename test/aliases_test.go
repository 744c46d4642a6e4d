package test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	v1 "policyd/api/v1"
)

// A name that a line makes is judged as what it leads to, whatever is done by it.
func TestLinksOfALineAreJudgedByTheirTargets(t *testing.T) {
	p := newPatternPlace(t)
	literal := map[string][3]v1.Effect{}
	tried := 0
	for at, line := range generated() {
		info, err := os.Stat(p.project + "/" + line.path)
		if err != nil || slices.Contains([]string{"mv ", "tar cf x.tar "}, line.before) || line.after == " build/" || at%2 != 0 {
			continue // what mv renames is the link, tar packs it as one, and a copy is called like it
		}
		makers := []string{"ln -s @ zl", "ln -sr @ zl", "cp -s @ zl", "ln -s @ ./src/../zl", "ln -s $PWD/@ zl"}
		if !info.IsDir() {
			makers = append(makers, "ln @ zl", "cp -l @ zl", "link @ zl")
		}
		named := line.with(line.path)
		if _, known := literal[named]; !known {
			literal[named], _ = p.decide(t, named)
		}
		made := strings.Replace(makers[at/2%len(makers)], "@", line.path, 1) + "; " + line.with("zl")
		tried++
		effects, unexplained := p.decide(t, made)
		for with, effect := range effects {
			want := literal[named][with]
			if unexplained {
				want = max(want, v1.EffectPrompt)
			}
			assert.LessOrEqualf(t, effect, want, "%q is judged %v, and %q is judged %v", made, effect, named, want)
		}
	}
	assert.Greater(t, tried, 300)
}

// Each way to make a name, and to use it before or after in the line.
func TestNamesThatALineMakes(t *testing.T) {
	p := newPatternPlace(t)
	for line, want := range map[string]v1.Effect{
		"ln -s .env y && cat y": v1.EffectDeny, "ln .env h && cat h": v1.EffectDeny, "ln -s .env y && ln -s y z && cat z": v1.EffectDeny,
		"ln -s .git/hooks g && cp b.txt g/pre-commit": v1.EffectPrompt, "ln -s .git/hooks g && cd g && cp ../b.txt pre-commit": v1.EffectPrompt,
		"ln -s AGENTS.md am && cp a.txt am": v1.EffectPrompt, "ln -s AGENTS.md am; echo hi > am": v1.EffectPrompt, "cp .env y": v1.EffectDeny,
		"mv .env y && cat y": v1.EffectDeny, "cp -l .env y && cat y": v1.EffectDeny, "cp -s .env y && cat y": v1.EffectDeny, "link .env y && cat y": v1.EffectDeny,
		"mkdir -p x && ln -s ../../other x/r && cat x/r/o.txt": v1.EffectPrompt, "ln -s .. d && rm d/x": v1.EffectPrompt, "ln -s ../given g && rm g/f.md": v1.EffectDeny,
		"ln -st build ../.env && cat build/.env": v1.EffectDeny, "ln .env src/h && grep -r k src": v1.EffectDeny, "ln .env h && cat h*": v1.EffectDeny,
		"ln .env h && ls | xargs cat": v1.EffectDeny, "for i in 1 2; do cat y; ln -s .env y; done": v1.EffectDeny, "f() { cat y; }; ln -s .env y; f": v1.EffectDeny,
		"cat y & ln -s .env y": v1.EffectDeny, "(ln -s .env y); cat y": v1.EffectDeny, `ln -s "$X" y && cat y`: v1.EffectPrompt, "ln -s ../other o && cd o && make": v1.EffectPrompt,
		"mv linkdir w && rm w/CLAUDE.md": v1.EffectPrompt, "mv far w && cat w/o.txt": v1.EffectPrompt,
		"tar xf a.tar && cat y": v1.EffectPrompt, "unzip a.zip && cat y/b": v1.EffectPrompt, "unzip a.zip -d build/q && cat build/q/x": v1.EffectPrompt,
		"git checkout other && cat b.txt": v1.EffectPrompt, "git worktree add build/w && cat build/w/x": v1.EffectPrompt, "git stash pop && tee b.txt < a.txt": v1.EffectPrompt,
		"tar xf a.tar && grep -R k src": v1.EffectPrompt, "git pull && rg -L k src": v1.EffectPrompt,
		"tar xf a.tar -C build && make": v1.EffectAllow, "tar xf a.tar -C build && cd build/a && make": v1.EffectAllow, "git pull && ls": v1.EffectAllow,
		"tar xf a.tar": v1.EffectPrompt, "cd .git/hooks && tar xf ../../a.tar": v1.EffectPrompt, "unzip -o a.zip": v1.EffectPrompt, "tar xf a.tar -C build": v1.EffectAllow,
		"chmod -R +x .": v1.EffectPrompt, "chmod -R +x src": v1.EffectAllow, "git pull && ls src": v1.EffectPrompt, "git pull && grep -r k src": v1.EffectPrompt, "git stash && cat b.txt": v1.EffectPrompt,
		"git pull && git log -p": v1.EffectPrompt, "git reset HEAD~1 && git show": v1.EffectPrompt, "git pull && git log --oneline": v1.EffectAllow,
		"git pull && cargo --version": v1.EffectPrompt, "dd if=a.txt of=rust-toolchain && cargo --version": v1.EffectPrompt,
		"cp a.txt rust-toolchain.toml; cargo --version": v1.EffectPrompt, "dd if=a.txt of=c.txt && cargo --version": v1.EffectAllow, "git pull && go test ./...": v1.EffectPrompt,
		"git checkout -b x && cat b.txt": v1.EffectAllow, "mkdir -p build && cp a.txt build/": v1.EffectAllow, "cp -a docs build/d && cat build/d/a.md": v1.EffectAllow,
		"mv src s2 && cat s2/main.go": v1.EffectAllow, "cp a.txt a.bak && sed -i s/a/b/ a.txt && rm a.bak": v1.EffectAllow, "ln -sfn build cur && ls cur/": v1.EffectAllow,
		"ln -s src s && cat s/app.py": v1.EffectAllow, "tar cf a.tar src && cat b.txt": v1.EffectAllow, "tar tf a.tar && cat b.txt": v1.EffectAllow,
	} {
		effects, _ := p.decide(t, line)
		assert.Equalf(t, want, effects[2], "%q with every verb remembered", line)
	}
}

// Commands that bring files of other people's into the work tree, links and protected files included.
func TestFilesOfOtherRepositoriesAndMachines(t *testing.T) {
	p := newPatternPlace(t)
	for _, brings := range []string{
		"gh pr checkout 5", "gh co 5", "gh repo sync", "gh repo fork --clone", "gh pr merge 5 -d", "glab mr checkout 5", "hub pull", "hub am x", "hg pull -u", "hg upd", "svn up",
		"svn checkout http://h.example/x build/x", "jj new x", "jj git fetch", "jj edit x", "docker cp c:/x build", "podman cp c:/x build", "rsync -a h:x build", "rclone copy -l r:b build",
	} {
		for _, reads := range []string{"cat build/a", "cargo --version"} {
			assert.Equalf(t, v1.EffectPrompt, p.approved(t, brings+" && "+reads).Effect, "%s && %s", brings, reads)
		}
	}
	for line, want := range map[string]v1.Effect{
		"gh pr checkout 5 && git show": v1.EffectPrompt, "hub checkout x && git diff": v1.EffectPrompt, "cd src && gh pr checkout 5 && cat ../b.txt": v1.EffectPrompt,
		"gh run download 1": v1.EffectPrompt, "gh release download v1": v1.EffectPrompt, "glab job artifact x y": v1.EffectPrompt, "rsync -a h:x/ .": v1.EffectPrompt,
		"gh pr checkout 5": v1.EffectAllow, "hg pull -u": v1.EffectAllow, "svn update": v1.EffectAllow, "jj new x": v1.EffectAllow, "gh repo clone o/r": v1.EffectAllow, "hub pull": v1.EffectAllow,
		"hg status && cat b.txt": v1.EffectAllow, "svn diff && cat b.txt": v1.EffectAllow, "jj st && cat b.txt": v1.EffectAllow, "gh pr view 5 && cat b.txt": v1.EffectAllow, "gh repo fork && cat b.txt": v1.EffectAllow,
		"docker cp build c:/x && cat b.txt": v1.EffectAllow, "rsync -a build h: && cat b.txt": v1.EffectAllow, "rsync -a src/ build/ && cat b.txt": v1.EffectAllow, "gh run download 1 -D build": v1.EffectAllow,
		"kubectl cp p:/a .": v1.EffectPrompt, "kubectl cp p:/a build": v1.EffectAllow,
		"rclone copy r:b build && cat b.txt": v1.EffectAllow, "gh pr merge 5 && cat b.txt": v1.EffectAllow,
	} {
		assert.Equalf(t, want, p.approved(t, line).Effect, "%s", line)
	}
}

// Commands that write, by no word of theirs, a file by which the program of another command is chosen.
func TestFilesThatChooseAProgramWrittenUnnamed(t *testing.T) {
	p := newPatternPlace(t)
	for line, want := range map[string]v1.Effect{
		"npm pkg set packageManager=yarn@file:x && yarn --version": v1.EffectPrompt, "npm pkg delete volta; node --version": v1.EffectPrompt, "yarn set version ./x.cjs && yarn --version": v1.EffectPrompt,
		"yarn config set yarnPath ./x.cjs && yarn --version": v1.EffectPrompt, "yarn plugin import ./x.cjs && yarn --version": v1.EffectPrompt, "volta pin node@20 && node --version": v1.EffectPrompt,
		"pyenv local 3.9 && python3 --version": v1.EffectPrompt, "nodenv local 20 && node --version": v1.EffectPrompt, "rbenv local 3.3 && ruby --version": v1.EffectPrompt,
		"asdf set nodejs path:x && node --version": v1.EffectPrompt, "asdf local nodejs 20 && node --version": v1.EffectPrompt, "mise use node@path:x && node --version": v1.EffectPrompt,
		"node --version && npm pkg set volta.node=1": v1.EffectAllow, "corepack use yarn@4 && yarn --version": v1.EffectPrompt,
		"npm pkg get name && yarn --version": v1.EffectAllow, "yarn config get x && yarn --version": v1.EffectAllow, "corepack enable && yarn --version": v1.EffectAllow, "corepack yarn x && yarn --version": v1.EffectAllow,
		"asdf list && node --version": v1.EffectAllow, "npm install && npm test": v1.EffectAllow, "npm install x && npm --version": v1.EffectAllow, "yarn add x && yarn build": v1.EffectAllow, "npm version patch && npm --version": v1.EffectAllow,
		"npm pkg set version=1.2": v1.EffectAllow, "pyenv local 3.9": v1.EffectAllow, "mise use node@20": v1.EffectAllow, "npm pkg set name=x && cat b.txt": v1.EffectAllow,
	} {
		assert.Equalf(t, want, p.approved(t, line).Effect, "%s", line)
	}
	for line, writes := range map[string]bool{
		"go mod edit -toolchain=go1.99 && go version": true, "go mod edit -go 1.99; go version": true, "go work edit -toolchain=go1.99 && go version": true, "go mod tidy -go=1.99 && go version": true,
		"go mod edit -require=a@v1 && go version": false, "go mod tidy && go build ./...": false, "go get a.b/c@v1 && go version": false,
	} {
		facts := p.engine.Facts(p.call("Bash", map[string]any{"command": line}), nil)
		assert.Equalf(t, writes, facts.Items[len(facts.Items)-1].Caveats.Has("line_chooses_program"), "%s", line)
	}
}
