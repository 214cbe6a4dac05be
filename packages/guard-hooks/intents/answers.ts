import { changeIntents, readIntents } from "../../../src/session/intents.ts";
import type { Examined } from "../../guards/examine.ts";
import { withParser } from "../../guards/examine.ts";
import { type Judged, judge } from "../../guards/judge.ts";
import { loadGuard } from "../../guards/load-guard.ts";
import type { GuardPlace } from "../guard-place.ts";
import type { CallMemory } from "./memory.ts";
import { intentHashes } from "./tries.ts";

/**
 * A call ran that a guard had asked about, or that a rule of the person allows: that is the person's answer, after which the
 * tries before it no longer count.
 */
export async function noteAnswer(examined: Examined, place: GuardPlace, memory: CallMemory): Promise<void> {
  const before = await readIntents(memory.folder, memory.nowMs);
  const allowed = before.stopped.length === 0 ? [] : await allowedIntents(examined, place);
  const asked = new Set(before.stopped.filter(({ decision }) => decision === "ask").map(({ intent }) => intent));
  const answered = new Set(allowed.flatMap(({ intent, isByRule }) => (isByRule || asked.has(intent) ? [intent] : [])));
  // Also without an answer: what is over is removed, and the next call finds no file.
  if (answered.size === 0 && before.stopped.length + before.secrets.length > 0) return;
  await changeIntents(memory.folder, memory.nowMs, (now) => ({
    ...now,
    stopped: now.stopped.filter(({ intent }) => !answered.has(intent)),
  }));
}

/** What the enabled guards find in a call that ran. */
async function allowedIntents(examined: Examined, { guards, ownFiles }: GuardPlace) {
  const found = await Promise.all(
    guards.map(async (settings) => {
      const rules = await loadGuard(settings.name);
      const { judged } = await withParser(() => judge(examined, { rules, settings }, ownFiles));
      const isByRule = ({ allowedBy, isRuleOff }: Judged) => allowedBy !== null || isRuleOff;
      return judged.flatMap((one) =>
        intentHashes([one], settings.name).map((intent) => ({ intent, isByRule: isByRule(one) })),
      );
    }),
  );
  return found.flat();
}
