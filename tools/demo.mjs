// Runs the example hooks on real payloads, in a temporary home and project.
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
import { readOptions } from "./read-options.mjs";

readOptions(
  `Usage: npm run demo

Runs the example hooks on real payloads, in a temporary home that it removes at its end.

Options:
  -h, --help  this text
`,
  {},
);

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
 * @property {readonly string[]} args
 * @property {string} [payload] its file in hooks-examples/payloads
 * @property {string} [needs] a program without which the hook cannot start
 * @property {number} exitCode
 */

/** @type {readonly Step[]} */
const STEPS = [
  {
    why: "These hooks are in ~/.kodelet/hooks; each has declared its event.",
    args: ["list"],
    exitCode: 0,
  },
  {
    why: "A tool was called. One hook logs it, one looks for secrets and finds none: allowed, exit 0.",
    args: ["run", "after_tool_call"],
    payload: "audit-logger",
    exitCode: 0,
  },
  {
    why: "The agent wants to delete everything. The guard blocks: exit 2, and the reason is on stdout.",
    args: ["run", "before_tool_call"],
    payload: "security-guardrail",
    needs: "python3",
    exitCode: 2,
  },
  {
    why: "The agent wants to install a package. A hook makes the command safer and allows it.",
    args: ["run", "before_tool_call"],
    payload: "argument-rewriter",
    exitCode: 0,
  },
  {
    why: "A tool returned an access key. A hook removes it before the model reads it.",
    args: ["run", "after_tool_call"],
    payload: "secret-redactor",
    exitCode: 0,
  },
  {
    why: "The agent wants to stop, but foo.txt is missing. A hook asks it to continue.",
    args: ["run", "agent_stop"],
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

/** @param {Step} step @returns {boolean} true if the exit code is as expected */
function show({ why, args, payload, needs, exitCode }) {
  const file = payload === undefined ? null : join(examples, "payloads", `${payload}.json`);
  const from = file === null ? "" : ` < ${relative(root, file)}`;
  console.log(`\n# ${why}\n$ hookctl ${args.join(" ")}${from}`);
  if (needs !== undefined && spawnSync(needs, ["--version"], { env }).status !== 0) {
    console.log(`(skipped: this hook needs ${needs}, which is not installed)`);
    return true;
  }
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...args], {
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
  console.log("hookctl on the hooks of hooks-examples/, in a temporary home. The last line of each run is stdout,");
  console.log("which is JSON for a program; the lines above it are stderr, for you.");
  const isGood = STEPS.map(show).every(Boolean);
  const log = join(project, ".kodelet", "audit.log");
  const lines = existsSync(log) ? readFileSync(log, "utf8").trim().split("\n").length : 0;
  console.log(
    `\n# The log of the first hook has ${lines} ${lines === 1 ? "line" : "lines"}. Everything is removed now.`,
  );
  console.log("Next: README.md, and docs/writing-hooks.md to write a hook.");
  process.exitCode = isGood ? 0 : 1;
} finally {
  rmSync(place, { recursive: true, force: true });
}
