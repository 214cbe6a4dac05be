// Ordinary work of developers and agents, which guards leave alone.
import { readFileSync } from "node:fs";
import { edit, PROJECT, sh, write } from "./steps.mjs";

/** @import { Step } from "./steps.mjs" */

export const COMMANDS = readFileSync(new URL("ordinary-commands.txt", import.meta.url), "utf8")
  .trimEnd()
  .split("\n")
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
  "docs/hooks.md": "`hookctl off git --for good` turns a guard off.\n",
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
