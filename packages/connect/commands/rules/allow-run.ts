import { type CommandResult, print } from "../../../../src/cli/command-result.ts";
import type { OptionsOf } from "../../../../src/cli/command-table.ts";
import { requirePerson } from "../../../../src/cli/prompt/require-person.ts";
import type { Host } from "../../../../src/engine/host.ts";
import type { RunContext } from "../../../../src/engine/run-context.ts";
import { GUARD_NAMES, type GuardName } from "../../../../src/protocol/guard-settings.ts";
import { isObject, objectOr } from "../../../../src/protocol/json/read.ts";
import type { JsonRecord } from "../../../../src/protocol/json/write.ts";
import { ProblemError, unwrap } from "../../../../src/protocol/result.ts";
import { quoteHookNames } from "../../../../src/protocol/text/shell-quote.ts";
import { examineCall } from "../../../guard-hooks/examine-call.ts";
import { reasonOf } from "../../../guards/judge.ts";
import type { MemberEdit } from "../../install/settings-file/edit-switches.ts";
import { type AllowedRun, allowedRunJson, allowedRunText } from "../../report/allow-run-text.ts";
import { editSettings, writeSettings } from "../guards/switches-file.ts";
import { limitsOf, scopeOf, writeRule } from "./add-rule.ts";
import { alsoAllowed } from "./also-allowed.ts";
import { type Allowing, narrowestRules, type Stop, stopsOf } from "./narrowest-rule.ts";
import { type RuleScope, scopePath } from "./rule-places.ts";
import { findStoppedCall, type RecordedCall } from "./stopped-call.ts";
import { writeCase } from "./write-case.ts";

interface Caller {
  readonly context: RunContext;
  readonly host: Host;
}

/** `hookctl allow RUN`: writes the narrowest rule that would have let a recorded call pass. */
export async function allowRun(name: string, options: OptionsOf<"allow">, caller: Caller): Promise<CommandResult> {
  const { host } = caller;
  const scope = scopeOf("allow", options);
  const limits = limitsOf("allow", options, host);
  const recorded = await findStoppedCall(name, options, caller);
  const { run, call, folder, context } = recorded;
  const place = { context, folder, isHere: scope !== "global" };
  const examined = await examineCall(call, context, folder);
  const stops = await stopsOf(examined, [], place);
  if (stops.length === 0) return answerUnstopped(recorded, options, host);
  refuseFixed(stops, recorded);
  if (!recorded.isWhole) throw notWhole(run);
  const allowing = await narrowestRules(examined, place);
  if (allowing === null) throw noRule(stops, recorded);
  const endless = allowing.find((one) => "guard" in one);
  if (endless !== undefined && Object.keys(limits).length > 0) throw hasNoEnd(endless.guard);
  await requirePerson(host);
  const also = await alsoAllowed(recorded, allowing, place);
  const files: string[] = [];
  for (const one of allowing) files.push(await writeAllowing(one, scope, { limits, context, host }));
  const testCase = caseFor(recorded, stops);
  const written = writeCase(testCase, scope, context, host);
  const allowed: AllowedRun = {
    runId: run.runId,
    call: run.call ?? "",
    stoppedBy: [...new Set(stops.map(({ guard, judged }) => `${guard.name}/${judged.finding.rule}`))],
    rules: allowing,
    ...{ scope, also, testCase, project: context.scopes.rootDir },
    file: files[0] ?? "",
    caseFile: written,
  };
  return print(
    options.json
      ? `${allowedRunJson(allowed)}\n`
      : allowedRunText(allowed, { cwd: host.cwd, homeDir: context.scopes.homeDir }),
    host,
  );
}

/** Nothing of hookctl's guards stops the call now: a hook decided, or the settings have changed. */
function answerUnstopped(
  { run, isWhole }: RecordedCall,
  { json }: { readonly json: boolean },
  host: Host,
): CommandResult {
  const { decidedBy, runId } = run;
  const isGuard = GUARD_NAMES.some((name) => name === decidedBy);
  if (decidedBy !== null && !isGuard) {
    const detail = `Run ${runId} was stopped by the hook ${decidedBy}, but rules only allow what hookctl's guards stop.`;
    throw wrong(detail, `hookctl off ${quoteHookNames([decidedBy])} --for 10m`);
  }
  if (!isWhole) throw notWhole(run);
  const text = `The guards let this call pass now; no rule is needed (run ${runId}).\n`;
  return print(json ? `${allowedRunJson({ runId, call: run.call ?? "", rules: [] })}\n` : text, host);
}

const wrong = (detail: string, tryThis: string): ProblemError =>
  new ProblemError({ code: "USAGE_WRONG_WORDS", detail, tryThis });

const notWhole = ({ runId }: RecordedCall["run"]): ProblemError =>
  wrong(
    `The call of run ${runId} was not recorded in full, so no rule can be made from it.`,
    "hookctl allow 'COMMAND'",
  );

const hasNoEnd = (guard: string): ProblemError =>
  wrong(
    `This call is allowed by an entry of the guard ${guard}, which has no reason and no end.`,
    `hookctl off ${guard} --for 10m`,
  );

/** Throws for what no rule of a person allows: guards of the machine, and hookctl's own files. */
function refuseFixed(stops: readonly Stop[], { run }: RecordedCall): void {
  const ofMachine = stops.find(({ guard }) => guard.source === "machine");
  if (ofMachine !== undefined)
    throw new ProblemError({ code: "USAGE_MACHINE_HOOK", name: ofMachine.guard.name, path: ofMachine.guard.file });
  if (!stops.some(({ guard }) => guard.name === "self-protection")) return;
  const detail = `self-protection stopped run ${run.runId}: no rule lets an agent change hookctl or its settings.`;
  throw wrong(detail, "hookctl off self-protection --for 10m");
}

function noRule([stop]: readonly Stop[], { run }: RecordedCall): ProblemError {
  const why = stop === undefined ? "" : ` ${reasonOf(stop.judged.finding)}`;
  const detail = `No rule is narrow enough to let run ${run.runId} pass.${why}`;
  return wrong(
    detail,
    stop === undefined ? "hookctl why" : `hookctl off ${stop.guard.name}/${stop.judged.finding.rule} --for 10m`,
  );
}

/** Writes one rule. Returns its settings file. */
async function writeAllowing(
  one: Allowing,
  scope: RuleScope,
  { limits, context, host }: Caller & { readonly limits: ReturnType<typeof limitsOf> },
): Promise<string> {
  if (!("guard" in one)) return (await writeRule({ ...one, ...limits, list: "allow" }, scope, { context, host })).file;
  const path = [...scopePath(scope, context), "guards", one.guard];
  const editsFor = (root: unknown): readonly MemberEdit[] => guardEdits(root, path, one.match);
  const yaml = `add to the guard ${one.guard}: { allow: [ ${JSON.stringify(one.match)} ] }`;
  const edited = unwrap(editSettings({ isProject: scope === "project", yaml }, editsFor, { context, host }));
  const problem = edited.isChanged ? await writeSettings(edited) : null;
  if (problem !== null) throw new ProblemError(problem);
  return edited.file;
}

function guardEdits(root: unknown, path: readonly string[], match: string): readonly MemberEdit[] {
  const present = path.reduce<unknown>((value, key) => objectOr(value)[key], root);
  if (!isObject(present)) return [{ path: [...path], value: { allow: [match] } }];
  const { allow } = present;
  if (!Array.isArray(allow)) return [{ path: [...path, "allow"], value: [match] }];
  return allow.includes(match) ? [] : [{ path: [...path, "allow", allow.length], value: match, isAdded: true }];
}

/** A case of `hookctl test` that fails if the call is stopped again. */
function caseFor({ run, payload }: RecordedCall, [stop]: readonly Stop[]): JsonRecord {
  const guard: GuardName = stop?.guard.name ?? "rules";
  return {
    name: `allowed: ${(run.call ?? "").slice(0, 60)}`,
    guard,
    event: "before_tool_call",
    payload,
    expect: { decision: "allow" },
  };
}
