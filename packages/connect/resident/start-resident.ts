import { spawn } from "node:child_process";
import { statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { RunContext } from "../../../src/engine/run-context.ts";
import { writeFileAtomic } from "../../../src/fs/write-file.ts";
import { HANDED_OVER, RUNTIME_LOADERS } from "../../../src/process/filter-environment.ts";
import { HOOKCTL_FILE, userLauncher } from "../own-program.ts";

/** Starts a server for later calls, which outlives this process. */
export function startResident(launcher: string, context: Pick<RunContext, "env">): void {
  // The front program names no other launcher. A variable that a project sets could.
  if (launcher !== userLauncher(context.env.HOME ?? "")) return;
  if (isJustStarted(join(dirname(launcher), "resident", "started"))) return;
  const variables = Object.entries(context.env).filter(([name]) => !name.startsWith("HOOKCTL_"));
  const handedOver = variables.map(([name, value]) => [
    RUNTIME_LOADERS.includes(name) ? HANDED_OVER + name : name,
    value,
  ]);
  // No threads for little garbage. With most other flags V8 would refuse the compiled code that is kept.
  const child = spawn(process.execPath, ["--single-threaded-gc", HOOKCTL_FILE, "serve", "--resident", launcher], {
    cwd: "/",
    env: Object.fromEntries(handedOver),
    detached: true,
    stdio: "ignore",
  });
  // Without a server each call is answered as this one was.
  child.on("error", () => {});
  child.unref();
}

const PAUSE_MS = 2_000;

/** Of many calls at once one starts a server, and one that cannot start is not started by each call. */
function isJustStarted(note: string): boolean {
  const startedMs = statSync(note, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  // A time in the future is of a clock that was set back.
  if (Math.abs(Date.now() - startedMs) < PAUSE_MS) return true;
  writeFileAtomic(note, "");
  return false;
}
