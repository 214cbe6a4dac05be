import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { WHY } from "../reasons.mjs";
import { writeHooks } from "../workspace.mjs";

/** @import { Bench, Group } from "../group.mjs" */

const CHILD = fileURLToPath(new URL("redaction-child.mjs", import.meta.url));
const RUN = ["run", "before_tool_call"];
/** So many MB in one process, without what it takes to start it and to make them. */
const MEGABYTES = 8;

/**
 * P12: 1 MB redacted, against what one shell hook adds to a run.
 * @param {Bench} bench
 * @returns {Group}
 */
export function redaction({ workspace, commands, bin }) {
  const door = join(dirname(dirname(bin)), "dist", "audit", "redact.js");
  if (!existsSync(door)) return { commands: {}, figures: [], skipped: "dist/audit/redact.js is not built" };
  const [none, one] = [workspace.scene(), workspace.scene()];
  writeHooks(one.userHooks, 1);
  /** @param {"redact" | "keep"} what */
  const child = (what) =>
    commands.plain(none, [process.execPath, CHILD, pathToFileURL(door).href, String(MEGABYTES), what]);
  return {
    commands: {
      kept: child("keep"),
      redacted: child("redact"),
      none: commands.hookctl(none, RUN),
      hook: commands.hookctl(one, RUN),
    },
    figures: [
      {
        ...{ id: "P12", what: "1 MB of output redacted", ours: { redacted: 1 / MEGABYTES, kept: -1 / MEGABYTES } },
        ...{
          against: "one sh hook in a run",
          theirs: { hook: 1, none: -1 },
          target: { node: 1 },
          whyMissed: { node: WHY.redaction },
        },
      },
    ],
  };
}
