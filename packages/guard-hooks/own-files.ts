import { posix } from "node:path";
import { tableOf } from "../../src/protocol/json/table.ts";
import { ownValue } from "../../src/protocol/own-value.ts";
import type { OwnFile } from "../guards/guard.ts";
import { intentsRoot } from "./intents/intents.ts";
import table from "./own-files.json" with { type: "json" };

/**
 * Files of agents in which hookctl is registered, or that can switch hooks off: a test compares them with
 * the tables of `packages/agents`. They are a list because loading ten agents would cost each judged call more than judging it.
 */
export const AGENT_FILES = tableOf<Readonly<Record<"project" | "user" | "machine", readonly string[]>>>(table);

/** The variables that move folders of the home, each with the folder that it moves. */
export const HOME_VARIABLES = [
  { variable: "CLAUDE_CONFIG_DIR", instead: ".claude" },
  { variable: "CODEX_HOME", instead: ".codex" },
  { variable: "COPILOT_HOME", instead: ".copilot" },
  { variable: "PI_CODING_AGENT_DIR", instead: ".pi/agent" },
  { variable: "XDG_CONFIG_HOME", instead: ".config" },
] as const;

/** The paths of hookctl's own files in this call; null if there is none. */
export interface OwnPlaces {
  readonly home: string;
  /** The folders to which variables move those of the home, by what they are in it. */
  readonly moved: readonly { readonly instead: string; readonly folder: string }[];
  readonly project: string;
  readonly trustFile: string | null;
  readonly auditFile: string | null;
  readonly sessionsDir: string | null;
  readonly backupsDir: string | null;
  readonly cacheDir: string | null;
  /** Where `hookctl serve` has its token and its socket by default. */
  readonly runtimeDir: string | null;
  readonly settingsFiles: readonly string[];
  /** Hooks that the person approved in this project. */
  readonly approvedFiles: readonly string[];
}

const MACHINE_CACHES = ["/var/cache/hookctl", "/Library/Caches/hookctl"];

type Facts = Partial<Omit<OwnFile, "path" | "what">>;

/** Everything that hookctl depends on: approvals, records, the user's hooks and settings, registrations. */
export function ownFiles(places: OwnPlaces): readonly OwnFile[] {
  const { home, trustFile, runtimeDir } = places;
  const file = (path: string | null, what: string, facts: Facts = {}): readonly OwnFile[] =>
    path === null ? [] : [{ path, isFolder: false, what, ...facts }];
  const folder = (path: string | null, what: string, facts: Facts = {}) =>
    file(path, what, { isFolder: true, ...facts });
  const inRuntime = (name: string): string | null => (runtimeDir === null ? null : posix.join(runtimeDir, name));
  return [
    ...folder(trustFile === null ? null : posix.dirname(trustFile), "hookctl's approvals"),
    // Pauses are stored here even if a variable moves the approvals.
    ...folder(posix.join(home, ".local/state/hookctl"), "hookctl's state"),
    ...folder(places.sessionsDir, "hookctl's sessions"),
    ...folder(places.sessionsDir && intentsRoot(places.sessionsDir), "the memory of hookctl's guards"),
    ...folder(places.backupsDir, "hookctl's backups"),
    ...[places.cacheDir, posix.join(home, ".cache/hookctl"), ...MACHINE_CACHES].flatMap((path) =>
      folder(path, "hookctl's cache", { mayBeDeleted: true }),
    ),
    ...file(places.auditFile, "hookctl's audit log"),
    ...file(inRuntime("hookctl"), "the socket of hookctl's server"),
    ...places.settingsFiles.flatMap((path) => file(path, "hookctl's settings")),
    ...places.approvedFiles.flatMap((path) => file(path, "a hook that the person approved")),
    ...folder(posix.join(home, ".kodelet"), "the user's hooks and settings"),
    ...inHome(".config/hookctl", places).flatMap((path) => folder(path, "the user's hookctl settings")),
    ...folder("/etc/hookctl", "the machine's hooks and settings"),
    ...folder("/Library/Application Support/hookctl", "the machine's hooks and settings"),
    ...AGENT_FILES.project.flatMap((path) => agentFiles(path, [posix.join(places.project, path)])),
    ...AGENT_FILES.user.flatMap((path) => agentFiles(path, inHome(path, places))),
    ...AGENT_FILES.machine.flatMap((path) => agentFiles(path, [path])),
  ];
}

/** A path below the home, and below a folder that a variable names in the place of a folder in the home. */
const inHome = (path: string, { home, moved }: Pick<OwnPlaces, "home" | "moved">): readonly string[] => [
  posix.join(home, path),
  ...moved.flatMap(({ instead, folder }) =>
    path.startsWith(`${instead}/`) ? [posix.join(folder, path.slice(instead.length))] : [],
  ),
];

/** A file of hookctl has its name in the path that the agent prescribes. */
const agentFiles = (prescribed: string, paths: readonly string[]): readonly OwnFile[] =>
  paths.map((path) => ({
    path,
    isFolder: false,
    isRegistration: true,
    what: "an agent's settings, which register hookctl",
    ...(prescribed.includes("hookctl") ? {} : { isShared: true, agent: agentOf(prescribed) }),
  }));

/** Most folders have the agent's name. */
const FOLDERS: Readonly<Record<string, string>> = { factory: "droid", github: "copilot" };

function agentOf(prescribed: string): string {
  const [name = "claude"] =
    /claude|codex|copilot|cursor|factory|gemini|github|pi|qwen/.exec(prescribed.toLowerCase()) ?? [];
  return ownValue(FOLDERS, name) ?? name;
}
