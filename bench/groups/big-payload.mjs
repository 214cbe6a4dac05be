import { join } from "node:path";
import { writeHooks } from "../workspace.mjs";

/** @import { Bench, Group } from "../group.mjs" */

const BYTES = 50_000_000;
const LINE = 'The quick brown fox \\"jumps\\" over the lazy dog, again and again.\\n';

/**
 * P9: 50 MB through one hook. The hook alone is what it costs anyway; the target speaks of another runner.
 * @param {Bench} bench
 * @returns {Group}
 */
export function bigPayload({ workspace, commands, stopwatch }) {
  const scene = workspace.scene();
  const [hook = ""] = writeHooks(scene.userHooks, 1);
  const stdin = workspace.file("big.json", bigPayloadText(workspace.root));
  const row = { id: "P9", against: "the hook", ours: { hookctl: 1 }, theirs: { hook: 1 } };
  return {
    commands: {
      hook: { ...commands.plain(scene, [join(scene.userHooks, hook), "run"]), stdin },
      hookctl: { ...commands.hookctl(scene, ["run", "before_tool_call"]), stdin },
    },
    mostRounds: 9,
    figures: [
      { ...row, what: "50 MB payload, one hook" },
      ...(stopwatch.seesMemory
        ? [{ ...row, what: "50 MB payload, peak memory", measure: /** @type {const} */ ("peakMb") }]
        : []),
    ],
    ...(stopwatch.seesMemory ? {} : { skipped: "peak memory, which this clock cannot see" }),
  };
}

/** @param {string} cwd */
function bigPayloadText(cwd) {
  const head = `{"event":"before_tool_call","conv_id":"bench","cwd":${JSON.stringify(cwd)},"invoked_by":"main",`;
  return `${head}"tool_name":"file_write","tool_input":{"path":"big.txt","text":"${LINE.repeat(BYTES / LINE.length)}"}}`;
}
