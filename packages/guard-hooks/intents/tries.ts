import type { EffectiveGuard } from "../../../src/protocol/guard-settings.ts";
import type { Hook } from "../../../src/protocol/hook.ts";
import { ownValue } from "../../../src/protocol/own-value.ts";
import { pluralize } from "../../../src/protocol/text/count.ts";
import { truncate } from "../../../src/protocol/text/text.ts";
import type { Warning } from "../../../src/protocol/warning.ts";
import { redactSecrets } from "../../../src/redact/redact-secrets.ts";
import { intentsOf } from "../../guards/effects/intents.ts";
import type { Finding, Guard, GuardName } from "../../guards/guard.ts";
import { type GuardVerdict, type Judged, reasonOf } from "../../guards/judge.ts";
import { changeIntents, type StoppedCall, shortHash } from "./intents.ts";
import type { CallMemory } from "./memory.ts";

/** A guard's answer to a call that it stops. */
export interface StopAnswer {
  readonly decision: "ask" | "block";
  readonly reason: string;
  /** Tells the person of a call that stays blocked and is tried again and again. */
  readonly systemMessage: string | null;
  /** Which try of the same this is. */
  readonly tries: number;
  readonly warnings: readonly Warning[];
}

/** From this try on the person is asked. */
const ASKED_FROM = 3;

const MOST_SHOWN = 3;
const LONGEST_PART = 120;

/** Remembers a call that a guard stops. The third try of the same, in any spelling, is a question to the person. */
export async function answerTry(
  { decision, judged }: GuardVerdict & { readonly decision: "ask" | "block" },
  { hook, settings, rules }: { readonly hook: Hook; readonly settings: EffectiveGuard; readonly rules: Guard },
  memory: CallMemory,
): Promise<StopAnswer> {
  const stopped = judged.filter((one) => one.decision !== "allow");
  const [first] = stopped;
  const reason = first === undefined ? "" : reasonOf(first.finding);
  const intents = intentHashes(stopped, settings.name);
  const part = truncate(redactSecrets(first?.finding.part ?? "", memory.values()).text, LONGEST_PART);
  const isAskable =
    first !== undefined &&
    mayBeAsked(hook, settings, first.finding) &&
    !stopped.some((one) => one.decision === "block" && rules.staysBlocked?.includes(one.finding.rule) === true);
  const answerAfter = (earlier: readonly StoppedCall[]): Pick<StopAnswer, "decision" | "reason" | "systemMessage"> => {
    if (earlier.length + 1 < ASKED_FROM) return { decision, reason, systemMessage: null };
    const answer = isAskable ? "ask" : decision;
    const tried = `${settings.name} stopped \`${part}\`, and it stays blocked.`;
    const note = noteOf(earlier, part);
    return {
      decision: answer,
      reason: `${reason} ${note}${answer === decision ? "" : " So hookctl asks, instead of blocking again."}`,
      systemMessage: answer === "block" ? `${tried} ${note}` : null,
    };
  };
  const kept = await changeIntents(memory.folder, memory.nowMs, (before) => {
    const answer = answerAfter(earlierTries(before.stopped, intents, memory.call));
    const now = { part, decision: answer.decision, atMs: memory.nowMs, call: memory.call };
    return { ...before, stopped: [...before.stopped, ...intents.map((intent) => ({ intent, ...now }))] };
  });
  if (!kept.ok)
    return {
      decision,
      reason,
      systemMessage: null,
      tries: 1,
      warnings: [{ code: "TRY_NOT_KEPT", hook: hook.name, cause: kept.error }],
    };
  const earlier = earlierTries(kept.value.value.stopped, intents, memory.call);
  return { ...answerAfter(earlier), tries: earlier.length + 1, warnings: kept.value.warnings };
}

/** What findings are about, as it is stored. */
export const intentHashes = (judged: readonly Judged[], guard: GuardName): readonly string[] =>
  [...new Set(judged.flatMap(({ finding }) => intentsOf(guard, finding)))].slice(0, MOST_INTENTS).map(shortHash);

/** One call with many targets does not displace all calls before it. */
const MOST_INTENTS = 20;

/** The earlier calls with one of the intents, each once. An agent may send one call to several hooks. */
function earlierTries(
  stopped: readonly StoppedCall[],
  intents: readonly string[],
  call: string,
): readonly StoppedCall[] {
  const same = stopped.filter((one) => intents.includes(one.intent) && one.call !== call);
  return same.filter((one, at) => same.findIndex((other) => other.call === one.call) === at);
}

const STAYS_BLOCKED: ReadonlySet<GuardName> = new Set(["rules", "self-protection"]);

/** What a person or an administrator wants blocked, and hookctl's own protection, stay blocked. */
function mayBeAsked({ source }: Hook, settings: EffectiveGuard, { rule, isUnknown }: Finding): boolean {
  const { own = null, atLeast } = ownValue(settings.ruleSettings, rule) ?? {};
  const isWanted = [own ?? settings.decision, atLeast, isUnknown ? settings.unknown : null].includes("block");
  return source !== "machine" && !isWanted && !STAYS_BLOCKED.has(settings.name);
}

/** The earlier tries, with their parts where these differ. */
function noteOf(earlier: readonly StoppedCall[], part: string): string {
  const others = [...new Set(earlier.map((one) => one.part))].filter((one) => one !== part).slice(-MOST_SHOWN);
  const also = others.length === 0 ? "" : `, also as ${others.map((one) => `\`${one}\``).join(", ")}`;
  return `The same was tried ${pluralize(earlier.length, "time")} within 30 minutes${also}.`;
}
