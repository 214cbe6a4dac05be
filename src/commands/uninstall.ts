import type { Problem } from "../protocol/problem.ts";
import { fail, ok, type Result } from "../protocol/result.ts";
import { agentLine } from "../report/agent-line.ts";
import { type Changed, changedText, installJson, uninstallText } from "../report/install-text.ts";
import type { World } from "../world.ts";
import { type AgentSite, agentSite, formerSite, placesBeside } from "./agent-site.ts";
import type { RawLine } from "./flag-table.ts";
import { forgetKept, type Kept, readKept } from "./kept.ts";
import { leftWithout } from "./left-without.ts";
import { refusedToAgent } from "./person.ts";
import { presentText } from "./present-text.ts";
import { restoreFile } from "./replace-files.ts";
import { print, refuse } from "./start.ts";
import { styleFor } from "./style-for.ts";

/** Takes the bridge out again: byte for byte as before, or, where somebody has edited since, only our own lines. */
export async function uninstall(line: RawLine, world: World): Promise<number> {
  const site = agentSite(line, world);
  if (!site.ok) return refuse(site.error, world);
  const { agent, scope, flags } = site.value;
  if (readKept(site.value.file, world, "adopt") !== null) return refuse(stillAdopted(site.value), world);
  const undone: Changed[] = [];
  const isDry = line.flags["--dry-run"] === true;
  const refusal = isDry ? null : await refusedToAgent(world);
  if (refusal !== null) return refuse(refusal, world);
  const former = formerSite(site.value);
  if (former !== null) {
    const one = undo(former, former, world, isDry);
    if (!one.ok) return refuse(one.error, world);
    undone.push(one.value);
  }
  // The settings themselves last: the folders made for all of them go with the file that was made first.
  for (const { file, shown } of [...placesBeside(site.value), site.value]) {
    const one = undo({ file, shown }, site.value, world, isDry);
    if (!one.ok) return refuse(one.error, world);
    undone.push(one.value);
  }
  const report = { agent: agent.name, scope, directory: flags.directory, isDry, changes: undone };
  if (flags.json) return print(`${installJson("uninstall", report)}\n`, world);
  const style = await styleFor(flags, world);
  return print(isDry ? changedText(report, world.argv, style) : uninstallText(report, style), world);
}

/** What was taken over stands in our settings alone: without our lines nobody would ask it. */
const stillAdopted = ({ agent, scope, flags }: AgentSite): Problem => ({
  code: "USAGE_WRONG_WORDS",
  detail: `Hooks of ${agent.title} were taken over, and nobody would ask them without hookctl: give them back first.`,
  tryThis: agentLine("adopt", { agent: agent.name, scope, directory: flags.directory }, ["--undo"]),
});

type Place = Pick<Changed, "file" | "shown">;

/** Gives one file back: as it was kept, or without our lines. */
export function undo(place: Place, site: AgentSite, world: World, isDry: boolean): Result<Changed, Problem> {
  const present = presentText(place.file, place.shown);
  if (!present.ok) return present;
  const before = present.value;
  if (before === null) return ok({ ...place, before, after: before });
  const kept = readKept(place.file, world, "install");
  const after = textAfter(place, site, before, kept);
  if (!after.ok || isDry || after.value === before)
    return after.ok ? ok({ ...place, before, after: after.value }) : after;
  const done = restoreFile(
    { file: place.file, root: site.root },
    { before: after.value, folders: kept?.folders ?? [] },
  );
  if (!done.ok) return done;
  forgetKept(place.file, world, "install");
  return ok({ ...place, before, after: after.value });
}

/** As it was kept; where it was edited since, or was written elsewhere, it loses our lines and nothing else. */
function textAfter(place: Place, site: AgentSite, text: string, kept: Kept | null): Result<string | null, Problem> {
  if (kept !== null && kept.after === text) return ok(kept.before);
  if (place.file !== site.file) return ok(text);
  const left = leftWithout(text, site, kept);
  return left.ok ? left : fail({ code: "AGENT_SETTINGS_NOT_PARSED", path: place.shown, ...left.error });
}
