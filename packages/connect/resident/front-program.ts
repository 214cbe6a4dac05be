import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Host } from "../../../src/engine/host.ts";
import { realPathOrSame } from "../../../src/fs/paths.ts";
import { fail, ok, type Result } from "../../../src/protocol/result.ts";
import { runForHookctl } from "../install/run-for-hookctl.ts";
import { HOOKCTL_FILE } from "../own-program.ts";

/** The socket of the server for callers like this process, and the description of those callers. */
export interface FrontPlace {
  readonly socket: string;
  readonly description: Buffer;
}

/** Linux allows 127 bytes in the first line of a script before version 5.1. */
const LONGEST_PATH = 120;

/** The front program that belongs to a bin/hookctl.js. */
export const frontBeside = (script: string): string =>
  join(dirname(dirname(script)), "dist", "front", `${process.platform}-${process.arch}`);

/** The front program of this installation (native/front.c); null if it has none for this system, or a script cannot name it. */
export function frontProgram(): string | null {
  const file = frontBeside(realPathOrSame(HOOKCTL_FILE));
  return existsSync(file) && !/\s/.test(file) && file.length <= LONGEST_PATH ? file : null;
}

/** Asks the front program who its callers here are: it alone knows what it compares. */
export async function placeOfFront(launcher: string, host: Host): Promise<Result<FrontPlace, string>> {
  const file = frontProgram();
  if (file === null) return fail("this installation has no front program");
  const env = Object.fromEntries(
    Object.entries(host.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  const request = { file, args: [launcher, "--resident-place"], cwd: "/", env, stdoutLimitBytes: 1 << 20 };
  const { termination, stdout } = await runForHookctl("looking for the server of hookctl", request, host);
  const bytes = Buffer.from(stdout);
  const end = bytes.indexOf("\n");
  const isDone = termination.kind === "exited" && termination.exitCode === 0 && end > 0;
  if (!isDone) return fail(`${file} does not start on this machine`);
  return ok({ socket: bytes.toString("utf8", 0, end), description: bytes.subarray(end + 1) });
}
