import type { AgentName } from "../agents/agent.ts";
import { broken, type Checkup, fine } from "../protocol/checkup.ts";
import type { InstallScope } from "./agent-files.ts";
import type { FoundRegistration } from "./find-registrations.ts";
import { arrayOr, objectOr, type UncheckedObject } from "./unchecked.ts";

/** What is asked about an agent's own trust, and the files in which it keeps it. */
export interface AgentTrustInput {
  readonly scope: InstallScope;
  readonly projectDir: string;
  /** The settings file that holds the lines. */
  readonly file: string;
  readonly lines: readonly FoundRegistration[];
  /** What stands in the files of the row, in their order. */
  readonly found: readonly UncheckedObject[];
}

interface TrustRow {
  /** Below the home folder, or where the agent's variable has moved it. */
  readonly files: readonly string[];
  readonly check: (question: AgentTrustInput) => Checkup;
}

/** Agents that let hooks wait for a person, and where they write down that it was granted. */
export const AGENT_TRUST: Partial<Readonly<Record<AgentName, TrustRow>>> = {
  codex: { files: [".codex/config.toml"], check: codexTrust },
  gemini: { files: [".gemini/trustedFolders.json", ".gemini/settings.json"], check: geminiTrust },
  copilot: { files: [".copilot/config.json"], check: copilotTrust },
  pi: { files: [".pi/agent/trust.json", ".pi/agent/settings.json"], check: piTrust },
};

/** Each line is trusted by itself, under its file, event and place; only Codex knows whether its text is still the same. */
function codexTrust({ scope, projectDir, file, lines, found: [config = {}] }: AgentTrustInput): Checkup {
  const project = objectOr(objectOr(config.projects)[projectDir]);
  if (scope !== "user" && project.trust_level !== "trusted") {
    return broken("codex trust", "the project is not trusted, so its hooks are off", "Start codex here and trust it.");
  }
  const states = objectOr(objectOr(config.hooks).state);
  const waiting = lines.filter(({ event, group, handler }) => {
    const state = objectOr(states[`${file}:${snakeCase(event)}:${group}:${handler}`]);
    return typeof state.trusted_hash !== "string" || state.enabled === false;
  });
  if (waiting.length === 0) return fine("codex trust", "every line is trusted, if none was changed since");
  const detail = `${waiting.length} of ${lines.length} lines are not trusted and are skipped in silence`;
  return broken("codex trust", detail, "Open /hooks in codex and trust them.");
}

const snakeCase = (event: string): string => event.replace(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`).toLowerCase();

function geminiTrust({ projectDir, found: [folders = {}, settings = {}] }: AgentTrustInput): Checkup {
  if (objectOr(objectOr(settings.security).folderTrust).enabled === false) {
    return fine("gemini trust", "folder trust is off, so hooks run in every folder");
  }
  const words = Object.entries(folders);
  if (words.some(([path, word]) => path === projectDir && word === "DO_NOT_TRUST")) {
    return broken("gemini trust", "this folder is marked as not trusted", "Change it in gemini: /permissions");
  }
  const isTrusted = words.some(
    ([path, word]) =>
      (word === "TRUST_FOLDER" && isWithin(path, projectDir)) ||
      (word === "TRUST_PARENT" && isWithin(path.slice(0, path.lastIndexOf("/")), projectDir)),
  );
  if (isTrusted) return fine("gemini trust", "the folder is trusted");
  const detail = "the folder is not among the trusted ones, so no hook runs here";
  return broken("gemini trust", detail, "Start gemini here and trust the folder.");
}

function copilotTrust({ scope, projectDir, found: [config = {}] }: AgentTrustInput): Checkup {
  if (scope === "user") return fine("copilot trust", "the user's hooks need none");
  const { trustedFolders, trusted_folders } = config;
  const folders = [...arrayOr(trustedFolders), ...arrayOr(trusted_folders)];
  const isTrusted = folders.some((folder) => typeof folder === "string" && isWithin(folder, projectDir));
  if (isTrusted) return fine("copilot trust", "the folder is trusted");
  const detail = "the folder is not among the trusted ones: its hooks are skipped in silence";
  return broken("copilot trust", detail, "Start copilot here and trust the folder.");
}

/** The decision about the nearest folder counts; without one, the default for all folders. */
function piTrust({ scope, projectDir, found: [decisions = {}, settings = {}] }: AgentTrustInput): Checkup {
  if (scope === "user") return fine("pi trust", "the user's extensions need none");
  const about = Object.entries(decisions).filter(
    ([path, yes]) => typeof yes === "boolean" && isWithin(path, projectDir),
  );
  const [, nearest] = about.reduce<readonly [string, unknown]>(
    (found, one) => (one[0].length >= found[0].length ? one : found),
    ["", settings.defaultProjectTrust === "always"],
  );
  if (nearest === true) return fine("pi trust", "the folder is trusted");
  const detail = "the folder is not trusted: pi 0.79 and later load no extension of the project";
  return broken("pi trust", detail, "Start pi here and type /trust, start it with --approve, or install --scope user.");
}

const isWithin = (folder: string, path: string): boolean =>
  path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
