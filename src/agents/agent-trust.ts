import { broken, type Checkup, doubtful, fine } from "../contract/checkup.ts";
import type { AgentName } from "../dialects/agents/agent.ts";
import type { InstallScope } from "./agent-files.ts";
import { listOf, recordOf } from "./found.ts";
import { settingsIn } from "./our-lines.ts";
import type { RegisteredLine } from "./registered.ts";

/** What is asked about an agent's own trust, and the text of the file in which it keeps it. */
export interface TrustQuestion {
  readonly scope: InstallScope;
  readonly projectDir: string;
  /** The settings file that holds the lines. */
  readonly file: string;
  readonly lines: readonly RegisteredLine[];
  readonly text: string;
}

interface TrustRow {
  /** Below the home folder, or where the agent's variable has moved it. */
  readonly file: string;
  readonly check: (question: TrustQuestion) => Checkup;
}

/** Agents that let hooks wait for a person, and where they write down that it was granted. */
export const TRUST_ROWS: Partial<Readonly<Record<AgentName, TrustRow>>> = {
  codex: { file: ".codex/config.toml", check: codexTrust },
  gemini: { file: ".gemini/trustedFolders.json", check: geminiTrust },
  copilot: { file: ".copilot/config.json", check: copilotTrust },
};

/** Each line is trusted by itself, under its file, event and place; only Codex knows whether its text is still the same. */
function codexTrust({ scope, projectDir, file, lines, text }: TrustQuestion): Checkup {
  const config = settingsIn(text, "toml");
  if (recordOf(config.features).hooks === false) {
    return broken("codex trust", "hooks are switched off in config.toml", "Set hooks = true under [features].");
  }
  const project = recordOf(recordOf(config.projects)[projectDir]);
  if (scope !== "user" && project.trust_level !== "trusted") {
    return doubtful(
      "codex trust",
      "the project is not trusted, so its hooks are off",
      "Start codex here and trust it.",
    );
  }
  const states = recordOf(recordOf(config.hooks).state);
  const waiting = lines.filter(({ event, group, handler }) => {
    const state = recordOf(states[`${file}:${snakeCase(event)}:${group}:${handler}`]);
    return typeof state.trusted_hash !== "string" || state.enabled === false;
  });
  if (waiting.length === 0) return fine("codex trust", "every line is trusted");
  const detail = `${waiting.length} of ${lines.length} lines are not trusted and are skipped in silence`;
  return doubtful("codex trust", detail, "Open /hooks in codex and trust them.");
}

const snakeCase = (event: string): string => event.replace(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`).toLowerCase();

function geminiTrust({ projectDir, text }: TrustQuestion): Checkup {
  const words = Object.entries(settingsIn(text, "json"));
  if (words.some(([path, word]) => path === projectDir && word === "DO_NOT_TRUST")) {
    return doubtful("gemini trust", "this folder is marked as not trusted", "Change it in gemini: /permissions");
  }
  const isTrusted = words.some(
    ([path, word]) =>
      (word === "TRUST_FOLDER" && isWithin(path, projectDir)) ||
      (word === "TRUST_PARENT" && isWithin(path.slice(0, path.lastIndexOf("/")), projectDir)),
  );
  if (isTrusted) return fine("gemini trust", "the folder is trusted");
  const detail = "the folder is not among the trusted ones; where folder trust is on, no hook runs";
  return doubtful("gemini trust", detail, "Start gemini here and trust the folder.");
}

function copilotTrust({ scope, projectDir, text }: TrustQuestion): Checkup {
  if (scope === "user") return fine("copilot trust", "the user's hooks need none");
  const { trustedFolders, trusted_folders } = settingsIn(text, "json");
  const folders = [...listOf(trustedFolders), ...listOf(trusted_folders)];
  const isTrusted = folders.some((folder) => typeof folder === "string" && isWithin(folder, projectDir));
  if (isTrusted) return fine("copilot trust", "the folder is trusted");
  const detail = "the folder is not among the trusted ones: its hooks are skipped in silence";
  return doubtful("copilot trust", detail, "Start copilot here and trust the folder.");
}

const isWithin = (folder: string, path: string): boolean => path === folder || path.startsWith(`${folder}/`);
