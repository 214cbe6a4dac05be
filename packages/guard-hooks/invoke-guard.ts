import type { Guards } from "../../src/engine/run-context.ts";
import { firstBytes } from "../../src/fs/read-file.ts";
import { monotonicMs } from "../../src/process/process-request.ts";
import type { EffectiveGuard } from "../../src/protocol/guard-settings.ts";
import type { Hook } from "../../src/protocol/hook.ts";
import { EMPTY_RESPONSE, type HookResponse, type HookResult } from "../../src/protocol/hook-response.ts";
import { jsonText } from "../../src/protocol/json/write.ts";
import { ownValue } from "../../src/protocol/own-value.ts";
import { type Payload, targetValue } from "../../src/protocol/payload/payload.ts";
import { fail, ok } from "../../src/protocol/result.ts";
import type { Warning } from "../../src/protocol/warning.ts";
import { UNKNOWN } from "../../src/shell/unknown.ts";
import type { FileAccess } from "../guards/command/files/file-access.ts";
import { type Examined, examine, loadParserFor, withParser } from "../guards/examine.ts";
import type { Guard } from "../guards/guard.ts";
import { type GuardVerdict, type Judged, judge, reasonOf } from "../guards/judge.ts";
import { readToolCall } from "../guards/tool-call.ts";
import { judgeOnce, type RuleUse, releaseClaims, withCurrentRules } from "./current-rules.ts";
import { withFileFacts } from "./edit-results.ts";
import { type GuardPlace, guardPlace, ownFilesOf } from "./guard-place.ts";
import { remembersNothing } from "./intents/intents.ts";
import { type CallMemory, memoryOf, type RememberedCall } from "./intents/memory.ts";
import { loadRules } from "./load-rules.ts";
import { AGENT_FILES } from "./own-files.ts";
import { unknownRules } from "./rule-checks.ts";
import { knowsNoWrittenFiles } from "./written-record.ts";

export const guards: Guards = {
  judge: (hook, payload, context) => {
    const place = guardPlace(context);
    return invokeGuard(hook, payload, place, memoryOf(payload, context, place));
  },
  ownPaths: (context) => ownFilesOf(context).map(({ path }) => path),
  agentFiles: AGENT_FILES.project,
};

/**
 * Judges a payload by a built-in guard. No process is started; the parser is loaded for a command that is not plain. A
 * guard that cannot judge, because of a fault of ours, is a hook that failed: nothing else of the run is lost.
 */
export async function invokeGuard(
  hook: Hook,
  payload: Payload,
  place: GuardPlace,
  memory: CallMemory | null = null,
): Promise<HookResult> {
  const startedMs = monotonicMs();
  const result = await judgePayload(hook, payload, place, memory).catch((error: unknown) => failed(hook, error));
  return { ...result, durationMs: monotonicMs() - startedMs };
}

const failed = ({ name, path }: Hook, error: unknown): HookResult => ({
  ...answered(null),
  response: fail({ code: "HOOK_GUARD_THREW", hook: name, path, cause: String(error) }),
});

async function judgePayload(
  hook: Hook,
  payload: Payload,
  place: GuardPlace,
  memory: CallMemory | null,
): Promise<HookResult> {
  const found = place.guards.find(({ name }) => name === hook.name);
  if (found === undefined) return answered(null);
  const use: RuleUse = { folder: place.usedRules, claimed: claimsOf(payload) };
  const settings = withCurrentRules(found, use);
  if (payload.event === "after_tool_call") {
    if (memory !== null && !remembersNothing(memory.folder)) await rememberAnswer({ payload, place, memory });
    return redacted(hook, payload, place);
  }
  const rules = await loadRules(settings.name, place);
  const call = withTexts(await examinePayload(payload, place, memory), rules);
  const examined = memory === null ? call : await withEarlier(call, rules, { payload, place, memory });
  const judgeBy = (by: EffectiveGuard): GuardVerdict => judge(examined, { rules, settings: by }, place.ownFiles);
  // A call that does not happen, and a guard that only observes, use up nothing.
  const isReal = memory !== null && !hook.observe;
  const { decision, judged } = await withParser(() => (isReal ? judgeOnce(settings, judgeBy, use) : judgeBy(settings)));
  if (isReal && decision === "block") releaseClaims(use);
  const [first] = judged;
  const notices = [...pausedRules(hook, settings, judged), ...unknownRules(settings, rules)];
  if (decision === "allow" || first === undefined) {
    if (memory !== null && !hook.observe && judged.length > 0) await notePassed(judged, settings.name, place, memory);
    return { ...answered(null), warnings: notices };
  }
  const { rule, part } = first.finding;
  if (hook.observe || memory === null) {
    const reason = reasonOf(first.finding);
    const metadata = jsonText({ guard: settings.name, rule, part });
    const warnings: readonly Warning[] = hook.observe
      ? [{ code: "GUARD_OBSERVED", hook: hook.name, decision, reason }]
      : [];
    return { ...answered({ ...EMPTY_RESPONSE, decision, reason, metadata }), warnings: [...warnings, ...notices] };
  }
  const { answerTry } = await import("./intents/tries.ts");
  const { tries, warnings, ...answer } = await answerTry({ decision, judged }, { hook, settings, rules }, memory);
  const metadata = jsonText({ guard: settings.name, rule, part, tries: tries > 1 ? tries : undefined });
  return { ...answered({ ...EMPTY_RESPONSE, ...answer, metadata }), warnings: [...warnings, ...notices] };
}

/** What the agent may know when it sends something. Most calls send nothing, and load nothing for it. */
async function withEarlier(examined: Examined, { name, sends }: Guard, call: RememberedCall): Promise<Examined> {
  if (name !== "secrets") return examined;
  const isProgram = sends?.(examined) === true;
  const kind = call.payload.members.get("tool_kind")?.raw ?? "";
  if (!isProgram && !/^"(?:web|mcp)"$/.test(kind)) return examined;
  const { withEarlierSecrets } = await import("./intents/earlier-secrets.ts");
  return withEarlierSecrets(examined, call, isProgram);
}

async function notePassed(
  judged: readonly Judged[],
  guard: EffectiveGuard["name"],
  place: GuardPlace,
  memory: CallMemory,
): Promise<void> {
  if (!remembersNothing(memory.folder)) await (await import("./intents/answers.ts")).forgetTries(judged, guard, memory);
  if (guard === "secrets") await (await import("./intents/earlier-secrets.ts")).noteRead(judged, place, memory);
}

async function rememberAnswer(call: RememberedCall): Promise<void> {
  const { noteAnswer } = await import("./intents/answers.ts");
  await noteAnswer(await examinePayload(call.payload, call.place, call.memory), call);
}

/** The rules that the guards of one run have used up. */
const claims = new WeakMap<Payload["members"], Set<string>>();

function claimsOf({ members }: Payload): Set<string> {
  const own = claims.get(members) ?? new Set();
  claims.set(members, own);
  return own;
}

/** A call that passes because a rule is off for a while says so. */
function pausedRules(hook: Hook, { ruleSettings }: EffectiveGuard, judged: readonly Judged[]): readonly Warning[] {
  const reasons = new Map(judged.map(({ finding: { rule } }) => [rule, ownValue(ruleSettings, rule)?.paused]));
  return [...reasons].flatMap(([rule, reason]): readonly Warning[] =>
    reason === undefined
      ? []
      : [{ code: "HOOK_PAUSED", hook: `${hook.name}/${rule}`, path: hook.path, by: "hookctl off", reason }],
  );
}

/** The guards of one run ask for the same payload, one after another. */
const examinedCalls = new WeakMap<Payload["members"], { readonly place: GuardPlace; readonly examined: Examined }>();

async function examinePayload(payload: Payload, place: GuardPlace, memory: CallMemory | null): Promise<Examined> {
  const { members, cwd } = payload;
  const before = examinedCalls.get(members);
  if (before?.place === place) return before.examined;
  const call = readToolCall(members);
  await loadParserFor(call);
  const here = { folder: cwd, home: place.home, project: place.project, variables: place.variables };
  const examineWith = (scripts?: ReadonlyMap<string, string>): Promise<Examined> =>
    withParser(() => examine(call, scripts === undefined ? here : { ...here, scripts }));
  const all = await withScripts(await examineWith(), examineWith, memory);
  if (memory !== null && payload.event === "before_tool_call") await rememberWritten(all, memory);
  const found = await withFileFacts(all, place.ownFiles);
  const examined = { ...found, files: found.files.map(withReplacedText) };
  examinedCalls.set(members, { place, examined });
  return examined;
}

/** Most calls start no file that is known by its path, and load nothing for it. */
async function withScripts(
  examined: Examined,
  examineWith: (scripts: ReadonlyMap<string, string>) => Promise<Examined>,
  memory: CallMemory | null,
): Promise<Examined> {
  const startsFile = examined.commands.some(({ unread }) => unread !== undefined);
  if (memory === null || !startsFile || knowsNoWrittenFiles(memory.folder)) return examined;
  const { withWrittenScripts } = await import("./intents/written-files.ts");
  return withWrittenScripts(examined, examineWith, memory);
}

async function rememberWritten({ files }: Examined, memory: CallMemory): Promise<void> {
  const paths = files.flatMap(({ kind, path, isGlob }) =>
    kind === "write" && !isGlob && isScriptPath(path) ? [path] : [],
  );
  if (paths.length > 0) await (await import("./intents/written-files.ts")).noteWritten(paths, memory);
}

const isScriptPath = (path: string): boolean => !path.includes(UNKNOWN) && !/^\/(?:dev|proc)\//.test(path);

/** A text with a mark of a removed secret may replace a file that has the mark already. */
function withReplacedText(file: FileAccess): FileAccess {
  const { edit, path } = file;
  if (edit?.oldText !== null || edit.newText?.includes("[redacted") !== true) return file;
  return { ...file, replaced: firstBytes(path, MOST_REPLACED) };
}

/** The files with their texts before the call, for a guard that compares them. */
function withTexts(examined: Examined, { needsText }: Guard): Examined {
  if (needsText === undefined) return examined;
  const files = examined.files.map((file) =>
    needsText(file, examined.place) ? { ...file, replaced: textOf(file.path) } : file,
  );
  return { ...examined, files };
}

const textOf = (path: string): string | null => {
  const bytes = firstBytes(path, MOST_REPLACED);
  return bytes === null ? null : Buffer.from(bytes, "latin1").toString();
};

const MOST_REPLACED = 1_048_576;

/** The output of a tool without its secrets, before the model reads it. */
async function redacted(hook: Hook, payload: Payload, { valuesOf }: GuardPlace): Promise<HookResult> {
  const value = targetValue(payload);
  if (value === null) return answered(null);
  const { redactSecrets } = await import("../../src/redact/redact-secrets.ts");
  const { text, kinds } = redactSecrets(value, valuesOf(payload.session));
  if (kinds.length === 0) return answered(null);
  const reason = `secrets in the output of the tool: ${kinds.join(", ")}`;
  if (hook.observe)
    return { ...answered(null), warnings: [{ code: "GUARD_OBSERVED", hook: hook.name, decision: "redact", reason }] };
  return answered({ ...EMPTY_RESPONSE, change: text, systemMessage: `hookctl removed ${reason}.` });
}

const answered = (response: HookResponse | null): HookResult => ({
  response: ok(response),
  wasNotInvoked: false,
  exitCode: null,
  signal: null,
  durationMs: 0,
  stderr: "",
  warnings: [],
});
