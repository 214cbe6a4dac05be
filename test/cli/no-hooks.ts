import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { EventName } from "../../src/protocol/event.ts";
import { samplePayload } from "../../src/protocol/payload/sample.ts";
import { loadedModules } from "../support/loaded-modules.ts";
import { testOnNode, workspace } from "../support/workspace.ts";

/** Where a block can stop something, the answer says that there is none. */
const STOPPABLE: readonly string[] = [
  ...["session_start", "user_message_send", "turn_start", "before_llm_call", "before_tool_call", "before_compaction"],
  ...["budget_exceeded", "permission_request", "skill_start", "task_start", "subagent_start"],
];

export const NO_ANSWER = { stderr: "", code: 0, signal: null };

/** Every file below a folder with all of its bytes. */
export const contents = (folder: string) =>
  (readdirSync(folder, { recursive: true }) as string[]).sort().map((path) => {
    const { mode, mtimeMs } = statSync(join(folder, path));
    const isFile = statSync(join(folder, path)).isFile();
    return { path, mode, mtimeMs, text: isFile ? readFileSync(join(folder, path), "utf8") : null };
  });

/** The answer is the same bytes as ever, and nothing is loaded or written. */
export function testNoHooks(events: readonly EventName[]): void {
  testOnNode.each(events)("%s", async (event) => {
    await using place = await workspace();
    const stdin = JSON.stringify(samplePayload(event, place.project));
    const wanted = STOPPABLE.includes(event) ? '{"blocked":false}\n' : "{}\n";
    const before = [place.home, place.project].map(contents);
    const { ended, libraries, parts } = await loadedModules(place, ["run", event], { stdin });
    expect({ ended, libraries, parts }).toEqual({
      ended: { ...NO_ANSWER, stdout: wanted },
      libraries: [],
      parts: ["hot"],
    });
    expect([place.home, place.project].map(contents)).toEqual(before);
  });
}
