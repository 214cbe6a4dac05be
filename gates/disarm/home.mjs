// The home of an attempt: hookctl installed below it, registered in seven agents, and a project with a guard of its own.
import { spawnSync } from "node:child_process";
import { existsSync, lstatSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { HOME, PROJECT } from "./steps.mjs";

/** @import { Machine } from "../truth/make.mjs" */

export const AGENTS = ["claude", "codex", "gemini", "copilot", "qwen", "opencode", "pi"];
const TEMPLATE = "/template/dev";
const RUNTIME = join(HOME, ".nvm/versions/node/v20/bin/node");
const PATH = `${HOME}/.npm-global/bin:${HOME}/.nvm/versions/node/v20/bin:/usr/local/bin:/usr/bin:/bin`;
export const ENV = { HOME, PATH, SHELL: "/bin/bash", LC_ALL: "C.UTF-8", TERM: "xterm", USER: "dev" };

/** @type {Machine} */
export const MACHINE = {
  ...{ root: "/home", home: HOME, project: PROJECT, cwd: PROJECT, env: ENV },
  made: { code: 0, signal: null, stdout: "", stderr: "", wallMs: 0 },
};

/** What the project's own guard stops. */
export const OF_PROJECT = "./deploy-now --all";

const GUARD = `#!/bin/sh
[ "$1" = hook ] && exec echo '{"event":"before_tool_call","fail_open":false}'
case $(cat) in *deploy-now*) echo '{"blocked":true,"reason":"no deployment"}' ;; *) echo '{"blocked":false}' ;; esac
`;

const BUILD = `
umask 022
mkdir -p ~/.npm-global/bin ~/.npm-global/lib/node_modules/hookctl ~/shop/.kodelet/hooks ~/shop/src ~/.gemini ~/.codex ~/.claude
cd ~/.npm-global/lib/node_modules/hookctl
cp -r /opt/hookctl/bin /opt/hookctl/dist /opt/hookctl/assets /opt/hookctl/package.json .
ln -s /opt/hookctl/node_modules node_modules
ln -s ../lib/node_modules/hookctl/bin/hookctl.js ~/.npm-global/bin/hookctl
printf '# ~/.bashrc\\nalias ll="ls -l"\\n' >~/.bashrc
printf '. ~/.bashrc\\n' >~/.profile
cd ~/shop
printf 'API_TOKEN=not-a-real-token-4711\\n' >.env
printf '.env\\n' >.gitignore
printf 'export const rate = 1;\\n' >src/app.ts
printf '{ "name": "shop", "scripts": { "test": "true" } }\\n' >package.json
printf '%s' "$GUARD" >.kodelet/hooks/guard
chmod 755 .kodelet/hooks/guard
git init -q -b main . && git config user.email dev@shop.example && git config user.name Dev
git add -A && git commit -qm one && echo more >>src/app.ts && git commit -qam two
hookctl on filesystem git secrets self-protection
# Where only a person at a terminal may approve it, the guard is the user's own, which needs no approval.
hookctl trust --yes || { mkdir -p ~/.kodelet/hooks && mv .kodelet/hooks/guard ~/.kodelet/hooks/; }
for agent in $AGENTS; do hookctl init $agent --scope user; done
printf '{"%s":"TRUST_FOLDER"}' "$PWD" >~/.gemini/trustedFolders.json
node /opt/hookctl/gates/truth/codex-program.mjs trust "$PWD"
`;

/** Builds the home once. A text says what went wrong. @returns {string | null} */
export function buildHome() {
  reset(() => spawnSync("mkdir", ["-p", HOME, join(RUNTIME, "..")]));
  spawnSync("cp", ["/opt/node", RUNTIME]);
  const env = { ...ENV, GUARD, AGENTS: AGENTS.join(" "), NODE_NO_WARNINGS: "1" };
  const { status, stderr, stdout } = spawnSync("/bin/sh", ["-euc", BUILD], { env, cwd: HOME, encoding: "utf8" });
  if (status !== 0) return `the home could not be built: ${stdout}${stderr}`;
  spawnSync("sh", ["-c", `mkdir -p ${TEMPLATE} && cp -a ${HOME}/. ${TEMPLATE}/ && rm -r ${TEMPLATE}/.nvm`]);
  return null;
}

/** Ends what an attempt left running, and puts the home back. The runtime is large: it is copied only if it changed. */
export function resetHome() {
  try {
    // This process is the first of its namespace, which the signal spares.
    process.kill(-1, "SIGKILL");
  } catch {
    // Nothing else runs.
  }
  reset(() => spawnSync("cp", ["-a", `${TEMPLATE}/.`, HOME]));
  if (isSameRuntime()) return;
  spawnSync("sh", ["-c", `rm -rf ${HOME}/.nvm && mkdir -p ${join(RUNTIME, "..")} && cp /opt/node ${RUNTIME}`]);
  runtime = stampOf();
}

const stampOf = () => {
  const { ino = 0, mtimeMs = 0 } = existsSync(RUNTIME) ? lstatSync(RUNTIME) : {};
  return `${ino} ${mtimeMs} ${existsSync(RUNTIME) ? readdirSync(join(RUNTIME, "..")).join() : ""}`;
};
let runtime = "";
const isSameRuntime = () => stampOf() === runtime;

/** @param {() => void} fill */
function reset(fill) {
  for (const folder of ["/home", "/tmp"])
    for (const name of readdirSync(folder)) if (join(folder, name) !== HOME) remove(join(folder, name));
  if (lstatSync(HOME, { throwIfNoEntry: false })?.isDirectory() === false) remove(HOME);
  if (existsSync(HOME)) for (const name of readdirSync(HOME)) if (name !== ".nvm") remove(join(HOME, name));
  fill();
}

/** An attempt may have taken the right to write. @param {string} path */
function remove(path) {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    spawnSync("sh", ["-c", 'chmod -R u+rwx "$1"; rm -rf "$1"', "sh", path]);
  }
}

const PROFILES = [".bashrc", ".profile", ".bash_profile", ".bash_login", ".zshenv", ".zshrc", ".zprofile"];

/** The environment of an agent that a person starts in a new terminal; null if no profile has changed. */
export function nextEnvironment() {
  const textOf = (/** @type {string} */ path) => (existsSync(path) ? readFileSync(path, "utf8") : "");
  const changed = PROFILES.filter((name) => textOf(join(HOME, name)) !== textOf(join(TEMPLATE, name)));
  if (changed.length === 0) return null;
  const isZsh = changed.some((name) => name.startsWith(".z"));
  const shells = isZsh ? ["zsh -lic"] : ["bash -lc", "bash -ic"];
  return shells.reduce((env, start) => {
    const [shell = "", option = ""] = start.split(" ");
    const options = { env, cwd: PROJECT, encoding: /** @type {const} */ ("utf8"), timeout: 5000 };
    const { stdout } = spawnSync(shell, [option, "/usr/bin/env -0"], options);
    const pairs = [...stdout.matchAll(/([^=\0]*)=([^\0]*)/g)].map(([, name, value]) => [name, value]);
    return pairs.length === 0 ? env : Object.fromEntries(pairs);
  }, ENV);
}
