import { EVENTS } from "../../../src/protocol/event.ts";
import {
  itemsOf,
  type JsonObject,
  type JsonSpan,
  membersOf,
  objectOf,
  spanOfRaw,
  stringOf,
  textSpan,
} from "../../../src/protocol/json/read.ts";
import { COMMAND_KEYS, FILE_KEYS, plainKey, TOOL_INPUT_DEPTH } from "../../../src/protocol/payload/tool-call.ts";
import type { VerdictDecision } from "../../../src/protocol/verdict.ts";
import type { CaseResult, TestCase } from "../cases/test-case.ts";
import type { MutatedCase, Respelling } from "../test-report.ts";
import { respell } from "./respell.ts";

/** What a hook decided about a case. */
export interface CaseDecision {
  /** `null` if the case has no valid payload. */
  readonly decision: VerdictDecision | null;
  readonly wasCutShort: boolean;
}

type DecideCase = (one: TestCase) => Promise<CaseDecision>;

/** Starts a task once a worker is free. Returns null if the call ended before. */
export type StartTask = <T>(task: (decide: DecideCase) => Promise<T>) => Promise<T | null>;

/** Called with the number of additional respellings to try, and of those that are done. */
export type OnMutants = (more: { readonly planned: number; readonly done: number }) => void;

const MOST_RESPELLINGS = 200;

/** A case that passed, and what the hook decided. */
export interface PassedCase {
  readonly one: TestCase;
  readonly decision: VerdictDecision;
}

/** Returns null if the case did not pass, or if the hook decides after the command has run. */
export function passedCase(one: TestCase, result: CaseResult | null): PassedCase | null {
  if (result?.passed !== true || result.run === null) return null;
  const { payload, verdict } = result.run;
  return EVENTS[payload.event].phase === "pre" ? { one, decision: verdict.decision } : null;
}

/** Runs the cases about shell commands again with respelled commands. Returns null if no case has a command. */
export async function mutateCases(
  cases: readonly PassedCase[],
  start: StartTask,
  onProgress: OnMutants,
): Promise<readonly MutatedCase[] | null> {
  const mutants = cases.flatMap(({ one, decision }): readonly Mutants[] => {
    const expects = decision === "continue" ? "allow" : "stop";
    const command = caseCommand(one) ?? "";
    const respellings = respell(command, { most: MOST_RESPELLINGS, isHarmless: expects === "allow" });
    return respellings.length === 0 ? [] : [{ one, expects, respellings }];
  });
  const planned = mutants.reduce((sum, { respellings }) => sum + respellings.length, 0);
  onProgress({ planned, done: 0 });
  const mutated = await Promise.all(mutants.map((one) => mutate(one, start, onProgress)));
  return mutated.length === 0 ? null : mutated;
}

interface Mutants {
  readonly one: TestCase;
  readonly expects: MutatedCase["expects"];
  readonly respellings: readonly Respelling[];
}

async function mutate(
  { one, expects, respellings }: Mutants,
  start: StartTask,
  onProgress: OnMutants,
): Promise<MutatedCase> {
  let stopped: MutatedCase["stopped"] = null;
  /** Returns the decision, or null if there is none. */
  const tryOne = async ({ command }: Respelling, decide: DecideCase): Promise<VerdictDecision | null> => {
    if (stopped !== null) return null;
    const { decision, wasCutShort } = await decide(withCommand(one, command));
    onProgress({ planned: 0, done: 1 });
    // The others may hang, too, and each would take a whole timeout.
    if (wasCutShort) stopped = "timeout";
    return wasCutShort ? null : decision;
  };
  const tried = await Promise.all(
    respellings.map(async (respelling) => {
      const task = await start(async (decide) => ({ ...respelling, decision: await tryOne(respelling, decide) }));
      if (task === null) stopped ??= "interrupt";
      return task;
    }),
  );
  const decided = tried.flatMap((one) => (one === null || one.decision === null ? [] : [one]));
  const survivors = decided.filter(({ decision }) => (decision === "continue") !== (expects === "allow"));
  const { name, file, line } = one;
  return {
    name,
    file,
    line,
    expects,
    respellings: decided.length,
    untried: respellings.length - decided.length,
    survivors: survivors.map(({ kinds, command }) => ({ kinds, command })),
    stopped,
  };
}

/** The shell command that the payload of a case sets; null if it sets none, or several. */
export function caseCommand({ payload }: TestCase): string | null {
  const found: string[] = [];
  mapCommands(objectOf(payload), (command) => {
    found.push(command);
    return command;
  });
  const [only, ...others] = new Set(found);
  return only === undefined || others.length > 0 ? null : only;
}

/** The case with another command. */
export const withCommand = (one: TestCase, command: string): TestCase => ({
  ...one,
  payload: membersOf(mapCommands(objectOf(one.payload), () => command)),
});

type MapCommand = (command: string) => string;

/** Replaces each shell command in a payload, in the format of any agent. */
function mapCommands(span: JsonSpan, map: MapCommand, depth = 0): JsonSpan {
  if (depth > TOOL_INPUT_DEPTH || span.kind !== "object") return span;
  const members = membersOf(span);
  const isShell = !hasFile(members);
  return objectOf(
    [...members].map(([key, value]) => [
      key,
      isShell && SHELL_KEYS.has(plainKey(key)) ? mapped(value, map) : mapCommands(value, map, depth + 1),
    ]),
  );
}

/** Beside arguments or a file, `command` is a program or an action of a tool. */
const hasFile = (members: JsonObject): boolean =>
  [...members.keys()].map(plainKey).some((key) => FILE_KEYS.has(key) || WITH_ARGUMENTS.has(key));

const WITH_ARGUMENTS = new Set(["args", "argv", "arguments", "program", "executable"]);
const SHELL_KEYS: ReadonlySet<string> = new Set([...COMMAND_KEYS].filter((key) => !WITH_ARGUMENTS.has(key)));

/** A command, or the last of `["bash", "-lc", "…"]`. */
function mapped(value: JsonSpan, map: MapCommand): JsonSpan {
  if (value.kind === "string") return textSpan(map(stringOf(value)));
  if (value.kind !== "array") return value;
  const items = itemsOf(value);
  const [shell, option, script, ...more] = items.map((item) => (item.kind === "string" ? stringOf(item) : ""));
  const isScript =
    /(?:^|\/)(?:ba|da|z|k)?sh$/.test(shell ?? "") && /^-[a-z]*c$/.test(option ?? "") && more.length === 0;
  if (!isScript || script === undefined) return value;
  return spanOfRaw(`[${[...items.slice(0, 2).map(({ raw }) => raw), textSpan(map(script)).raw].join(",")}]`);
}
