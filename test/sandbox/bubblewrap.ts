import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { SYSTEM_PATH } from "../support/compilers.ts";

/** A Python that is no script: inside a sandbox without home it would not start. */
export const PYTHON = "/usr/bin/python3";

/** What the tests of the sandbox need and this machine does not have; null: they run. */
export const missingHere = ((): string | null => {
  if (process.platform !== "linux") return "needs Linux";
  if (!existsSync(PYTHON)) return `needs ${PYTHON}`;
  const { error, status, stderr } = spawnSync("bwrap", ["--ro-bind", "/", "/", "--unshare-all", "--", "true"], {
    encoding: "utf8",
    env: { PATH: SYSTEM_PATH },
  });
  if (error !== undefined) return "needs bubblewrap";
  return status === 0 ? null : `bubblewrap does not start here: ${stderr.trim()}`;
})();

/** For the title of tests that are skipped. */
export const unlessMissing = missingHere === null ? "" : ` (skipped: ${missingHere})`;
