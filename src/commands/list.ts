import type { EventName } from "../contract/event.ts";
import type { Hook, Source } from "../contract/hook.ts";
import { signalExitCode } from "../contract/problem.ts";
import { warningText } from "../contract/warning.ts";
import { findCandidates } from "../discover/find.ts";
import { closeInheritedBeforeFirstStart } from "../process/descriptors.ts";
import { firstBytes } from "../process/first-bytes.ts";
import { type Listing, listJson } from "../report/list-json.ts";
import { listText } from "../report/list-text.ts";
import { lookOf } from "../report/look.ts";
import { PLAIN, type Style } from "../report/style.ts";
import { DEPTH_LIMIT, depthOf, foldersFor } from "../runtime/ground.ts";
import { listed } from "../runtime/listed.ts";
import { gatherHooks } from "../runtime/roster.ts";
import type { World } from "../world.ts";
import { type Flags, isSwitchedOff } from "./flags.ts";
import { print, refuse, start } from "./start.ts";

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
  const roster = await gatherHooks(findCandidates(foldersFor(ground)), ground, null);
  const signal = world.interrupt.raised();
  if (signal !== null) return signalExitCode(signal);
  const listing: Listing = {
    ...roster,
    hooks: listed(roster, flags, ground.settings.postOrder),
    warnings: [...loaded.warnings, ...roster.warnings, ...roster.notices].map(warningText),
  };
  const text = flags.json
    ? `${listJson(listing)}\n`
    : listText({ ...listing, ...flags, looks: looksOf(listing.hooks) }, await styleFor(flags, world));
  return print(text, world);
}

/** What can be seen of a file without running it: its interpreter and how long it is. */
function looksOf(hooks: readonly Hook[]): ReadonlyMap<string, string> {
  const refused = hooks.filter((hook) => hook.hindrance !== null);
  return new Map(refused.map((hook) => [hook.path, lookOf(firstBytes(hook.path, 256 * 1024))]));
}

async function styleFor(flags: ListFlags, world: World): Promise<Style> {
  const { env } = world;
  const isWanted =
    flags.color === "always" ||
    (flags.color === "auto" && (env.FORCE_COLOR ?? "0") !== "0") ||
    (flags.color === "auto" && env.NO_COLOR === undefined && env.TERM !== "dumb" && world.isStdoutTerminal());
  if (!isWanted) return PLAIN;
  const { colours } = await import("../report/colour.ts");
  return colours();
}
