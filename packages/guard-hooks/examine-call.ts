import type { RunContext } from "../../src/engine/run-context.ts";
import { type Examined, examine, loadParserFor, withParser } from "../guards/examine.ts";
import type { ToolCall } from "../guards/tool-call.ts";
import { guardPlace } from "./guard-place.ts";
import { intentsFolder } from "./intents/intents.ts";
import { withWrittenScripts } from "./intents/written-files.ts";
import { knowsNoWrittenFiles } from "./written-record.ts";

/** Examines a call as the guards of a run in this folder would: with the scripts that the agent wrote before. Nothing is remembered. */
export async function examineCall(call: ToolCall, context: RunContext, folder: string): Promise<Examined> {
  const { ownFiles: _, guards: __, ...place } = guardPlace(context);
  const { sessionsDir, nowMs } = context;
  const here = { ...place, folder };
  await loadParserFor(call);
  const examineWith = (scripts?: ReadonlyMap<string, string>): Promise<Examined> =>
    withParser(() => examine(call, scripts === undefined ? here : { ...here, scripts }));
  const first = await examineWith();
  const memory = sessionsDir === null ? null : intentsFolder(sessionsDir, place.project);
  if (memory === null || knowsNoWrittenFiles(memory)) return first;
  return withWrittenScripts(first, examineWith, { folder: memory, nowMs });
}
