import { newestFirst } from "../../../../src/audit/read.ts";
import { examineCall } from "../../../guard-hooks/examine-call.ts";
import { respell } from "../../../testing/mutate/respell.ts";
import { type Allowing, type JudgePlace, stopsOf } from "./narrowest-rule.ts";
import { shellCall } from "./rule-coverage.ts";
import { isIncomplete, isStopped, type RecordedCall, summaryCall } from "./stopped-call.ts";

/** What rules let pass beside the call for which they were made. */
export interface AlsoAllowed {
  /** Other recorded calls that were stopped. */
  readonly calls: readonly string[];
  /** Respellings of the command that the guards stop today, and how many of them would pass. */
  readonly respellings: { readonly tried: number; readonly allowed: number };
}

const MOST_RUNS = 2_000;
const MOST_RESPELLINGS = 200;

export async function alsoAllowed(
  { run, call, context }: RecordedCall,
  allowing: readonly Allowing[],
  place: JudgePlace,
): Promise<AlsoAllowed> {
  const passes = async (one: ReturnType<typeof summaryCall>): Promise<boolean | null> => {
    const examined = await examineCall(one, context, place.folder);
    if ((await stopsOf(examined, [], place)).length === 0) return null;
    return (await stopsOf(examined, allowing, place)).length === 0;
  };
  const seen = new Set([run.call]);
  const calls: string[] = [];
  let left = MOST_RUNS;
  for (const { line } of context.auditFile === null ? [] : newestFirst(context.auditFile)) {
    if (line.kind !== "run") continue;
    if (left-- === 0) break;
    if (!isStopped(line) || isIncomplete(line) || seen.has(line.call)) continue;
    if (place.isHere && line.project !== run.project) continue;
    seen.add(line.call);
    if ((await passes(summaryCall(line))) === true) calls.push(line.call ?? "");
  }
  const [command, ...more] = call.commands;
  const isOneCommand = typeof command === "string" && more.length === 0;
  const respelled = isOneCommand ? respell(command, { most: MOST_RESPELLINGS, isHarmless: false }) : [];
  const results = [];
  for (const one of respelled) results.push(await passes(shellCall(one.command)));
  const stopped = results.filter((result) => result !== null);
  return { calls, respellings: { tried: stopped.length, allowed: stopped.filter((result) => result).length } };
}
