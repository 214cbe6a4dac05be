import { findAllCandidates } from "../../engine/hooks/candidates.ts";
import { isKeptOn, withoutPauses } from "../../engine/hooks/paused-hooks.ts";
import { resolveHooks } from "../../engine/hooks/resolve-hooks.ts";
import type { RunContext } from "../../engine/run-context.ts";
import type { Switch } from "../../install/settings-file/edit-switches.ts";
import { GUARD_NAMES, type GuardName } from "../../protocol/guard-settings.ts";
import { isMachine } from "../../protocol/hook.ts";
import type { UsageProblem } from "../../protocol/problem.ts";
import { fail, ok, type Result, unwrap } from "../../protocol/result.ts";
import { nearest } from "../../protocol/text/nearest.ts";
import { shellQuote } from "../../protocol/text/shell-quote.ts";

/** The guards and hooks with these names; a guard takes precedence over a hook of its name. Nothing is started. */
export async function switchesNamed(
  words: readonly string[],
  isOn: boolean,
  context: RunContext,
): Promise<Result<readonly Switch[], UsageProblem>> {
  const switches: Switch[] = [];
  for (const word of words) {
    const guards = guardsNamed([word]);
    const one = unwrap(guards.ok ? guardSwitch(guards.value, isOn, context) : await hookSwitch(word, isOn, context));
    if (!switches.some(({ name, key }) => name === one.name && key === one.key)) switches.push(one);
  }
  return ok(switches);
}

function guardSwitch(
  [name = ""]: readonly string[],
  isOn: boolean,
  { settings }: RunContext,
): Result<Switch, UsageProblem> {
  const ofMachine = settings.guards.find((one) => isMachine(one) && one.name === name);
  return !isOn && ofMachine !== undefined
    ? fail({ code: "USAGE_MACHINE_HOOK", name, path: ofMachine.file })
    : ok({ name, key: "guards" });
}

async function hookSwitch(name: string, isOn: boolean, context: RunContext): Promise<Result<Switch, UsageProblem>> {
  const found = findAllCandidates(context);
  const { hooks } = await resolveHooks(found, withoutPauses(context), null);
  const named = hooks.filter((hook) => hook.name === name);
  const [first] = named;
  const renamed = found.skipped.find((skip) => skip.reason === "disabled" && skip.name === `${name}.disable`);
  if (renamed !== undefined && named.every(({ lost }) => lost !== undefined))
    return fail({
      code: "USAGE_WRONG_WORDS",
      detail: `${name} is switched off by its name.`,
      tryThis: `mv ${shellQuote(renamed.path)} ${shellQuote(renamed.path.replace(/\.disable$/, ""))}`,
    });
  if (first === undefined)
    return fail(
      unknownName(
        name,
        hooks.map((hook) => hook.name),
      ),
    );
  if (!isOn && named.every((hook) => isKeptOn(hook, context.settings)))
    return fail({ code: "USAGE_MACHINE_HOOK", name, path: first.entry?.file ?? first.path });
  return ok({ name, key: "overrides", isOff: named.every(({ disabledReason }) => disabledReason !== null) });
}

function unknownName(name: string, hooks: readonly string[]): UsageProblem {
  const near = nearest(name, [...hooks, ...GUARD_NAMES]);
  const isHook = near !== null && hooks.includes(near);
  return { code: isHook ? "USAGE_UNKNOWN_HOOK" : "USAGE_UNKNOWN_GUARD", name, nearest: near };
}

/** The guards with these names; `git-safety` is another name of `git`. */
export function guardsNamed(words: readonly string[]): Result<readonly GuardName[], UsageProblem> {
  const names: GuardName[] = [];
  for (const word of words) {
    const name = GUARD_NAMES.find((one) => one === word || `${one}-safety` === word);
    if (name === undefined)
      return fail({ code: "USAGE_UNKNOWN_GUARD", name: word, nearest: nearest(word, GUARD_NAMES) });
    names.push(name);
  }
  return ok([...new Set(names)]);
}
