import { broken, type Checkup, doubtful, fine } from "../../src/protocol/doctor-check.ts";
import { arrayOr, objectOr, stringOr } from "../../src/protocol/json/read.ts";
import { pluralize } from "../../src/protocol/text/count.ts";
import { isWithin } from "../../src/protocol/text/text.ts";
import type { AgentTrustInput, TrustedEntry, TrustQuery } from "./agent-install.ts";

/**
 * Codex records trust by file, event and position, with a hash of the entry. Without a record the entry is skipped; with
 * one, only Codex knows whether the entry is unchanged since.
 */
export function codexTrust({
  scope,
  projectDir,
  file,
  registrations,
  contents: [config = {}],
}: AgentTrustInput): Checkup {
  const project = objectOr(objectOr(config.projects)[projectDir]);
  if (scope !== "user" && project.trust_level !== "trusted") {
    return broken("codex trust", "the project is not trusted, so its hooks are off", "Start codex here and trust it.");
  }
  const states = objectOr(objectOr(config.hooks).state);
  const waiting = registrations.filter(({ event, group, handler }) => {
    const state = objectOr(states[`${file}:${snakeCase(event)}:${group}:${handler}`]);
    return typeof state.trusted_hash !== "string" || state.enabled === false;
  });
  if (waiting.length === 0) {
    const detail = "not checked: Codex could not be asked whether the trusted hooks are unchanged";
    return doubtful("codex trust", detail, "Put codex on the PATH, then: hookctl doctor codex");
  }
  const detail = `Codex silently skips ${waiting.length} of ${pluralize(registrations.length, "registered hook")}: not trusted`;
  return broken("codex trust", detail, "Open /hooks in codex and trust them.");
}

const snakeCase = (event: string): string => event.replace(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`).toLowerCase();

/** `hooks/list` of the server of Codex, which answers in about a second, without a network and without a login. */
export const codexQuery: TrustQuery = {
  program: "codex",
  args: ["app-server"],
  requests: (projectDir) => [
    { id: 1, method: "initialize", params: { clientInfo: { name: "hookctl", title: "hookctl", version: "0" } } },
    { method: "initialized" },
    { id: 2, method: "hooks/list", params: { cwds: [projectDir] } },
  ],
  read: ({ id, result }) =>
    id === 2 ? arrayOr(objectOr(result).data).flatMap((one) => arrayOr(objectOr(one).hooks).map(codexEntry)) : null,
};

function codexEntry(entry: unknown): TrustedEntry {
  const { command, sourcePath, trustStatus, enabled } = objectOr(entry);
  const status = enabled === false ? "disabled" : stringOr(trustStatus);
  const isTrusted = status === "trusted" || status === "managed";
  return { command: stringOr(command), file: stringOr(sourcePath), status, isTrusted };
}

const PROMPT_MODE_HOOKS = "GITHUB_COPILOT_PROMPT_MODE_REPO_HOOKS";

export function copilotTrust({ scope, projectDir, env, contents: [config = {}] }: AgentTrustInput): Checkup {
  if (scope === "user") return fine("copilot trust", "user hooks need no trust");
  if (env[PROMPT_MODE_HOOKS] === "true") {
    return doubtful(
      "copilot trust",
      `${PROMPT_MODE_HOOKS} makes project hooks run with -p, and in no other mode`,
      null,
    );
  }
  const { trustedFolders, trusted_folders } = config;
  const folders = [...arrayOr(trustedFolders), ...arrayOr(trusted_folders)];
  const isTrusted = folders.some((folder) => typeof folder === "string" && isWithin(projectDir, folder));
  if (isTrusted) return fine("copilot trust", "the folder is trusted");
  const detail = "the folder is not trusted, and its hooks are skipped silently";
  return broken("copilot trust", detail, "Start copilot here and trust the folder.");
}

/** In the order of Gemini CLI: variables, the setting, then the longest path in the file of trusted folders. */
export function geminiTrust({ env, projectDir, contents: [folders = {}, settings = {}] }: AgentTrustInput): Checkup {
  const { GEMINI_CLI_TRUST_WORKSPACE: wish, GEMINI_RESTRICTED_MODE: restricted } = env;
  if (restricted === "true" || wish === "false") {
    const name = restricted === "true" ? "GEMINI_RESTRICTED_MODE" : "GEMINI_CLI_TRUST_WORKSPACE";
    return broken("gemini trust", `${name} makes every folder untrusted, so no hooks run`, `Unset it: unset ${name}`);
  }
  if (wish === "true") return fine("gemini trust", "GEMINI_CLI_TRUST_WORKSPACE makes every folder trusted");
  if (objectOr(objectOr(settings.security).folderTrust).enabled === false) {
    return fine("gemini trust", "folder trust is off, so hooks run in every folder");
  }
  const [, word = null] = Object.entries(folders)
    .filter(([path, trust]) =>
      isWithin(projectDir, trust === "TRUST_PARENT" ? path.slice(0, path.lastIndexOf("/")) : path),
    )
    .reduce<readonly [string, unknown]>((found, one) => (one[0].length > found[0].length ? one : found), ["", null]);
  if (word === "DO_NOT_TRUST") {
    return broken("gemini trust", "this folder is not trusted", "Change it in gemini: /permissions");
  }
  if (word === "TRUST_FOLDER" || word === "TRUST_PARENT") return fine("gemini trust", "the folder is trusted");
  const detail = "the folder is not trusted, so no hooks run here";
  return broken("gemini trust", detail, "Start gemini here and trust the folder.");
}

/** In pi the decision for the nearest folder applies, else the default for all folders. */
export function piTrust({ scope, projectDir, contents: [decisions = {}, settings = {}] }: AgentTrustInput): Checkup {
  if (scope === "user") return fine("pi trust", "user extensions need no trust");
  const applicable = Object.entries(decisions).filter(
    ([path, isTrusted]) => typeof isTrusted === "boolean" && isWithin(projectDir, path),
  );
  const [, nearest] = applicable.reduce<readonly [string, unknown]>(
    (found, one) => (one[0].length >= found[0].length ? one : found),
    ["", settings.defaultProjectTrust === "always"],
  );
  if (nearest === true) return fine("pi trust", "the folder is trusted");
  const detail = "the folder is not trusted: pi 0.79 and later load no extension of the project";
  return broken("pi trust", detail, "Start pi here and type /trust, start it with --approve, or install --scope user.");
}
