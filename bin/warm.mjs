// Keeps the compiled code of the hot way beside it: runs each part once on a hook of its own, in a home of its own,
// then asks V8 for what it has compiled. V8 takes such a file only from the very version that made it.
import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** @type {typeof import("./hookctl.js")} */
const { partLoader, keptBytes } = createRequire(import.meta.url)("./hookctl.js");
/** @typedef {typeof import("../src/main.ts")} Entry */
/** @typedef {import("../src/host.ts").Host} Host */
const home = mkdtempSync(join(tmpdir(), "hookctl-warm-"));
const project = join(home, "project");
const payload = Buffer.from(
  '{"event":"before_tool_call","hook_event_name":"PreToolUse","session_id":"warm","tool_name":"bash","tool_input":{"command":"ls","limit":12.5}}',
);
const HOOK = `#!/bin/sh
case $1 in
hook) echo before_tool_call ;;
run) cat >/dev/null; echo '{"blocked":false}' ;;
esac
`;

/** @param {string} scope @param {string} name */
function addHook(scope, name) {
  const hooks = join(scope, ".kodelet", "hooks");
  // Hooks below a folder that the group may write are refused.
  mkdirSync(hooks, { recursive: true, mode: 0o755 });
  const file = join(hooks, name);
  writeFileSync(file, HOOK);
  chmodSync(file, 0o755);
  utimesSync(file, 0, 0);
}

/** A rule that this payload does not match: such a call ends before any hook is asked. */
const RULE = { hooks: { before_tool_call: [{ match: { tool_name: "none" }, block: "no" }] } };
/** The payload has a command, so that a guard loads the shell parser. */
const GUARDS = { guards: { filesystem: true, git: true } };

/** @param {string} scope @param {object} settings */
function writeSettings(scope, settings) {
  mkdirSync(join(scope, ".kodelet"), { recursive: true, mode: 0o755 });
  const file = join(scope, ".kodelet", "hooks.json");
  writeFileSync(file, JSON.stringify(settings));
  chmodSync(file, 0o644);
}

/**
 * The real host, as far as it can be used over and over, so that its own code is kept as well.
 *
 * @param {Entry["createHost"]} createHost @param {readonly string[]} argv @returns {Host}
 */
function hostFor(createHost, argv) {
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
  return { ...real, ...quiet, out: () => null, argv, env, cwd: project, readStdin, nowMs };
}

try {
  const { load, loaded } = partLoader();
  const { main, createHost } = /** @type {Entry} */ (load("./hot.cjs"));
  mkdirSync(project);
  await main(hostFor(createHost, ["run", "before_tool_call"]));
  // Refused: the words are in a part that a call without problems does not load.
  await main(hostFor(createHost, ["run", "no_such_event"]));
  writeSettings(home, RULE);
  // Twice, because the second time the settings are compiled.
  for (let count = 0; count < 2; count++) await main(hostFor(createHost, ["run", "before_tool_call"]));
  writeSettings(home, GUARDS);
  for (let count = 0; count < 2; count++) await main(hostFor(createHost, ["run", "before_tool_call"]));
  writeSettings(home, RULE);
  addHook(home, "users");
  addHook(project, "projects");
  // Twice, because the second time the hooks' events are known.
  const calls = [
    "run before_tool_call --trust",
    "run before_tool_call --trust",
    "list --json",
    "list",
    "bridge claude",
  ];
  for (const words of calls) {
    await main(hostFor(createHost, words.split(" ")));
  }
  writeSettings(home, { overrides: { users: { sandbox: "auto" } } });
  // Twice, because the second time the backend is known.
  for (let count = 0; count < 2; count++) await main(hostFor(createHost, ["run", "before_tool_call"]));
  for (const { code, script, kept } of loaded.values()) {
    // In one step: a call that starts meanwhile finds it whole or not at all.
    const fresh = `${kept}.${process.pid}`;
    writeFileSync(fresh, keptBytes(code, script.createCachedData()));
    renameSync(fresh, kept);
  }
} finally {
  rmSync(home, { recursive: true, force: true });
}
