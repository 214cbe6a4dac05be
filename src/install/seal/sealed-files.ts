import { dirname, join } from "node:path";
import type { AgentName } from "../../agents/agent.ts";
import { INSTALL_SCOPES } from "../../agents/agent.ts";
import type { SwitchFile } from "../../agents/agent-install.ts";
import { AGENT_INSTALLS } from "../../agents/agents.ts";
import { KNOWN_AGENTS } from "../../agents/known-agents.ts";
import { type Protection, protectionOf, type Weakening, weakenings } from "../../agents/protection.ts";
import { readIfPresent } from "../../fs/read-file.ts";
import type { WriteRoot } from "../../fs/write-check.ts";
import { writeFileAtomic } from "../../fs/write-file.ts";
import type { Host } from "../../host.ts";
import { isObject } from "../../protocol/json/read.ts";
import { readTrustFile } from "../../trust/store/trust-store.ts";
import type { SettingsFileFormat } from "../find-registrations.ts";
import { agentSettingsFile, agentUserFile } from "../settings-file/user-file.ts";
import { sealFile } from "./seal-checks.ts";

/** What protects in a settings file, as a person or a command of hookctl left it. */
export interface SealedFile {
  readonly agent: AgentName;
  readonly protection: Protection;
}

export interface Seal {
  /** In milliseconds since 1970. */
  readonly sealedAtMs: number;
  /** By path. */
  readonly files: Readonly<Record<string, SealedFile>>;
}

/** Where the seal of this user lies, and the settings files that count in this call. */
export interface SealPlace {
  /** The project, and the outermost folder of it. Empty in HOME. */
  readonly projectDirs: readonly string[];
  readonly homeDir: string | null;
  /** Null: nowhere. */
  readonly trustFile: string | null;
  readonly userId: number;
  readonly env: Host["env"];
}

const VERSION = 1;

/** Null if there is none, or if it cannot be used. */
export function readSeal({ trustFile, userId }: Pick<SealPlace, "trustFile" | "userId">): Seal | null {
  const text = trustFile === null ? null : readTrustFile(sealFile(trustFile), userId);
  if (text === null || !text.ok || text.value === null) return null;
  try {
    const { version, sealedAtMs, files } = Object(JSON.parse(text.value));
    const isUsable = version === VERSION && typeof sealedAtMs === "number" && isObject(files);
    return isUsable ? { sealedAtMs, files: files as Seal["files"] } : null;
  } catch {
    return null;
  }
}

/** Throws disk errors. */
export const writeSeal = (trustFile: string, seal: Seal): void =>
  writeFileAtomic(sealFile(trustFile), JSON.stringify({ version: VERSION, ...seal }));

/** A settings file that can register hookctl, or switch its hooks off. */
export interface WatchedFile {
  readonly agent: AgentName;
  readonly path: string;
  readonly format: SettingsFileFormat;
  readonly root: WriteRoot;
  /** The project or the home directory that it is for; null: the machine. */
  readonly base: string | null;
}

export function watchedFiles(agent: AgentName, place: SealPlace): readonly WatchedFile[] {
  const folders = place.projectDirs.length === 0 ? [null] : place.projectDirs;
  const all = folders.flatMap((folder) => [...registeredIn(agent, folder, place), ...switchesIn(agent, folder, place)]);
  return [...new Map(all.map((one) => [one.path, one])).values()];
}

/** The files that can register hookctl; in a null folder those of no project. */
function registeredIn(agent: AgentName, folder: string | null, place: SealPlace): readonly WatchedFile[] {
  const { tomlFile } = KNOWN_AGENTS[agent].settings;
  return INSTALL_SCOPES.flatMap((scope) => {
    const isOfProject = scope === "project" || scope === "local";
    if (isOfProject && folder === null) return [];
    const path = agentSettingsFile({ agent, scope }, { ...place, projectDir: folder ?? "" }, place.env);
    if (path === null) return [];
    const root = rootOf(isOfProject ? "project" : scope, folder, place);
    const isModule = AGENT_INSTALLS[agent].format.kind === "module";
    const base = scope === "machine" ? null : isOfProject ? folder : place.homeDir;
    const own = { agent, path, root, base, format: isModule ? ("module" as const) : formatOf(path) };
    return tomlFile === undefined ? [own] : [own, { ...own, path: join(dirname(path), tomlFile), format: "toml" }];
  });
}

function switchesIn(agent: AgentName, folder: string | null, place: SealPlace): readonly WatchedFile[] {
  const { homeDir, env } = place;
  const files = (AGENT_INSTALLS[agent].switches ?? []).flatMap((one) => [...one.files, ...(one.machineFiles ?? [])]);
  return files.flatMap(([location, named]): readonly WatchedFile[] => {
    const base = { project: folder, user: homeDir, machine: null }[location];
    if (base === null && location !== "machine") return [];
    const path = base === null ? named : switchPath([location, named], base, { agent, env });
    return [{ agent, path, root: rootOf(location, folder, place), base, format: formatOf(path) }];
  });
}

const switchPath = (
  [location, path]: SwitchFile,
  base: string,
  { agent, env }: { agent: AgentName } & Pick<SealPlace, "env">,
) => (location === "project" ? join(base, path) : agentUserFile(agent, path, base, env));

const formatOf = (path: string): SettingsFileFormat => (path.endsWith(".toml") ? "toml" : "json");

function rootOf(location: SwitchFile[0], folder: string | null, { userId }: SealPlace): WriteRoot {
  if (location === "machine") return { kind: "machine" };
  return location === "user" ? { kind: "user", userId } : { kind: "project", folder: folder ?? "/" };
}

/** Null: the file cannot be read, so that nothing is known about it. */
export function presentProtection({ agent, path, format }: WatchedFile): Protection | null {
  const read = readIfPresent(path);
  return read.ok ? protectionOf(agent, read.value?.toString("utf8") ?? "", format) : null;
}

/** They read comments and trailing commas; Claude Code drops such a file with all its hooks. */
const COMMENT_READERS: readonly AgentName[] = ["gemini", "qwen"];

/** What a settings file lost since it was sealed. */
export function sealWeakenings(agent: AgentName, before: Protection, after: Protection): readonly Weakening[] {
  const isRead = after.readable === "lenient" && COMMENT_READERS.includes(agent);
  const lost = weakenings(before, isRead ? { ...after, readable: before.readable } : after);
  // Others add keys to such an object, and what of it disables hooks is a setting by itself.
  return lost.filter((one) => one.kind !== "required-key" || !one.key.includes("={"));
}
