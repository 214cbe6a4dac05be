import type { OwnFile } from "../guards/guard.ts";
import { monotonicMs } from "../process/process-request.ts";
import type { EffectiveGuard } from "../protocol/guard-settings.ts";
import type { Hook } from "../protocol/hook.ts";
import { EMPTY_RESPONSE, type HookResponse, type HookResult } from "../protocol/hook-response.ts";
import { jsonText } from "../protocol/json/write.ts";
import { type Payload, targetValue } from "../protocol/payload/payload.ts";
import { ok } from "../protocol/result.ts";
import type { Warning } from "../protocol/warning.ts";

/** What the built-in guards know of this call beside its payload. */
export interface GuardPlace {
  readonly guards: readonly EffectiveGuard[];
  readonly home: string;
  readonly project: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly ownFiles: readonly OwnFile[];
}

/** Judges a payload by a built-in guard. No process is started; the parser is loaded for tools with a command or file. */
export async function invokeGuard(hook: Hook, payload: Payload, place: GuardPlace): Promise<HookResult> {
  const startedMs = monotonicMs();
  const result = await judgePayload(hook, payload, place);
  return { ...result, durationMs: monotonicMs() - startedMs };
}

async function judgePayload(hook: Hook, payload: Payload, place: GuardPlace): Promise<HookResult> {
  const settings = place.guards.find(({ name }) => name === hook.name);
  if (settings === undefined) return answered(null);
  if (payload.event === "after_tool_call") return redacted(hook, payload);
  rules ??= loadRules();
  const { judge, reasonOf, GUARDS, ...parts } = await rules;
  const examined = examinePayload(payload, place, parts);
  const { decision, judged } = judge(examined, { rules: GUARDS[settings.name], settings }, place.ownFiles);
  const [first] = judged;
  if (decision === "allow" || first === undefined) return answered(null);
  const { rule, part } = first.finding;
  const reason = reasonOf(first.finding);
  const metadata = jsonText({ guard: settings.name, rule, part });
  const warnings: readonly Warning[] = hook.observe
    ? [{ code: "GUARD_OBSERVED", hook: hook.name, decision, reason }]
    : [];
  return { ...answered({ ...EMPTY_RESPONSE, decision, reason, metadata }), warnings };
}

let rules: ReturnType<typeof loadRules> | null = null;

/** Loaded once, when the first call is judged. */
async function loadRules() {
  const { readToolCall } = await import("../guards/tool-call.ts");
  const { examine, loadParser } = await import("../guards/examine.ts");
  await loadParser();
  const { judge, reasonOf } = await import("../guards/judge.ts");
  const { GUARDS } = await import("../guards/guards.ts");
  return { readToolCall, examine, judge, reasonOf, GUARDS };
}

type Rules = Awaited<ReturnType<typeof loadRules>>;

interface ExaminedPayload extends Pick<Payload, "members"> {
  readonly place: GuardPlace;
  readonly examined: ReturnType<Rules["examine"]>;
}

let last: ExaminedPayload | null = null;

/** Takes a payload apart. Guards of one run ask one after another, so the last answer is kept. */
function examinePayload(
  { members, cwd }: Payload,
  place: GuardPlace,
  { readToolCall, examine }: Pick<Rules, "readToolCall" | "examine">,
): ExaminedPayload["examined"] {
  if (last !== null && last.members === members && last.place === place) return last.examined;
  const here = { folder: cwd, home: place.home, project: place.project, variables: place.variables };
  const examined = examine(readToolCall(members), here);
  last = { members, place, examined };
  return examined;
}

/** The output of a tool without its secrets, before the model reads it. */
async function redacted(hook: Hook, payload: Payload): Promise<HookResult> {
  const value = targetValue(payload);
  if (value === null) return answered(null);
  const { redactSecrets } = await import("../guards/redact/redact-secrets.ts");
  const { text, kinds } = redactSecrets(value);
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
