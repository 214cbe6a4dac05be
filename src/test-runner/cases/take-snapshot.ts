import { type JsonSpan, spanOfRaw } from "../../protocol/json/read.ts";
import { type JsonRecord, jsonText, rawJson } from "../../protocol/json/write.ts";
import type { Verdict } from "../../protocol/verdict.ts";
import { decisionWord } from "./compare-verdict.ts";

/** A folder that differs from run to run, and the word for it. */
export type ScratchName = readonly [path: string, word: string];

/** What came of a case, without what it did not touch. `names`: the longest paths first. */
export function takeSnapshot(verdict: Verdict, state: JsonSpan, names: readonly ScratchName[]): JsonSpan {
  const lists = { context: verdict.context, follow_ups: verdict.followUps, pushes: verdict.pushes };
  const parts: JsonRecord = {
    decision: decisionWord(verdict.decision),
    reason: verdict.reason ?? undefined,
    change: verdict.change === null ? undefined : rawJson(verdict.change),
    ...Object.fromEntries(Object.entries(lists).filter(([, texts]) => texts.length > 0)),
    state: state.raw === "{}" ? undefined : rawJson(state.raw),
  };
  // In JSON text a path of the scratch folders is written as it is: they have no character that is escaped.
  return spanOfRaw(names.reduce((text, [path, word]) => text.replaceAll(path, word), jsonText(parts)));
}
