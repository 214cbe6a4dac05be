import { inOrder } from "../chain/order.ts";
import type { EventName } from "../contract/event.ts";
import type { Hook, Source } from "../contract/hook.ts";
import { signalExitCode } from "../contract/problem.ts";
import type { Warning } from "../contract/warning.ts";
import { lacksExecuteBit } from "../discover/classify.ts";
import { firstBytes } from "../disk/first-bytes.ts";
import { closeInheritedBeforeFirstStart } from "../process/descriptors.ts";
import { type Listing, listJson } from "../report/list-json.ts";
import { lookOf } from "../report/look.ts";
import { everythingFound } from "../runtime/everything-found.ts";
import { DEPTH_LIMIT, depthOf } from "../runtime/ground.ts";
import { listed } from "../runtime/listed.ts";
import { notRead } from "../runtime/not-read.ts";
import { gatherHooks } from "../runtime/roster.ts";
import { unknownChoice } from "../runtime/unknown-choice.ts";
import type { World } from "../world.ts";
import { type Flags, isSwitchedOff } from "./flags.ts";
import { print, refuse, start } from "./start.ts";
import { styleFor } from "./style-for.ts";

export interface ListFlags extends Flags {
  readonly isAll: boolean;
  readonly event: EventName | null;
  readonly source: Source | null;
}

/** Every hook in run order, by event. Starts no file that was not approved. */
export async function list(flags: ListFlags, world: World): Promise<number> {
  const depth = depthOf(world.env);
  if (depth >= DEPTH_LIMIT) return refuse({ code: "RECURSION", depth }, world);
  const started = await start(flags, world, !isSwitchedOff(flags, world));
  if (!started.ok) return refuse(started.error, world);
  const { ground, loaded } = started.value;
  const [problem] = loaded.problems;
  if (problem !== undefined) return refuse(problem, world);

  closeInheritedBeforeFirstStart();
  const roster = await gatherHooks(everythingFound(ground), ground, null);
  const signal = world.interrupt.raised();
  if (signal !== null) return signalExitCode(signal);
  const unknown = unknownChoice(flags, roster);
  if (unknown !== null) return refuse(unknown, world);
  const listing: Listing = {
    ...roster,
    hooks: listed(roster, flags, ground.settings.postOrder),
    warnings: await textsOf([
      ...loaded.warnings,
      ...notRead(ground.plan.others),
      ...roster.warnings,
      ...roster.notices,
    ]),
  };
  if (flags.json) return print(`${listJson(listing)}\n`, world);
  const { listText } = await import("../report/list-text.ts");
  const runOrder = (event: EventName) => inOrder(listing.hooks, event, ground.settings.postOrder);
  const standpoint = { cwd: world.cwd, homeDir: ground.scopes.homeDir };
  const needExecuteBit = new Set(flags.isAll ? listing.skipped.filter(lacksExecuteBit).map(({ path }) => path) : []);
  const input = { ...listing, ...flags, ...standpoint, runOrder, looks: looksOf(listing.hooks), needExecuteBit };
  return print(listText(input, await styleFor(flags, world)), world);
}

/** The words are loaded only when there is something to say. */
async function textsOf(warnings: readonly Warning[]): Promise<readonly string[]> {
  return warnings.length === 0 ? [] : warnings.map((await import("../contract/warning.ts")).warningText);
}

/** What can be seen of a file without running it: its interpreter and how long it is. */
function looksOf(hooks: readonly Hook[]): ReadonlyMap<string, string> {
  const refused = hooks.filter((hook) => hook.hindrance !== null && hook.entry === null);
  return new Map(refused.map((hook) => [hook.path, lookOf(firstBytes(hook.path, 256 * 1024))]));
}
