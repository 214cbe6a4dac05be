import { type Examined, withParser } from "../../guards/examine.ts";
import type { GuardName } from "../../guards/guard.ts";
import { type Judged, judge } from "../../guards/judge.ts";
import type { GuardPlace } from "../guard-place.ts";
import { loadRules } from "../load-rules.ts";
import { secretsRead, withEarlierSecrets, withSecrets } from "./earlier-secrets.ts";
import { changeIntents, readIntents, shortHash } from "./intents.ts";
import type { CallMemory, RememberedCall } from "./memory.ts";
import { intentHashes } from "./tries.ts";

/**
 * A call ran that a guard had asked about, or that a rule of the person allows: that is the person's answer, after which the
 * tries before it no longer count. A secret that it read is known to the agent; one that it sent is no longer a question.
 */
export async function noteAnswer(examined: Examined, call: RememberedCall): Promise<void> {
  const { place, memory } = call;
  const before = await readIntents(memory.folder, memory.nowMs);
  const isEmpty = before.stopped.length + before.secrets.length === 0;
  const ran = isEmpty ? [] : await findingsOf(await withEarlierSecrets(examined, call, true), place);
  const asked = new Set(before.stopped.filter(({ decision }) => decision === "ask").map(({ intent }) => intent));
  const answered = ran.filter(({ judged, intents }) => isAllowed(judged) || intents.some((one) => asked.has(one)));
  // Also without an answer: what is over is removed, and the next call finds no file.
  if (answered.length === 0 && !isEmpty) return;
  const intents = new Set(answered.flatMap((one) => one.intents));
  const isSent = answered.some(({ judged }) => judged.finding.rule === "send-after-read");
  const session = shortHash(memory.session);
  const read = secretsRead(
    answered.map(({ judged }) => judged),
    place,
    memory,
  );
  await changeIntents(memory.folder, memory.nowMs, ({ stopped, secrets }) =>
    withSecrets(
      {
        stopped: stopped.filter(({ intent }) => !intents.has(intent)),
        secrets: isSent ? secrets.filter((one) => one.session !== session) : secrets,
      },
      read,
    ),
  );
}

/** A rule of the person allows a call: the tries before it no longer count, whatever guards are on. */
export async function forgetTries(judged: readonly Judged[], guard: GuardName, memory: CallMemory): Promise<void> {
  const intents = new Set(intentHashes(judged.filter(isAllowed), guard));
  const { stopped } = await readIntents(memory.folder, memory.nowMs);
  if (!stopped.some(({ intent }) => intents.has(intent))) return;
  await changeIntents(memory.folder, memory.nowMs, (before) => ({
    ...before,
    stopped: before.stopped.filter(({ intent }) => !intents.has(intent)),
  }));
}

const isAllowed = ({ allowedBy, isRuleOff }: Judged): boolean => allowedBy !== null || isRuleOff;

/** What the enabled guards find in a call that ran. */
async function findingsOf(examined: Examined, place: GuardPlace) {
  const found = await Promise.all(
    place.guards.map(async (settings) => {
      const rules = await loadRules(settings.name, place);
      const { judged } = await withParser(() => judge(examined, { rules, settings }, place.ownFiles));
      return judged.map((one) => ({ judged: one, intents: intentHashes([one], settings.name) }));
    }),
  );
  return found.flat();
}
