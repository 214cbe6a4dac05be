import { inOrder } from "../chain/order.ts";
import { unreadPlans } from "../config/load-settings.ts";
import { lacksExecuteBit } from "../discover/classify.ts";
import { findAllCandidates } from "../engine/hooks/find-all.ts";
import { listHooks } from "../engine/hooks/list-hooks.ts";
import { resolveHooks } from "../engine/hooks/resolve-hooks.ts";
import { unknownHookOption } from "../engine/hooks/unknown-hook-option.ts";
import { callDepth, DEPTH_LIMIT, type RunContext } from "../engine/run-context.ts";
import { unreadableSettings } from "../engine/settings/unreadable-settings.ts";
import { firstBytes } from "../fs/first-bytes.ts";
import { closeInheritedOnFirstStart } from "../process/descriptors.ts";
import type { EventName } from "../protocol/event.ts";
import { signalExitCode } from "../protocol/exit-code.ts";
import { concerns, type Hook, type Source } from "../protocol/hook.ts";
import type { Warning } from "../protocol/warning.ts";
import { type Listing, listJson } from "../report/list-json.ts";
import { programSummary } from "../report/look.ts";
import type { World } from "../world.ts";
import { type Flags, isSwitchedOff } from "./flags.ts";
import { codeBeside, createRunContext, print, refuse } from "./start.ts";
import { styleFor } from "./style-for.ts";

export interface ListFlags extends Flags {
  readonly isAll: boolean;
  /** `--strict`: what would not start fails the call. */
  readonly isStrict: boolean;
  readonly event: EventName | null;
  readonly source: Source | null;
}

/** Every hook in run order, by event. Starts no file that was not approved. */
export async function list(flags: ListFlags, world: World): Promise<number> {
  const depth = callDepth(world.env);
  if (depth >= DEPTH_LIMIT) return refuse({ code: "RECURSION", depth }, world);
  const started = await createRunContext(flags, world, !isSwitchedOff(flags, world));
  if (!started.ok) return refuse(started.error, world);
  const { context, loaded } = started.value;
  const [problem] = loaded.problems;
  if (problem !== undefined) return refuse(problem, world);

  closeInheritedOnFirstStart();
  const gathered = await resolveHooks(findAllCandidates(context), context, null);
  const hookSet = { ...gathered, hooks: await withCommands(gathered.hooks, context) };
  const signal = world.interrupt.raised();
  if (signal !== null) return signalExitCode(signal);
  const unknown = unknownHookOption(flags, hookSet);
  if (unknown !== null) return refuse(unknown, world);
  const told = [
    ...loaded.warnings,
    ...unreadableSettings(unreadPlans(context.plan, "project")),
    ...hookSet.warnings,
    ...hookSet.notices,
  ];
  const hooks = listHooks(hookSet, flags, context.settings.postOrder);
  const listing: Listing = { ...hookSet, hooks, warnings: await textsOf(told) };
  const tell = async (what: Listing) =>
    codeBeside(loaded.sharedProblem, await show(what, flags, context, world), world);
  if (!flags.isStrict) return tell(listing);
  const { codeOf, findNotReady, tellNotReady } = await import("./strict.ts");
  const meant = flags.event === null && flags.source === null ? hookSet.hooks : hookSet.hooks.filter(isMeant(flags));
  const notReady = findNotReady({
    hooks: meant,
    skipped: hookSet.skipped,
    warnings: told,
    isOff: isSwitchedOff(flags, world),
    choice: flags,
  });
  const shown = await tell({ ...listing, notReady });
  if (!flags.json) tellNotReady(notReady, world);
  return codeOf(notReady, shown);
}

/** A declared hook with what its command misses. The shell parser is loaded only where one is declared. */
async function withCommands(hooks: readonly Hook[], context: RunContext): Promise<readonly Hook[]> {
  if (hooks.every(({ entry }) => entry === null)) return hooks;
  return (await import("../engine/hooks/missing-command.ts")).withMissingCommands(hooks, context);
}

/** One that did not say its event may be for any. */
const isMeant =
  ({ event, source }: ListFlags) =>
  (hook: Hook): boolean =>
    (source === null || hook.source === source) && (event === null || concerns(hook, event));

async function show(listing: Listing, flags: ListFlags, context: RunContext, world: World): Promise<number> {
  if (flags.json) return print(`${listJson(listing)}\n`, world);
  const { listText } = await import("../report/list-text.ts");
  const runOrder = (event: EventName) => inOrder(listing.hooks, event, context.settings.postOrder);
  const standpoint = { cwd: world.cwd, homeDir: context.scopes.homeDir };
  const needExecuteBit = new Set(flags.isAll ? listing.skipped.filter(lacksExecuteBit).map(({ path }) => path) : []);
  const input = { ...listing, ...flags, ...standpoint, runOrder, looks: looksOf(listing.hooks), needExecuteBit };
  return print(listText(input, await styleFor(flags, world)), world);
}

/** The words are loaded only when there is something to say. */
async function textsOf(warnings: readonly Warning[]): Promise<readonly string[]> {
  return warnings.length === 0 ? [] : warnings.map((await import("../protocol/warning.ts")).warningText);
}

/** What can be seen of a file without running it: its interpreter and how long it is. */
function looksOf(hooks: readonly Hook[]): ReadonlyMap<string, string> {
  const refused = hooks.filter((hook) => hook.hindrance !== null && hook.entry === null);
  return new Map(refused.map((hook) => [hook.path, programSummary(firstBytes(hook.path, 256 * 1024))]));
}
