import { join } from "node:path";
import { readIfPresent } from "../../../../src/fs/read-file.ts";
import type { WriteRoot } from "../../../../src/fs/write-check.ts";
import { type AgentName, INSTALL_SCOPES } from "../../../../src/protocol/agent-names.ts";
import { AGENT_INSTALLS } from "../../../agents/agents.ts";
import {
  type ProtectedFormat,
  type Protection,
  protectionOf,
  type Weakening,
  weakenings,
  weakeningText,
} from "../../../agents/protection.ts";
import { agentSettingsFiles, agentUserFile, writeRootOf } from "../agent-files.ts";
import { formatOfPath } from "../find-registrations.ts";
import { learnedProtections, readSeal, type Seal, type SealPlace } from "./seal-store.ts";

/** A settings file that can register hookctl, or switch its hooks off. */
export interface WatchedFile {
  readonly agent: AgentName;
  readonly path: string;
  readonly format: ProtectedFormat;
  readonly root: WriteRoot;
  /** The project or the home directory that it is for; null for the machine. */
  readonly base: string | null;
}

export function watchedFiles(agent: AgentName, place: SealPlace): readonly WatchedFile[] {
  const folders = place.projectDirs.length === 0 ? [null] : place.projectDirs;
  const all = folders.flatMap((folder) => [...registeredIn(agent, folder, place), ...switchesIn(agent, folder, place)]);
  return [...new Map(all.map((one) => [one.path, one])).values()];
}

/** The files that can register hookctl; in a null folder those of no project. */
function registeredIn(agent: AgentName, folder: string | null, place: SealPlace): readonly WatchedFile[] {
  const isModule = AGENT_INSTALLS[agent].format.kind === "module";
  return INSTALL_SCOPES.flatMap((scope) => {
    const isOfProject = scope === "project" || scope === "local";
    if (isOfProject && folder === null) return [];
    const base = scope === "machine" ? null : isOfProject ? folder : place.homeDir;
    const root = writeRootOf(scope, folder ?? "", place.userId);
    const folders = { projectDir: folder ?? "", homeDir: place.homeDir };
    return agentSettingsFiles({ agent, scope }, folders, place.env).map(
      (path): WatchedFile => ({ agent, path, root, base, format: isModule ? "module" : formatOfPath(path) }),
    );
  });
}

/** The files that can switch the agent's hooks off. */
function switchesIn(agent: AgentName, folder: string | null, place: SealPlace): readonly WatchedFile[] {
  const { homeDir, userId, env } = place;
  const files = AGENT_INSTALLS[agent].switches.flatMap((one) => [...one.files, ...(one.machineFiles ?? [])]);
  return files.flatMap(([location, named]): readonly WatchedFile[] => {
    const base = { project: folder, user: homeDir, machine: null }[location];
    const root = writeRootOf(location, folder ?? "", userId);
    if (location === "machine") return [{ agent, path: named, root, base, format: formatOfPath(named) }];
    if (base === null) return [];
    const path = location === "project" ? join(base, named) : agentUserFile(agent, named, base, env);
    return [{ agent, path, root, base, format: formatOfPath(path) }];
  });
}

/** Null if the file cannot be read, so that nothing is known about it. */
export function presentProtection({ agent, path, format }: WatchedFile): Protection | null {
  const read = readIfPresent(path);
  return read.ok ? protectionOf(agent, read.value?.toString("utf8") ?? "", format) : null;
}

/** Agents that read comments and trailing commas; Claude Code ignores a file with them, and all its hooks. */
const COMMENT_READERS: readonly AgentName[] = ["gemini", "qwen"];

/** What a settings file lost since it was sealed. */
export function sealWeakenings(agent: AgentName, before: Protection, after: Protection): readonly Weakening[] {
  const isRead = after.readable === "lenient" && COMMENT_READERS.includes(agent);
  const lost = weakenings(before, isRead ? { ...after, readable: before.readable } : after);
  // Others add keys to an object, and those that disable hooks are settings by themselves.
  return lost.filter((one) => one.kind !== "required-key" || !one.key.includes("={"));
}

/** A settings file that protects less than when it was sealed. */
export interface WeakenedFile {
  readonly file: WatchedFile;
  readonly sealed: Protection;
  readonly lost: readonly Weakening[];
}

/** The sealed protection of files, and that of files without a seal when they were first seen. */
interface KnownProtections {
  readonly seal: Seal | null;
  readonly learned: Readonly<Record<string, Protection>>;
}

/**
 * Compares agents' settings with what is known of them; of an unknown file with `unknown`. `learned` is the protection of
 * the files without a seal, from now on.
 */
export function compareToSeal(
  files: readonly WatchedFile[],
  { seal, learned }: KnownProtections,
  unknown: (now: Protection) => Protection = (now) => now,
): { readonly weakened: readonly WeakenedFile[]; readonly learned: KnownProtections["learned"] } {
  const weakened: WeakenedFile[] = [];
  const known: Record<string, Protection> = {};
  for (const file of files) {
    const now = presentProtection(file);
    const inSeal = seal?.files[file.path]?.protection;
    const sealed = inSeal ?? learned[file.path] ?? (now === null ? null : unknown(now));
    if (sealed === null) continue;
    if (inSeal === undefined) known[file.path] = sealed;
    const lost = now === null ? [] : sealWeakenings(file.agent, sealed, now);
    if (lost.length > 0) weakened.push({ file, sealed, lost });
  }
  return { weakened, learned: known };
}

/** `~/.claude/settings.json: disableAllHooks stops the agent from running hooks` */
export const weakenedTexts = ({ file, lost }: WeakenedFile): readonly string[] =>
  lost.map((one) => `${file.path}: ${weakeningText(one)}`);

/** The files of these agents that protect less than their seal; nothing is recorded. */
export function weakenedFiles(agents: readonly AgentName[], place: SealPlace): readonly WeakenedFile[] {
  const seal = readSeal(place);
  if (seal === null) return [];
  return agents.flatMap((agent) => {
    const known = { seal, learned: learnedProtections(agent, place) };
    return compareToSeal(watchedFiles(agent, place), known).weakened;
  });
}
