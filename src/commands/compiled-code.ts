import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { closeInheritedBeforeFirstStart } from "../process/descriptors.ts";
import { TOKEN_VARIABLE } from "../process/process-request.ts";
import { runProcess } from "../process/run-process.ts";
import { newRunId } from "../record/run-id.ts";
import type { World } from "../world.ts";

const WARM = fileURLToPath(new URL("../../bin/warm.mjs", import.meta.url));
const HOT = fileURLToPath(new URL("../../dist/hot.cjs", import.meta.url));

/** The folder where compiled code is kept. */
export const COMPILED_IN = dirname(HOT);

/**
 * Keeps the compiled code of the hot way for this very V8, if it is not there: a fifth of what each call costs. A
 * package cannot bring it, because V8 takes it from its own version only. False: the folder cannot be written.
 */
export async function keepCompiledCode(world: World): Promise<boolean> {
  if (isKept()) return true;
  closeInheritedBeforeFirstStart();
  const token = newRunId(world.nowMs(), world.random);
  await runProcess({
    file: "/bin/sh",
    // A shell's pipe is one: what Node gives as stdin is a socket, which is read another way.
    args: ["-c", 'echo "{}" | "$0" "$1"', process.execPath, WARM],
    input: null,
    cwd: COMPILED_IN,
    // Not the caller's PATH: it may lead into the project, where nothing is approved.
    env: { PATH: "/usr/bin:/bin", [TOKEN_VARIABLE]: token },
    timeoutMs: 20_000,
    stdoutLimitBytes: 1024 * 1024,
    mayLeaveProcesses: false,
    token,
    interrupt: world.interrupt,
  });
  return isKept();
}

const isKept = (): boolean => existsSync(`${HOT}.${process.versions.v8}`);
