import { findAllCandidates } from "../../../../src/engine/hooks/candidates.ts";
import { resolveHooks } from "../../../../src/engine/hooks/resolve-hooks.ts";
import { isKeptOn, withoutPauses } from "../../../../src/engine/hooks/select-hooks.ts";
import type { RunContext } from "../../../../src/engine/run-context.ts";
import { GUARD_NAMES, type GuardName } from "../../../../src/protocol/guard-settings.ts";
import { isMachine } from "../../../../src/protocol/hook.ts";
import type { UsageProblem } from "../../../../src/protocol/problem.ts";
import { fail, ok, ProblemError, type Result } from "../../../../src/protocol/result.ts";
import { nearest } from "../../../../src/protocol/text/nearest.ts";
import { shellQuote } from "../../../../src/protocol/text/shell-quote.ts";
import type { Switch } from "../../install/settings-file/edit-switches.ts";

/** The guards and hooks with these names; a guard takes precedence over a hook of its name. Nothing is started. */
export async function switchesNamed(
  words: readonly string[],
  isOn: boolean,
  context: RunContext,
): Promise<readonly Switch[]> {
  const switches = new Map<string, Switch>();
  for (const word of words) {
    const guard = guardNamed(word);
    const found = guard === null ? await hookSwitch(word, isOn, context) : guardSwitch(guard, isOn, context);
    switches.set(`${found.key} ${found.name}`, found);
  }
  return [...switches.values()];
}

function guardSwitch(name: GuardName, isOn: boolean, { settings }: RunContext): Switch {
  const ofMachine = settings.guards.find((guard) => isMachine(guard) && guard.name === name);
  if (isOn || ofMachine === undefined) return { name, key: "guards" };
  throw new ProblemError({ code: "USAGE_MACHINE_HOOK", name, path: ofMachine.file });
}

async function hookSwitch(name: string, isOn: boolean, context: RunContext): Promise<Switch> {
  const found = findAllCandidates(context);
  const { hooks } = await resolveHooks(found, withoutPauses(context), null);
  const named = hooks.filter((hook) => hook.name === name);
  const [first] = named;
  const renamed = found.skipped.find((skip) => skip.reason === "disabled" && skip.name === `${name}.disable`);
  if (renamed !== undefined && named.every(({ lost }) => lost !== undefined))
    throw new ProblemError({
      code: "USAGE_WRONG_WORDS",
      detail: `${name} is disabled by its name.`,
      tryThis: `mv ${shellQuote(renamed.path)} ${shellQuote(renamed.path.replace(/\.disable$/, ""))}`,
    });
  if (first === undefined) {
    const known = hooks.map((hook) => hook.name);
    const near = nearest(name, [...known, ...GUARD_NAMES]);
    const isHook = near !== null && known.includes(near);
    throw new ProblemError({ code: isHook ? "USAGE_UNKNOWN_HOOK" : "USAGE_UNKNOWN_GUARD", name, nearest: near });
  }
  if (!isOn && named.every((hook) => isKeptOn(hook, context.settings)))
    throw new ProblemError({ code: "USAGE_MACHINE_HOOK", name, path: first.entry?.file ?? first.path });
  return { name, key: "overrides", isOff: named.every(({ disabledReason }) => disabledReason !== null) };
}

/** `git-safety` is another name of `git`. */
const guardNamed = (word: string): GuardName | null =>
  GUARD_NAMES.find((name) => name === word || `${name}-safety` === word) ?? null;

/** The guards with these names. */
export function guardsNamed(words: readonly string[]): Result<readonly GuardName[], UsageProblem> {
  const unknown = words.find((word) => guardNamed(word) === null);
  if (unknown !== undefined)
    return fail({ code: "USAGE_UNKNOWN_GUARD", name: unknown, nearest: nearest(unknown, GUARD_NAMES) });
  return ok([...new Set(words.flatMap((word) => guardNamed(word) ?? []))]);
}
