// Shows the main job on the real hooks of hooks-examples/, in a home and a project that are thrown away afterwards.
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const bin = join(root, "bin", "hookctl.js");
const examples = join(root, "hooks-examples");
const place = mkdtempSync(join(tmpdir(), "hookctl-demo-"));
const [home, project] = [join(place, "home"), join(place, "project")];
// Nothing of the caller's settings: the demo shows the same on every machine.
const env = { HOME: home, PATH: [dirname(process.execPath), process.env.PATH].join(delimiter), LANG: "C.UTF-8" };

/**
 * @typedef {object} Step
 * @property {string} why the one line of explanation
 * @property {readonly string[]} words what hookctl is called with
 * @property {string} [payload] its file in hooks-examples/payloads
 * @property {string} [needs] a program without which the hook cannot start
 * @property {number} exitCode
 */

/** @type {readonly Step[]} */
const STEPS = [
  {
    why: "These hooks were found in ~/.kodelet/hooks; each was asked which event it answers.",
    words: ["list"],
    exitCode: 0,
  },
  {
    why: "A tool was called. One hook logs it, one looks for secrets and finds none: the agent may go on, exit 0.",
    words: ["run", "after_tool_call"],
    payload: "audit-logger",
    exitCode: 0,
  },
  {
    why: "The agent wants to delete everything. The guard says no: blocked, exit 2, and the reason is on stdout.",
    words: ["run", "before_tool_call"],
    payload: "security-guardrail",
    needs: "python3",
    exitCode: 2,
  },
  {
    why: "The agent wants to install a package. A hook makes the command safer and lets it pass.",
    words: ["run", "before_tool_call"],
    payload: "argument-rewriter",
    exitCode: 0,
  },
  {
    why: "A tool gave back an access key. A hook takes it out before the model reads it.",
    words: ["run", "after_tool_call"],
    payload: "secret-redactor",
    exitCode: 0,
  },
  {
    why: "The agent wants to stop, but foo.txt is missing. A hook asks it to go on.",
    words: ["run", "agent_stop"],
    payload: "follow-up",
    exitCode: 0,
  },
];

function installHooks() {
  const hooks = join(home, ".kodelet", "hooks");
  for (const folder of [hooks, project]) mkdirSync(folder, { recursive: true });
  const names = readdirSync(examples).filter((name) => existsSync(join(examples, "payloads", `${name}.json`)));
  for (const name of names) {
    copyFileSync(join(examples, name), join(hooks, name));
    // A checkout may be writable by the group; such a file is refused, because others could change it.
    chmodSync(join(hooks, name), 0o755);
  }
  for (const folder of [home, join(home, ".kodelet"), hooks]) chmodSync(folder, 0o755);
}

/** @param {Step} step @returns {boolean} whether it ended as it should */
function show({ why, words, payload, needs, exitCode }) {
  const file = payload === undefined ? null : join(examples, "payloads", `${payload}.json`);
  const from = file === null ? "" : ` < ${relative(root, file)}`;
  console.log(`\n# ${why}\n$ hookctl ${words.join(" ")}${from}`);
  if (needs !== undefined && spawnSync(needs, ["--version"], { env }).status !== 0) {
    console.log(`(left out: this hook is written for ${needs}, which is not installed)`);
    return true;
  }
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...words], {
    cwd: project,
    env,
    input: file === null ? "" : readFileSync(file),
    encoding: "utf8",
  });
  console.log(`${stderr}${stdout}exit ${status}`);
  if (status !== exitCode) console.log(`✖ exit ${exitCode} was expected`);
  return status === exitCode;
}

try {
  installHooks();
  console.log("hookctl on the hooks of hooks-examples/, in a temporary home. The last line of each answer is stdout,");
  console.log("which is JSON for a program; the lines above it are stderr, for you.");
  const isGood = STEPS.map(show).every(Boolean);
  const log = join(project, ".kodelet", "audit.log");
  const lines = existsSync(log) ? readFileSync(log, "utf8").trim().split("\n").length : 0;
  console.log(`\n# The audit log that the first hook kept has ${lines} lines. All of it is removed now.`);
  console.log("Next: README.md shows each feature; hooks-examples/README.md shows how to write a hook.");
  process.exitCode = isGood ? 0 : 1;
} finally {
  rmSync(place, { recursive: true, force: true });
}
