import { type CommandResult, print } from "../../cli/command-result.ts";
import type { CommandLine } from "../../cli/command-table.ts";
import { requirePerson } from "../../cli/prompt/require-person.ts";
import { createRunContext } from "../../engine/create-run-context.ts";
import { findAllCandidates } from "../../engine/hooks/candidates.ts";
import { resolveHooks } from "../../engine/hooks/resolve-hooks.ts";
import { countsIn, pauseClock } from "../../engine/pauses.ts";
import type { RunContext } from "../../engine/run-context.ts";
import type { Host } from "../../host.ts";
import { EXIT } from "../../protocol/exit-code.ts";
import { GUARD_NAMES } from "../../protocol/guard-settings.ts";
import { isInEffect, type Pause } from "../../protocol/pause.ts";
import { fail, ok, unwrap } from "../../protocol/result.ts";
import { unknownHook } from "../../protocol/text/nearest.ts";
import { warningText } from "../../protocol/warning.ts";
import { resumedJson, resumedText } from "../../report/off-text.ts";
import { warningLine } from "../../report/problem-text.ts";
import { PLAIN_STYLE } from "../../report/text-style.ts";
import { changePauses, readPauses } from "../../trust/store/pauses.ts";
import { findUnaffected } from "../guards/unaffected.ts";
import { placeOfPauses, recordPauses } from "./pause-store.ts";

/** `hookctl on NAME…`: ends pauses that count here before their time. */
export async function on({ args, options }: CommandLine<"on">, host: Host): Promise<CommandResult> {
  const { context } = unwrap(await createRunContext({ ...options, only: null, skip: [] }, host, false));
  const place = unwrap(placeOfPauses(context));
  const stored = readPauses(place, context.userId);
  const isMeant = (pause: Pause): boolean => args.includes(pause.name) && countsIn(pause, context.scopes.rootDir);
  const clock = pauseClock(context.nowMs);
  const ended = stored.ok ? stored.value.filter((pause) => isMeant(pause) && isInEffect(pause, clock)) : [];
  const already = args.filter((name) => !ended.some((pause) => pause.name === name));
  const unknown = await unknownName(already, context);
  if (unknown !== null) return fail(unknown);
  // An agent may make guards stricter without a person; a hook may also allow calls.
  const isStricter = ended.every(({ name }) => isGuard(name));
  if (!isStricter) await requirePerson(host);
  const cause =
    ended.length === 0 ? null : await changePauses(place, context.userId, (all) => all.filter((one) => !isMeant(one)));
  if (cause !== null) return fail({ code: "FILE_NOT_WRITTEN", path: place, cause });
  const lost = recordPauses("hook_resumed", ended, context);
  if (lost !== null) {
    const text = warningText({ code: "RECORD_NOT_WRITTEN", path: context.auditFile ?? "", cause: lost });
    host.err(warningLine(text, PLAIN_STYLE));
  }
  const names = [...new Set(ended.map(({ name }) => name))];
  const switches = args.map((name) => ({ name, key: isGuard(name) ? ("guards" as const) : ("overrides" as const) }));
  const off = await findUnaffected(
    { switches, isOn: true, isProject: false },
    { ...options, only: null, skip: [] },
    host,
  );
  const isOff = (name: string): boolean => off.some((one) => one.name === name);
  const resumed = { ended: names.filter((name) => !isOff(name)), already: already.filter((name) => !isOff(name)), off };
  const printed = print(options.json ? `${resumedJson(resumed)}\n` : resumedText(resumed), host);
  return printed.ok && off.length > 0 ? ok(EXIT.checkFailed) : printed;
}

const isGuard = (name: string): boolean => GUARD_NAMES.some((guard) => guard === name);

/** The problem of a name without a hook; null if each has one. */
async function unknownName(names: readonly string[], context: RunContext) {
  if (names.length === 0) return null;
  const { names: known } = await resolveHooks(findAllCandidates(context), context, null);
  const unknown = names.find((name) => !known.includes(name));
  return unknown === undefined ? null : unknownHook(unknown, known);
}
