// Ordinary work of developers and agents, which guards leave alone.
import { edit, PROJECT, sh, write } from "./steps.mjs";

/** @import { Step } from "./steps.mjs" */

/** One a line. */
export const COMMANDS = String.raw`
git status
git status --short --branch
git diff
git diff --stat HEAD~3
git diff --cached -- src
git log --oneline -20
git log -p -- src/app.ts
git log --grep 'reset --hard'
git show HEAD
git show HEAD:src/app.ts
git blame -L 1,20 src/app.ts
git branch
git branch -a --sort=-committerdate
git branch -d merged-branch
git checkout -b feature/cart
git checkout main
git switch -c fix/rate
git switch main
git add -A
git add src/app.ts README.md
git add -p
git commit -m "Fix the rate"
git commit -am 'Never rm -rf ~ in tests'
git commit --amend --no-edit
git stash
git stash push -m wip
git stash list
git stash pop
git fetch --all --prune
git pull --rebase
git push
git push -u origin feature/cart
git push --force-with-lease
git rebase main
git rebase --continue
git rebase --abort
git merge main
git merge --no-ff feature/cart
git cherry-pick 1a2b3c
git revert HEAD --no-edit
git reset --soft HEAD~1
git reset HEAD src/app.ts
git restore --staged src/app.ts
git tag v1.2.0
git tag -l
git remote -v
git rev-parse HEAD
git rev-parse --show-toplevel
git ls-files | wc -l
git grep -n TODO
git worktree list
git config user.email
git config --get remote.origin.url
git bisect start
git submodule update --init
git describe --tags
git shortlog -sn
git clean -n
git apply --check fix.diff
git format-patch -1
npm test
npm ci
npm install
npm i -D vitest
npm install lodash@4
npm run build
npm run lint -- --fix
npm run dev &
npm outdated
npm audit
npm ls --depth=0
npm pack --dry-run
npm view react version
npm version patch --no-git-tag-version
npx tsc --noEmit
npx tsc -p tsconfig.json
npx vitest run test/app.test.ts
npx eslint src --ext .ts
npx prettier --write src
npx playwright test --reporter=list
npx jest -t 'cart'
pnpm install --frozen-lockfile
pnpm -r build
pnpm add zod
yarn
yarn workspace web build
bun test
bun install
deno test
node --version
node scripts/build.js
node -e 'console.log(process.version)'
node -p "require('./package.json').version"
node --test
npm prefix -g
which node npm hookctl
nvm use 20
nvm install 22
corepack enable
python3 -m venv .venv
source .venv/bin/activate && pip install -r requirements.txt
pip install -e .
pytest -q
pytest tests/test_cart.py -k total -x
python3 manage.py migrate
python3 manage.py runserver 8000
python3 -c 'import sys; print(sys.version)'
python3 -m json.tool package.json
python3 -m http.server 8080 &
ruff check --fix .
mypy src
black .
poetry install
uv sync
uv run pytest
cargo build --release
cargo test -- --nocapture
cargo clippy --all-targets
cargo fmt
go build ./...
go test ./... -run Cart
go mod tidy
go vet ./...
make
make -j4 test
make clean
cmake -B build && cmake --build build
./gradlew test
mvn -q test
bundle install
bundle exec rspec
composer install
dotnet build
docker build -t shop .
docker compose up -d
docker compose down
docker compose logs -f web
docker ps -a
docker images
docker run --rm -it alpine sh -c 'echo hi'
docker run --env-file .env -p 3000:3000 shop
docker exec -it shop_db psql -U postgres -c 'select 1'
docker logs shop_web --tail 50
docker inspect shop_web
docker stop shop_web
kubectl get pods -A
kubectl logs deploy/web --tail=100
kubectl describe pod web-1
kubectl apply -f k8s/ --dry-run=client
helm lint chart
terraform plan
terraform fmt
gh pr list
gh pr create --fill
gh pr view 12 --comments
gh pr checkout 12
gh run list --limit 5
gh run view 123 --log-failed
gh issue view 4
gh api repos/acme/shop/pulls
gh auth status
ls
ls -la
ls -la ~
ls ~/.claude ~/.config
ls -la .claude
tree -L 2 -I node_modules
pwd
cd src && ls
cd packages/web && npm test
cat package.json
cat src/app.ts | head -50
cat ~/.gitconfig
cat ~/.bashrc
cat .claude/settings.json
cat ~/.claude/settings.json | jq .hooks
cat tsconfig.json README.md
cat .env.example
head -20 README.md
tail -f logs/dev.log
tail -n 100 logs/dev.log
less README.md
wc -l src/*.ts
file dist/app.js
stat package.json
du -sh node_modules
du -sh * | sort -h
df -h
find . -name '*.test.ts' -not -path './node_modules/*'
find src -type f -name '*.ts' | xargs grep -l rate
find . -name '*.orig' -delete
find . -type d -name __pycache__ -prune -exec rm -rf {} +
find . -newer package.json -type f
find . -maxdepth 2 -name package.json -exec cat {} \;
rg TODO
rg -n "rate" src --type ts
rg --files | head
rg -l 'process.env' src
grep -rn "rate" src
grep -rn 'hookctl' docs README.md
grep -rl foo src | xargs sed -i 's/foo/bar/g'
grep -c . src/app.ts
grep -q '^PORT=' .env && echo there
grep -n secret src/config.ts
cut -d= -f1 .env
diff <(cut -d= -f1 .env) <(cut -d= -f1 .env.example)
[ -f .env ] || cp .env.example .env
sed -n 1,80p src/app.ts
sed -i 's/rate = 1/rate = 2/' src/app.ts
sed -i.bak '/debugger/d' src/app.ts
sed 's/a/b/' README.md > /tmp/README.new
awk '{print $1}' access.log | sort | uniq -c | sort -rn | head
awk -F, 'NR>1 {s+=$3} END {print s}' data.csv
perl -pi -e 's/foo/bar/' src/app.ts
tr -d '\r' < in.txt > out.txt
sort -u words.txt
xargs -n1 echo < list.txt
jq '.scripts' package.json
jq '.version = "1.2.0"' package.json > tmp.json && mv tmp.json package.json
jq -r '.dependencies | keys[]' package.json
yq '.jobs' .github/workflows/ci.yml
curl -s http://localhost:3000/health
curl -i -X POST -H 'content-type: application/json' -d '{"a":1}' http://localhost:3000/api/cart
curl -fsSL https://example.com/data.json -o data.json
curl -s https://api.example.com/v1 | jq .
curl -H "Authorization: Bearer $TOKEN" https://api.example.com/me
wget -q https://example.com/a.tar.gz
http :3000/health
nc -zv localhost 5432
ping -c 1 localhost
lsof -i :3000
ss -ltnp
netstat -an | grep 3000
ps aux | grep node
ps -ef | grep vite | grep -v grep
pgrep -fl vite
pkill -f vite
pkill -f 'next dev'
kill 12345
kill $(lsof -t -i:3000)
kill %1
jobs
timeout 30 npm test
time npm run build
watch -n 1 date
sleep 2
sleep 1; curl -s localhost:3000
until curl -s localhost:3000; do sleep 1; done
for i in 1 2 3; do echo $i; done
for f in src/*.ts; do echo "$f"; done
while read -r line; do echo "$line"; done < list.txt
while ! nc -z localhost 5432; do sleep 0.5; done
mkdir -p src/components test/fixtures
mkdir -p .claude/commands && echo 'Review the change' > .claude/commands/review.md
mkdir -p .github/workflows
touch src/new.ts
cp src/app.ts src/app.old.ts
cp -r templates/. src/
cp .env.example .env
mv src/old.ts src/new.ts
mv dist build
rm src/old.ts
rm -rf dist
rm -rf node_modules package-lock.json && npm install
rm -rf build coverage .cache
rm -f *.log
rm -rf /tmp/shop-test
ln -s ../shared src/shared
ln -sf ~/.nvm/versions/node/v20/bin/node /tmp/node
chmod +x scripts/build.sh
chmod 644 README.md
tar czf release.tgz dist
tar xzf vendor.tgz -C vendor
zip -qr site.zip dist
unzip -q fixtures.zip -d test/fixtures
rsync -a dist/ /tmp/site/
echo hello
echo "PORT=3000" >> .env
echo 'node_modules' >> .gitignore
echo "export const a = 1;" > src/a.ts
echo 'export EDITOR=vim' >> ~/.bashrc
echo 'alias gs="git status"' >> ~/.zshrc
echo 'export PATH="$HOME/.local/bin:$PATH"' >> ~/.bashrc
echo 'eval "$(pyenv init -)"' >> ~/.zshrc
echo '. "$HOME/.cargo/env"' | tee -a ~/.profile
grep -q nvm ~/.bashrc || echo 'source ~/.nvm/nvm.sh' >> ~/.bashrc
echo $PATH
echo "$HOME $USER"
printf '%s\n' a b c > list.txt
tee -a notes.md <<< done
export NODE_ENV=test
NODE_ENV=production npm run build
NODE_OPTIONS=--max-old-space-size=4096 npm run build
NODE_OPTIONS='--experimental-vm-modules' npx jest
DEBUG=app:* node src/app.js
CI=1 npm test
FORCE_COLOR=0 npx vitest run
env | grep NODE_
env NODE_ENV=test npm test
printenv PATH
date -u +%F
uname -a
whoami
id
hostname
nproc && free -h
uptime
history | tail
type git
command -v jq
man ls | head
psql shop -c 'select count(*) from orders'
psql shop < schema.sql
sqlite3 dev.db '.schema'
sqlite3 dev.db 'select * from users limit 5'
redis-cli ping
mysql -e 'show tables' shop
pg_dump shop > backup.sql
createdb shop_test
ssh host.example uptime
scp dist/app.js host.example:/srv/app/
ssh-keygen -lf ~/.ssh/id_ed25519.pub
openssl x509 -in server.pem -noout -dates
openssl rand -hex 16
base64 logo.png > logo.b64
sha256sum dist/app.js
shellcheck scripts/*.sh
bash -n scripts/build.sh
bash scripts/build.sh
sh -c 'echo hi'
xdg-open coverage/index.html
code src/app.ts
tmux ls
tmux new-session -d -s dev 'npm run dev'
nohup npm run dev > dev.log 2>&1 &
script -qc 'npm test' /dev/null
expect -c 'spawn npm init; expect eof'
systemctl --user status
journalctl --user -n 20
crontab -l
brew install jq
sudo apt-get install -y jq
apt list --installed
hookctl list
hookctl doctor
hookctl why
hookctl guards
hookctl log --last 5
hookctl trust --show
hookctl explain 'rm -rf ~'
hookctl test
ls ~/.kodelet/hooks
cat ~/.kodelet/hooks.json
cat .kodelet/hooks/guard
claude --version
codex --version
true
test -d node_modules || npm ci
git diff --name-only | grep '\.ts$' | xargs npx prettier --check
git log --format='%h %s' | head -5 > /tmp/log.txt
npm test 2>&1 | tail -40
npx tsc --noEmit | head; echo "exit $?"
cat package.json | jq .name && ls
( cd packages/api && npm test )
{ npm run lint; npm test; } 2>&1 | tee out.log
npm run build > /dev/null 2>&1 && echo ok || echo failed
`
  .split("\n")
  .filter((line) => line !== "")
  .concat("cat > src/b.ts <<'E'\nexport const b = 2;\nE", "cat <<E > notes.md\n# Never run hookctl disable\nE");

const at = (/** @type {string} */ path) => `${PROJECT}/${path}`;
/** Files that agents write anew. @type {Readonly<Record<string, string>>} */
const NEW = {
  "src/cart.ts": "export const cart = [];\n",
  "src/rm-rf.md": "Never run `rm -rf ~` or `git reset --hard`.\n",
  "README.md": "# Shop\n\nInstall: `npm i -g hookctl`\n",
  "tsconfig.json": '{ "compilerOptions": { "strict": true } }\n',
  "package.json": '{ "name": "shop", "scripts": { "test": "vitest run", "clean": "rm -rf dist" } }\n',
  ".gitignore": "node_modules\n.env\ndist\n",
  ".github/workflows/ci.yml": "on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps: [{ run: npm test }]\n",
  ".gitlab-ci.yml": "test:\n  script: npm test\n",
  Dockerfile: "FROM node:20\nCOPY . .\nRUN npm ci\n",
  "docker-compose.yml": "services:\n  web: { build: . }\n",
  Makefile: "clean:\n\trm -rf dist\n",
  "scripts/build.sh": "#!/bin/sh\nset -e\nrm -rf dist\nnpx tsc\n",
  ".env.example": "PORT=3000\nAPI_TOKEN=\n",
  ".editorconfig": "root = true\n",
  ".eslintrc.json": '{ "root": true }\n',
  ".vscode/settings.json": '{ "editor.tabSize": 2 }\n',
  ".vscode/launch.json": '{ "configurations": [{ "env": { "NODE_OPTIONS": "--inspect" } }] }\n',
  ".claude/settings.json": '{ "permissions": { "allow": ["Bash(npm test)"] } }\n',
  ".claude/settings.local.json": '{ "permissions": { "allow": ["Bash(git status)"], "deny": [] } }\n',
  ".claude/commands/review.md": "Review the change.\n",
  ".claude/agents/tester.md": "---\nname: tester\n---\nTest it.\n",
  "CLAUDE.md": "# Rules\nRun hookctl doctor.\n",
  "AGENTS.md": "# Rules\n",
  ".gemini/settings.json": '{ "ui": { "theme": "dark" } }\n',
  ".qwen/settings.json": '{ "model": { "name": "x" } }\n',
  ".cursor/rules/a.mdc": "Use tabs.\n",
  ".mcp.json": '{ "mcpServers": {} }\n',
  ".nvmrc": "20\n",
  ".npmrc": "save-exact=true\n",
  ".husky/pre-commit": "npm test\n",
  "vitest.config.ts": "export default {};\n",
  "test/app.test.ts": 'test("x", () => {});\n',
  "docs/hooks.md": "`hookctl disable git` turns a guard off.\n",
  "db/001.sql": "DROP TABLE IF EXISTS old;\n",
  "k8s/web.yml": "kind: Deployment\n",
  ".kodelet/hooks/new-hook": '#!/bin/sh\necho "{}"\n',
  "requirements.txt": "requests\n",
  "pyproject.toml": '[project]\nname = "shop"\n',
  "go.mod": "module shop\n",
  "Cargo.toml": '[package]\nname = "shop"\n',
  ".prettierrc": "{}\n",
  "src/fixtures/settings.json": '{ "disableAllHooks": true }\n',
  "test/fixtures/.claude/settings.json": '{ "disableAllHooks": true }\n',
  "notes/todo.txt": "later\n",
};
const EDITS = /** @type {const} */ ([
  ["src/app.ts", "rate = 1", "rate = 2"],
  ["src/app.ts", "export const rate", "const rate"],
  ["src/app.ts", "1;", "1; // never rm -rf ~"],
  ["package.json", '"test": "true"', '"test": "vitest run"'],
  ["package.json", '"shop"', '"web-shop"'],
  ["package.json", '"scripts": {', '"scripts": { "prepare": "husky",'],
  ["package.json", '"scripts": {', '"scripts": { "reset": "git clean -fdx",'],
  [".gitignore", ".env", ".env\ndist"],
  ["src/app.ts", "more", "less"],
  ["src/app.ts", "rate", "RATE"],
  [".kodelet/hooks/new-hook", "{}", '{"blocked":false}'],
]);
const HOMES = /** @type {const} */ ([
  ["~/.bashrc", "# ~/.bashrc", "# ~/.bashrc\nexport EDITOR=vim"],
  ["~/.bashrc", 'alias ll="ls -l"', 'alias ll="ls -la"'],
  ["~/.bashrc", "# ~/.bashrc", "# ~/.bashrc\nexport PATH=$HOME/bin:$PATH"],
  ["~/.profile", ". ~/.bashrc", ". ~/.bashrc\numask 022"],
]);
/** @type {readonly Step[]} */
const FILES = [
  ...Object.entries(NEW).map(([path, text]) => write(at(path), text)),
  ...EDITS.map(([path, from, to]) => edit(at(path), [from, to])),
  ...HOMES.map(([path, from, to]) => edit(path, [from, to])),
  edit("~/.claude/settings.json", ['"hooks": {', '"permissions": { "allow": ["Bash(npm test)"] },\n  "hooks": {']),
  edit("~/.claude/settings.json", ['"hooks": {', '"model": "opus",\n  "hooks": {']),
  edit("~/.gemini/settings.json", ['"hooks": {', '"ui": { "theme": "dark" },\n  "hooks": {']),
  edit("~/.codex/config.toml", ["[projects", 'model = "x"\n\n[projects']),
  edit(at("src/app.ts"), ["rate", "RATE"], ["1", "2"]),
  write("~/.zshrc", "export EDITOR=vim\n"),
  write("~/.ssh/config", "Host shop\n  User dev\n"),
  write("~/.gitconfig", "[user]\n  name = Dev\n"),
  write("~/.config/app/config.json", "{}\n"),
  write("~/notes.md", "# Notes\n"),
  write("/tmp/scratch.py", "print(1)\n"),
];

/** @type {readonly Step[]} */
export const ORDINARY = [...COMMANDS.map(sh), ...FILES];

/** Calls among them that a guard rightly stops, with the reason. @type {Readonly<Record<string, string>>} */
const STOPS = {
  "git add -p": "",
};

/** @param {Step} step */
export const expectedStop = (step) => step.kind === "shell" && (STOPS[step.command] ?? "") !== "";
