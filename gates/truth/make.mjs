import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { AS_PERSON, startWords } from "../../bench/as-person.mjs";
import { ended, wordsOf } from "../scene.mjs";

/** @import { Ended } from "../scene.mjs" */
/** @import { State } from "./states.mjs" */

/**
 * @typedef {object} Machine a home and a project in it
 * @property {string} root
 * @property {string} home
 * @property {string} project
 * @property {string} cwd where agents and people work
 * @property {Record<string, string>} env of people and agents
 * @property {Ended} made how the commands of its state ended
 */

/** The call that the guard of every machine stops, and one that it allows. */
export const FORBIDDEN = "git reset --hard HEAD";
export const HARMLESS = "ls -la";
const HUNG_MS = 120_000;
const tree = fileURLToPath(new URL("../../", import.meta.url));
const codexProgram = fileURLToPath(new URL("codex-program.mjs", import.meta.url));

const GUARD = `#!/bin/sh
[ "$1" = hook ] && exec echo '{"event":"before_tool_call","fail_open":false}'
case $(cat) in *"reset --hard"*) echo '{"blocked":true,"reason":"no reset"}' ;; *) echo '{"blocked":false}' ;; esac
`;
/** @type {(name: string, command: string, decision: string) => object} */
const caseOf = (name, command, decision) => ({ name, payload: { tool_input: { command } }, expect: { decision } });
const CASES = { hook: "guard", cases: [caseOf("stops", FORBIDDEN, "block"), caseOf("lets pass", HARMLESS, "allow")] };

/** What the commands of a state may use beside the programs of the system. `edit` changes a JSON file: `s` is its value. */
const COMMANDS = `
hookctl() { "$ROOT/hookctl" "$@"; }
agrees() { echo y | script -qec "$ROOT/hookctl $*" /dev/null; }
edit() { "$NODE" -e 'const fs = require("fs"), [file, code] = process.argv.slice(1);
  const s = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file)) : {};
  new Function("s", code)(s); fs.mkdirSync(require("path").dirname(file), { recursive: true });
  fs.writeFileSync(file, JSON.stringify(s, null, 2))' "$@"; }
half() { head -c "$(($(wc -c <"$1") / 2))" "$1" >half; mv half "$1"; }
conflict() { { echo '<<<<<<< HEAD'; cat "$1"; echo '======='; echo '>>>>>>> theirs'; } >both; mv both "$1"; }
copy_hookctl() { mkdir "$ROOT/$1"; cp -r "$TREE/bin" "$TREE/dist" "$TREE/assets" "$TREE/package.json" "$ROOT/$1"; ln -s "$TREE/node_modules" "$ROOT/$1"; use_hookctl "$1"; }
use_hookctl() { printf '#!/bin/sh\\nexec "%s" "%s" "%s" "$@"\\n' "$NODE" "$AS_PERSON" "$ROOT/$1/bin/hookctl.js" >"$ROOT/hookctl"; }
trust_codex() { "$ROOT/bin/codex" trust "$PWD"; }
trust_gemini() { edit ~/.gemini/trustedFolders.json "s['$PWD'] = 'TRUST_FOLDER'"; }
trust_copilot() { edit ~/.copilot/config.json "s.trustedFolders = ['$PWD']"; }
trust_pi() { edit ~/.pi/agent/trust.json "s['$PWD'] = true"; }
`;

/** @param {State} state @param {string} root a new folder @param {readonly string[]} bin @returns {Promise<Machine>} */
export async function make(state, root, bin) {
  const { agent, scopes, before, after, hook, project = "project", cwd = ".", env: more = {} } = state;
  const start = join(root, "project");
  const path = [join(root, "bin"), dirname(process.execPath), "/usr/bin", "/bin"].join(":");
  const env = { HOME: join(root, "home"), PATH: path, SHELL: "/bin/sh", LC_ALL: "C" };
  mkdirSync(join(start, ".git"), { recursive: true, mode: 0o755 });
  program(join(root, "hookctl"), `exec ${quoted(startWords(bin, ["trust"]).slice(0, -1))} "$@"`);
  program(join(root, "bin", "codex"), `exec ${quoted([process.execPath, codexProgram])} "$@"`);
  if (hook !== null) addGuard(hook === "user" ? env.HOME : start);
  mkdirSync(env.HOME, { recursive: true, mode: 0o755 });
  const trust = /^(?:codex|gemini|copilot|pi)$/.test(agent) && state.isAgentUntrusted !== true ? `trust_${agent}` : "";
  const install = scopes.map((scope) => `hookctl init ${agent} --scope ${scope}`).join("\n");
  const commands = { ...env, ROOT: root, NODE: process.execPath, AS_PERSON, TREE: tree };
  const run = async (/** @type {string} */ text) => {
    const said = await ended({
      file: "/bin/sh",
      args: ["-euc", COMMANDS + text],
      cwd: start,
      env: commands,
      limitMs: HUNG_MS,
    });
    if (said.code !== 0) throw new Error(`${state.name}: ${said.stderr}`);
    return said;
  };
  await run([before, "hookctl trust --yes", install, trust].join("\n"));
  const made = await run(after);
  const own = /** @type {Record<string, string>} */ ({});
  for (const [name, value] of Object.entries(more)) own[name] = (await run(`printf %s "${value}"`)).stdout;
  const folder = join(root, project);
  return {
    root,
    home: env.HOME,
    project: folder,
    cwd: join(folder, cwd),
    env: { ...env, ...own },
    made,
  };
}

/** With a test case for each of the two calls. @param {string} folder */
function addGuard(folder) {
  program(join(folder, ".kodelet", "hooks", "guard"), GUARD);
  const tests = join(folder, ".kodelet", "tests");
  mkdirSync(tests, { mode: 0o755 });
  writeFileSync(join(tests, "guard.json"), JSON.stringify(CASES));
}

/** @param {string} file @param {string} text */
function program(file, text) {
  mkdirSync(dirname(file), { recursive: true, mode: 0o755 });
  writeFileSync(file, text.startsWith("#!") ? text : `#!/bin/sh\n${text}\n`, { mode: 0o755 });
}

const quoted = (/** @type {readonly string[]} */ words) => words.map((word) => `'${word}'`).join(" ");

/** @param {Machine} machine @param {readonly string[]} args @returns {Promise<Ended>} */
export const hookctl = ({ root, cwd, env }, args) =>
  ended({ ...wordsOf([join(root, "hookctl")], args), cwd, env, limitMs: HUNG_MS });

/** `~/x` is in the home, `./x` in the project. @param {Machine} machine @param {string} path */
export const pathOf = ({ home, project }, path) => join(path.startsWith("~/") ? home : project, path.slice(2));
