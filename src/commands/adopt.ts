import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { type Adopted, type Adoption, adoption, withEntries } from "../agents/adopted.ts";
import { bridgeLines, isOurLine } from "../agents/bridge-line.ts";
import { textWith } from "../agents/our-lines.ts";
import type { Problem } from "../contract/problem.ts";
import { fail, ok, type Result } from "../contract/result.ts";
import { isInside } from "../process/paths.ts";
import { adoptText, installJson, uninstallText } from "../report/install-text.ts";
import { approve } from "../runtime/approve.ts";
import { everythingFound } from "../runtime/everything-found.ts";
import type { World } from "../world.ts";
import { type AgentSite, agentSite, programText } from "./agent-site.ts";
import type { RawLine } from "./flag-table.ts";
import { readKept } from "./kept.ts";
import { presentText } from "./present-text.ts";
import { replaceFile, restoreFile, type Undoing } from "./replace-file.ts";
import { print, refuse, start } from "./start.ts";
import { styleFor } from "./style-for.ts";

/** Agents whose settings and payloads have Claude Code's shape. */
const ADOPTABLE = ["claude", "codex", "qwen", "droid"];
const UNDOING: Undoing = { by: "adopt", undone: (text) => text };

/** The hooks that an agent has already become ours: asked in order, recorded, tested, and asked by every other agent too. */
export async function adopt(line: RawLine, world: World): Promise<number> {
  const site = agentSite(line, world);
  if (!site.ok) return refuse(site.error, world);
  const target = targetOf(site.value);
  if (!target.ok) return refuse(target.error, world);
  if (line.flags["--undo"] === true) return giveBack([site.value.file, target.value], site.value, world);
  const text = site.value.text ?? "";
  const { agent, flags, scope, format, shown } = site.value;
  const readable = textWith(text, { name: agent.name, format }, []);
  if (!readable.ok) return refuse({ code: "AGENT_SETTINGS_NOT_PARSED", path: shown, ...readable.error }, world);
  const taken = adoption(text, agent.name, (command) => isOurLine(command, agent.name));
  const report = { agent: agent.name, scope, isDry: line.flags["--dry-run"] === true, changes: [] };
  const style = await styleFor(flags, world);
  if (taken.adopted.length === 0) return print(adoptText(report, taken, style), world);
  const written = report.isDry ? ok([]) : await takeOver(taken, site.value, target.value, world);
  if (!written.ok) return refuse(written.error, world);
  if (flags.json) return print(`${installJson("adopt", { ...report, changes: written.value })}\n`, world);
  return print(adoptText(report, taken, style), world);
}

async function takeOver(taken: Adoption, site: AgentSite, target: string, world: World) {
  const present = presentText(target, target);
  if (!present.ok) return present;
  const own = present.value ?? "";
  const lines = bridgeLines(site.agent, programText(site, world), { events: null, failClosed: false });
  const settings = textWith(taken.left, { name: site.agent.name, format: site.format }, lines);
  if (!settings.ok) return fail<Problem>({ code: "AGENT_SETTINGS_NOT_PARSED", path: site.shown, ...settings.error });
  const changes = [
    // Ours first: between the two a guard would be asked twice, and never not at all.
    { file: target, shown: target, before: present.value, after: withEntries(own, taken.adopted) },
    { file: site.file, shown: site.shown, before: site.text, after: settings.value },
  ];
  for (const change of changes) {
    const written = replaceFile(change, UNDOING, world);
    if (!written.ok) return written;
  }
  const approved = site.scope === "user" ? ok(null) : await approveAdopted(taken.adopted, site, target, world);
  return approved.ok ? ok(changes) : approved;
}

/** They ran before and were shown now: an approval that waits would leave the agent without them. */
async function approveAdopted(
  adopted: readonly Adopted[],
  { flags }: AgentSite,
  target: string,
  world: World,
): Promise<Result<null, Problem>> {
  const started = await start(flags, world, true);
  if (!started.ok) return started;
  const { ground, loaded } = started.value;
  const [problem] = loaded.problems;
  if (problem !== undefined) return fail(problem);
  const names = adopted.map(({ entry }) => entry.name);
  const { candidates } = everythingFound(ground);
  const own = candidates.filter(({ entry, name }) => entry?.file === target && names.includes(name));
  const approved = await approve(own, ground);
  return approved.ok ? ok(null) : approved;
}

function giveBack(
  files: readonly string[],
  { agent, flags, scope, projectDir }: AgentSite,
  world: World,
): Promise<number> {
  const changes = [];
  for (const file of files) {
    const kept = readKept(file, world, "adopt");
    const read = presentText(file, file);
    if (!read.ok) return refuse(read.error, world);
    const present = read.value;
    if (kept === null || kept.after !== present) {
      const detail =
        kept === null
          ? `Nothing of ${agent.title} was adopted here.`
          : `${file} was edited since, so it is not put back.`;
      return refuse({ code: "USAGE_WRONG_WORDS", detail, tryThis: `hookctl adopt ${agent.name}` }, world);
    }
    const shown = isInside(projectDir, file) ? relative(projectDir, file) : file;
    changes.push({ file, shown, before: present, after: kept.before, kept });
  }
  for (const { file, kept } of changes) {
    const restored = restoreFile(file, kept, "adopt", world);
    if (!restored.ok) return refuse(restored.error, world);
  }
  const report = { agent: agent.name, scope, isDry: false, changes };
  if (flags.json) return print(`${installJson("adopt", report)}\n`, world);
  return styleFor(flags, world).then((style) => print(uninstallText(report, style), world));
}

/** Where the entries go: the JSON file whose settings count. Other forms would have to be written anew. */
function targetOf({ agent, scope, projectDir, homeDir }: AgentSite): Result<string, Problem> {
  if (!ADOPTABLE.includes(agent.name)) {
    const detail = `${agent.title} sends its hooks another payload than Claude Code; they stay where they are.`;
    return fail({ code: "USAGE_WRONG_WORDS", detail, tryThis: `hookctl install ${agent.name}` });
  }
  const folder = join(scope === "user" ? (homeDir ?? "") : projectDir, ".kodelet");
  const target = join(folder, "hooks.json");
  if (existsSync(join(folder, "hooks.yaml")) && !existsSync(target)) {
    const detail = ".kodelet/hooks.yaml holds the settings, and adopt writes JSON.";
    return fail({ code: "USAGE_WRONG_WORDS", detail, tryThis: "move its content to .kodelet/hooks.json" });
  }
  return ok(target);
}
