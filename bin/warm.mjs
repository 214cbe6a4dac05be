// Keeps the compiled code of the hot way beside it: makes the usual calls of an agent in homes of its own, then asks V8
// for what it has compiled. V8 takes such a file only from the very version that made it.
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cachedDataVersionTag, setFlagsFromString } from "node:v8";

/** @type {typeof import("./hookctl.js")} */
const { partLoader, keptBytes } = createRequire(import.meta.url)("./hookctl.js");
/** @typedef {typeof import("../src/main.ts")} Entry */
/** @typedef {import("../src/engine/host.ts").Host} Host */

const HOOK = `#!/bin/sh
case $1 in
hook) echo before_tool_call ;;
run) cat >/dev/null; echo '{"blocked":false}' ;;
esac
`;
/** A rule that the payload does not match: such a call ends before any hook is asked. */
const RULE = { hooks: { before_tool_call: [{ match: { tool_name: "none" }, block: "no" }] } };
const payload = Buffer.from(
  '{"event":"before_tool_call","hook_event_name":"PreToolUse","session_id":"warm","tool_name":"bash","tool_input":{"command":"cd a && ls | head -n 5","limit":12.5}}',
);

/**
 * The usual calls, by home. Each function that they compile makes every call slower by what it takes to read it, so rare
 * calls are not among them.
 *
 * @type {readonly { settings?: object, hooksOf?: "user" | "project", before?: string, calls: readonly string[] }[]}
 */
const HOMES = [
  { calls: ["run before_tool_call"] },
  { settings: RULE, calls: ["run before_tool_call"] },
  { hooksOf: "user", calls: ["run before_tool_call", "bridge claude --event PreToolUse", "list"] },
  { hooksOf: "project", before: "trust --yes", calls: ["run before_tool_call"] },
  // The command of the payload is not plain, so that a guard loads the shell parser.
  { settings: { guards: { filesystem: true, git: true, secrets: true } }, calls: ["run before_tool_call"] },
  { settings: { overrides: { users: { sandbox: "auto" } } }, hooksOf: "user", calls: ["run before_tool_call"] },
];

/** @param {string} home @param {(typeof HOMES)[number]} content */
function makeHome(home, { settings, hooksOf }) {
  const project = join(home, "project");
  const hooks = join(hooksOf === "project" ? project : home, ".kodelet", "hooks");
  // Hooks below a folder that the group may write are refused.
  for (const folder of [project, join(home, ".kodelet"), hooks]) mkdirSync(folder, { recursive: true, mode: 0o755 });
  if (settings !== undefined) write(join(home, ".kodelet", "hooks.json"), JSON.stringify(settings), 0o644);
  if (hooksOf !== undefined) write(join(hooks, "users"), HOOK, 0o755);
}

/** @param {string} file @param {string} text @param {number} mode */
function write(file, text, mode) {
  writeFileSync(file, text);
  chmodSync(file, mode);
  utimesSync(file, 0, 0);
}

/**
 * The real host, as far as it can be used over and over, so that its own code is kept as well.
 *
 * @param {Entry["createHost"]} createHost @param {string} home @param {string} words @returns {Host}
 */
function hostFor(createHost, home, words) {
  const real = createHost(process);
  const quiet = { err: () => undefined, isStdoutTerminal: () => false, isStderrTerminal: () => false };
  /** @type {Host["readStdin"]} */
  const readStdin = async (limits) => {
    await real.readStdin(limits);
    return { kind: "read", bytes: payload };
  };
  const env = { PATH: process.env.PATH, HOME: home };
  // A clock ahead of the files' times: only settled files are remembered, and remembering is on the hot way.
  const nowMs = () => Date.now() + 60_000;
  return {
    ...real,
    ...quiet,
    out: () => null,
    argv: words.split(" "),
    env,
    cwd: join(home, "project"),
    readStdin,
    nowMs,
  };
}

/** Makes all calls once; the first time also what comes before them. @param {string} root @param {boolean} isFirst */
async function callAll(root, isFirst) {
  const { load, loaded } = partLoader();
  const { main, createHost } = /** @type {Entry} */ (load("./hot.cjs"));
  for (const [index, { before, calls }] of HOMES.entries()) {
    const prepared = isFirst && before !== undefined ? [before] : [];
    for (const words of [...prepared, ...calls]) await main(hostFor(createHost, join(root, String(index)), words));
  }
  return loaded;
}

/** @param {Awaited<ReturnType<typeof callAll>>} loaded */
function keepCompiled(loaded) {
  for (const { source, script, kept } of loaded.values()) {
    // In one step: a call that starts meanwhile finds it whole or not at all.
    const fresh = `${kept}.${process.pid}`;
    writeFileSync(fresh, keptBytes(Buffer.from(source, "latin1"), script.createCachedData()));
    renameSync(fresh, kept);
  }
}

/** In another process, so that the code of a first call is not kept: it reads settings and asks hooks for their events. */
function rehearse(/** @type {string} */ root) {
  const piped = 'echo "{}" | "$0" "$1" "$2"';
  spawnSync("/bin/sh", ["-c", piped, process.execPath, fileURLToPath(import.meta.url), root], { stdio: "ignore" });
}

/**
 * V8 keeps with a function that it was compiled to machine code, and then does so again at the first call in each process:
 * worth it for a call that is made often, a loss of 1 ms for one of ours.
 */
async function withoutMachineCode(/** @type {() => ReturnType<typeof callAll>} */ call) {
  const usual = cachedDataVersionTag();
  setFlagsFromString("--no-sparkplug");
  const isUsual = cachedDataVersionTag() === usual;
  const loaded = await call();
  // V8 takes what is kept from a process with the same flags only.
  if (!isUsual) setFlagsFromString("--sparkplug");
  return loaded;
}

async function keepAll() {
  const root = mkdtempSync(join(tmpdir(), "hookctl-warm-"));
  try {
    for (const [index, content] of HOMES.entries()) makeHome(join(root, String(index)), content);
    rehearse(root);
    keepCompiled(await withoutMachineCode(() => callAll(root, false)));
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

const [, , rehearsed] = process.argv;
if (rehearsed === undefined) await keepAll();
else await callAll(rehearsed, true);
