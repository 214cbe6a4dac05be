import { join } from "node:path";
import { expect } from "vitest";
import { shellQuote } from "../support/shell.ts";
import { HOOKCTL, runProgram, workspace } from "../support/workspace.ts";

export const SESSIONS = "home/.local/state/hookctl/sessions";

/** So many processes at once count one key without losing one, though some wait for long. */
export async function expectAllCounted(writers: number): Promise<void> {
  await using place = await workspace();
  // All wait for the start, so that they meet at the lock and not one after the other.
  const gate = join(place.dir, "go");
  const script = `while [ ! -e ${shellQuote(gate)} ]; do sleep 0.05; done; exec "$0" "$@"`;
  const words = ["-c", script, ...HOOKCTL, "state", "incr", "calls", "--session", "s1"];
  const all = Array.from({ length: writers }, () =>
    runProgram(["/bin/sh", ...words], { cwd: place.project, env: place.env }),
  );
  await place.write("go", "");
  const result = await Promise.all(all);
  expect(result.filter(({ code }) => code !== 0)).toEqual([]);
  expect(result.map(({ stdout }) => Number(stdout)).sort((a, b) => a - b)).toEqual(
    Array.from({ length: writers }, (_, index) => index + 1),
  );
  expect(await place.read(`${SESSIONS}/s1/state`)).toBe(`{"calls":${writers}}`);
}
