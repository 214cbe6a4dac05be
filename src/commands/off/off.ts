import { type CommandResult, print } from "../../cli/command-result.ts";
import type { CommandLine, OptionsOf } from "../../cli/command-table.ts";
import { askChoice } from "../../cli/prompt/ask-choice.ts";
import { openPersonTerminal, requirePersonWithoutAgent } from "../../cli/prompt/require-person.ts";
import { createCheckedContext, createRunContext } from "../../engine/create-run-context.ts";
import { findAllCandidates } from "../../engine/hooks/candidates.ts";
import { isKeptOn, withoutPauses } from "../../engine/hooks/paused-hooks.ts";
import { resolveHooks } from "../../engine/hooks/resolve-hooks.ts";
import { pauseClock } from "../../engine/pauses.ts";
import { userName } from "../../engine/run/user-name.ts";
import type { RunContext } from "../../engine/run-context.ts";
import type { Host } from "../../host.ts";
import { GUARD_NAMES } from "../../protocol/guard-settings.ts";
import type { Hook } from "../../protocol/hook.ts";
import { isInEffect, type Pause } from "../../protocol/pause.ts";
import type { HostProblem, Problem, UsageProblem } from "../../protocol/problem.ts";
import { fail, ok, type Result, unwrap } from "../../protocol/result.ts";
import { unknownHook } from "../../protocol/text/nearest.ts";
import { quoteHookNames } from "../../protocol/text/shell-quote.ts";
import { warningText } from "../../protocol/warning.ts";
import { pausePrompt, pausesJson, pausesText } from "../../report/off-text.ts";
import { warningLine } from "../../report/problem-text.ts";
import { PLAIN_STYLE } from "../../report/text-style.ts";
import { changePauses, readPauses } from "../../trust/store/pauses.ts";
import { pauseView, placeOfPauses, recordPauses, refusedCause } from "./pause-store.ts";

const LEAST_MS = 1000;

/** `hookctl off NAME… --for DURATION`: pauses hooks. Without names: lists pauses. */
export async function off({ args, options }: CommandLine<"off">, host: Host): Promise<CommandResult> {
  const { forMs } = options;
  if (args.length === 0 && forMs === null && !options.isEverywhere) return listPauses(options, host);
  if (args.length === 0 || forMs === null) return fail(incomplete(args));
  if (forMs < LEAST_MS)
    return fail({ code: "USAGE_BAD_VALUE", flag: "--for", value: `${forMs}ms`, detail: "it is at least 1s" });
  // Not even with confirmation on the terminal: an agent must not disable its own guards.
  await requirePersonWithoutAgent(host);
  const { context } = unwrap(await createCheckedContext({ ...options, only: null, skip: [] }, host, false));
  const hooks = unwrap(await hooksToPause(args, context));
  const pauses = newPauses(args, { ...options, forMs }, context);
  const views = pauses.map((pause) => pauseView(pause, context.nowMs));
  const refusal = (await confirm(pausePrompt(hooks, views), host)) ?? (await start(pauses, context));
  if (refusal !== null) return fail(refusal);
  const cause = await refusedCause(options, host);
  if (cause !== null) return fail({ code: "FILE_NOT_WRITTEN", ...cause });
  return print(options.json ? `${pausesJson(views)}\n` : pausesText(views), host);
}

function incomplete(names: readonly string[]): UsageProblem {
  const detail = names.length === 0 ? "off: missing argument NAME." : "off needs --for: how long the hook is off.";
  const tryThis = `hookctl off ${names.length === 0 ? "git" : quoteHookNames(names)} --for 10m`;
  return { code: "USAGE_WRONG_WORDS", detail, tryThis };
}

/** The hooks of these names that would run and that the machine's settings allow to pause. Nothing is started. */
async function hooksToPause(
  names: readonly string[],
  context: RunContext,
): Promise<Result<readonly Hook[], UsageProblem>> {
  const { hooks } = await resolveHooks(findAllCandidates(context), withoutPauses(context), null);
  const found: Hook[] = [];
  for (const name of names) {
    const named = hooks.filter((hook) => hook.name === name);
    const [first] = named;
    if (first === undefined) return fail(noSuchHook(name, hooks));
    const own = named.filter((hook) => !isKeptOn(hook, context.settings));
    if (own.length === 0) return fail({ code: "USAGE_MACHINE_HOOK", name, path: first.entry?.file ?? first.path });
    const running = own.filter(({ disabledReason }) => disabledReason === null);
    if (running.length === 0) return fail(isOffAlready(name, own[0]?.disabledReason ?? null));
    found.push(...running);
  }
  return ok([...new Set(found)]);
}

const noSuchHook = (name: string, hooks: readonly Hook[]): UsageProblem =>
  GUARD_NAMES.some((guard) => guard === name)
    ? isOffAlready(name, null)
    : unknownHook(
        name,
        hooks.map((hook) => hook.name),
      );

const isOffAlready = (name: string, reason: string | null): UsageProblem => ({
  code: "USAGE_WRONG_WORDS",
  detail: `${name} is off already${reason === null ? "" : `: ${reason}`}.`,
  tryThis: "hookctl list",
});

function newPauses(
  names: readonly string[],
  { forMs, isEverywhere }: Pick<OptionsOf<"off">, "isEverywhere"> & { readonly forMs: number },
  { nowMs, userId, scopes }: RunContext,
): readonly Pause[] {
  const { uptimeMs } = pauseClock(nowMs);
  const time = { startMs: nowMs, endMs: nowMs + forMs, startUptimeMs: uptimeMs };
  const project = isEverywhere ? null : scopes.rootDir;
  return [...new Set(names)].map((name) => ({ name, project, ...time, by: userName(userId) }));
}

/** Asks for confirmation on the terminal; null: confirmed. */
async function confirm(intro: string, host: Host): Promise<HostProblem | null> {
  const terminal = await openPersonTerminal(host);
  if (terminal === null) return { code: "TRUST_NOT_CONFIRMED", cause: "there is no terminal to ask you on" };
  const answer = await askChoice(terminal, {
    intro,
    question: "Switch off?",
    choices: { yes: "these hooks do not run until then", no: "change nothing" },
  });
  terminal.close();
  return answer === "yes" ? null : { code: "TRUST_NOT_CONFIRMED", cause: "you did not say yes" };
}

/** Recorded before it takes effect, so that no pause goes unrecorded. */
async function start(pauses: readonly Pause[], context: RunContext): Promise<Problem | null> {
  const place = placeOfPauses(context);
  if (!place.ok) return place.error;
  const unrecorded = recordPauses("hook_paused", pauses, context);
  if (unrecorded !== null) return { code: "FILE_NOT_WRITTEN", path: context.auditFile ?? "", cause: unrecorded };
  const isSame = (one: Pause, other: Pause): boolean => one.name === other.name && one.project === other.project;
  const cause = await changePauses(place.value, context.userId, (before) => [
    ...before.filter((one) => !pauses.some((other) => isSame(one, other))),
    ...pauses,
  ]);
  return cause === null ? null : { code: "FILE_NOT_WRITTEN", path: place.value, cause };
}

/** `hookctl off`: every pause in effect, also those of other projects. */
export async function listPauses(options: OptionsOf<"off">, host: Host): Promise<CommandResult> {
  const { context, loaded } = unwrap(await createRunContext(options, host, false));
  const refused = loaded.warnings.filter(({ code }) => code === "PAUSES_REFUSED");
  for (const warning of refused) host.err(warningLine(warningText(warning), PLAIN_STYLE));
  const place = placeOfPauses(context);
  const stored = place.ok && refused.length === 0 ? readPauses(place.value, context.userId) : null;
  const clock = pauseClock(context.nowMs);
  const pauses = stored?.ok ? stored.value.filter((pause) => isInEffect(pause, clock)) : [];
  const views = pauses.map((pause) => pauseView(pause, context.nowMs));
  return print(options.json ? `${pausesJson(views)}\n` : pausesText(views), host);
}
