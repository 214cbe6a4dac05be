import { textWithout } from "../agents/our-lines.ts";
import type { Problem } from "../contract/problem.ts";
import { fail, ok, type Result } from "../contract/result.ts";
import { type Changed, changedText, installJson, uninstallText } from "../report/install-text.ts";
import type { World } from "../world.ts";
import { type AgentSite, agentSite, placesBeside } from "./agent-site.ts";
import type { RawLine } from "./flag-table.ts";
import { forgetKept, type Kept, readKept, replaceFile, restoreFile } from "./installs.ts";
import { presentText } from "./present-text.ts";
import { print, refuse } from "./start.ts";
import { styleFor } from "./style-for.ts";

/** Takes the bridge out again: byte for byte as before, or, where somebody has edited since, only our own lines. */
export async function uninstall(line: RawLine, world: World): Promise<number> {
  const site = agentSite(line, world);
  if (!site.ok) return refuse(site.error, world);
  const { agent, scope, flags } = site.value;
  const undone: Changed[] = [];
  const isDry = line.flags["--dry-run"] === true;
  // The settings themselves last: the folders made for all of them go with the file that was made first.
  for (const { file, shown } of [...placesBeside(site.value), site.value]) {
    const one = undo({ file, shown }, site.value, world, isDry);
    if (!one.ok) return refuse(one.error, world);
    undone.push(one.value);
  }
  const report = { agent: agent.name, scope, isDry, changes: undone };
  if (flags.json) return print(`${installJson("uninstall", report)}\n`, world);
  const style = await styleFor(flags, world);
  return print(isDry ? changedText(report, world.argv, style) : uninstallText(report, style), world);
}

type Place = Pick<Changed, "file" | "shown">;

function undo(place: Place, site: AgentSite, world: World, isDry: boolean): Result<Changed, Problem> {
  const present = presentText(place.file, place.shown);
  if (!present.ok) return present;
  const before = present.value;
  if (before === null) return ok({ ...place, before, after: before });
  const kept = readKept(place.file, world);
  if (kept !== null && kept.after === before) {
    const done = isDry ? ok(null) : restoreFile(place.file, kept, world);
    return done.ok ? ok({ ...place, before, after: kept.before }) : done;
  }
  return place.file === site.file
    ? takenOut(place, site, before, { kept, world, isDry })
    : ok({ ...place, before, after: before });
}

interface TakingOut {
  readonly kept: Kept | null;
  readonly world: World;
  readonly isDry: boolean;
}

/** It was edited since, or was written elsewhere: only our lines go. */
function takenOut(
  place: Place,
  site: AgentSite,
  before: string,
  { kept, world, isDry }: TakingOut,
): Result<Changed, Problem> {
  const left = textWithout(before, { name: site.agent.name, format: site.format });
  if (!left.ok) return fail({ code: "AGENT_SETTINGS_NOT_PARSED", path: place.shown, ...left.error });
  const after = left.value;
  if (after === before || isDry) return ok({ ...place, before, after });
  const isOurs = (site.format === "module" && after === "") || (kept?.before === null && isEmptyObject(after));
  const gone: Kept = { before: null, after, folders: kept?.folders ?? [] };
  const done = isOurs ? restoreFile(place.file, gone, world) : replaceFile({ file: place.file, before, after }, world);
  if (!done.ok) return done;
  forgetKept(place.file, world);
  return ok({ ...place, before, after: isOurs ? null : after });
}

/** Nothing but what a file of ours begins with. */
function isEmptyObject(text: string): boolean {
  return /^\s*\{\s*(?:"version"\s*:\s*1\s*)?\}\s*$/.test(text);
}
