// Keeps the compiled code of the hot way beside it: runs each part once on a hook of its own, in a home of its own,
// then asks V8 for what it has compiled. V8 takes such a file only from the very version that made it.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

const { partLoader } = createRequire(import.meta.url)("../bin/hookctl.js");
const home = mkdtempSync(join(tmpdir(), "hookctl-warm-"));
const hooks = join(home, ".kodelet", "hooks");
const payload = Buffer.from('{"event":"before_tool_call","tool_name":"bash","tool_input":{"command":"ls"}}');

function addHook(name) {
  mkdirSync(hooks, { recursive: true });
  const file = join(hooks, name);
  writeFileSync(file, '#!/bin/sh\ncase $1 in hook) echo before_tool_call;; run) cat >/dev/null; echo "{}";; esac\n');
  chmodSync(file, 0o755);
  utimesSync(file, 0, 0);
}

/** A world that reads one payload and writes nowhere. */
function worldFor(worldOf, argv) {
  const quiet = { out: () => null, err: () => undefined, isStdinTerminal: () => false, isStdoutTerminal: () => false };
  const readStdin = async () => ({ kind: "read", bytes: payload });
  const env = { PATH: process.env.PATH, HOME: home };
  // A clock ahead of the files' times: only settled files are remembered, and remembering is on the hot way.
  const nowMs = () => Date.now() + 60_000;
  return { ...worldOf(process), ...quiet, argv, env, cwd: home, readStdin, nowMs };
}

try {
  const { load, loaded } = partLoader();
  const { main, worldOf } = load("./hot.cjs");
  await main(worldFor(worldOf, ["run", "before_tool_call"]));
  addHook("warm");
  for (const argv of [["run", "before_tool_call"], ["run", "before_tool_call"], ["list", "--json"], ["list"]]) {
    await main(worldFor(worldOf, argv));
  }
  for (const { script, kept } of loaded.values()) writeFileSync(kept, script.createCachedData());
} finally {
  rmSync(home, { recursive: true, force: true });
}
