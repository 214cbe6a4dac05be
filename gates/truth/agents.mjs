// What each agent does with its own settings, as the real programs were seen to do it, or as their documentation says: which
// files it reads, which switches and which trust it obeys, and which answers stop a call. It shares no code with hookctl.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { parse as parseJsonc } from "jsonc-parser";
import { parse as parseToml } from "smol-toml";
import { isObject, objectIn } from "../json.mjs";
import { codexEntries } from "./codex.mjs";
import { pathOf } from "./make.mjs";

/** @import { Unchecked } from "../json.mjs" */
/** @import { Machine } from "./make.mjs" */

/**
 * @typedef {object} Handler an entry in an agent's settings that it starts for a tool call
 * @property {string} file
 * @property {Unchecked} entry its `command`, or nothing for a module
 * @property {boolean} isTrusted what the agent asks a person first
 * @property {string} cwd
 * @property {string} event
 */

/** @typedef {{ code: number | null, stdout: string, stderr: string, json: Unchecked | null }} Answer */

/**
 * @typedef {object} AgentModel
 * @property {(machine: Machine, isAfter?: boolean) => readonly Handler[]} handlers before a shell call, or after it
 * @property {(machine: Machine) => boolean} isOff
 * @property {(answer: Answer, handler: Handler) => boolean} stops
 * @property {(machine: Machine) => Record<string, string>} [env] what it adds for a hook
 * @property {readonly string[]} [shell] default `/bin/sh -c`
 */

/** A file that is not there, or does not parse, has nothing in it. @param {string} file @returns {Unchecked} */
export const settings = (file) => objectIn(textOf(file)) ?? {};
const textOf = (/** @type {string} */ file) => (existsSync(file) ? readFileSync(file, "utf8") : "");

/** @param {string} file @returns {Unchecked} */
function tomlSettings(file) {
  try {
    return parseToml(textOf(file));
  } catch {
    return {};
  }
}

/** Gemini CLI and Qwen Code allow comments. @param {string} file @returns {Unchecked} */
function commentedSettings(file) {
  /** @type {import("jsonc-parser").ParseError[]} */ const errors = [];
  const read = parseJsonc(textOf(file), errors);
  return errors.length === 0 && isObject(read) ? read : {};
}

/** The value in the first of these files that has one. @param {readonly string[]} files @param {string} keys @param {typeof settings} [read] */
function nearest(files, keys, read = settings) {
  /** @type {(value: Unchecked) => unknown} */
  const valueIn = (value) =>
    keys.split(".").reduce((/** @type {Unchecked | undefined} */ one, key) => one?.[key], value);
  return files.map((file) => valueIn(read(file))).find((value) => value !== undefined);
}

export const matches = (/** @type {unknown} */ matcher, /** @type {string} */ tool) =>
  matcher === undefined || matcher === "" || matcher === "*" || new RegExp(`^(?:${matcher})$`).test(tool);

/**
 * Groups with a matcher and hooks in them, as Claude Code introduced them.
 * @param {string} file @param {string} cwd @param {{ event: string, tool: string, read?: typeof settings }} call
 * @returns {Handler[]}
 */
export const inGroups = (file, cwd, { event, tool, read = settings }) =>
  list(read(file).hooks?.[event]).flatMap((group) =>
    matches(group.matcher, tool)
      ? list(group.hooks).flatMap((hook) =>
          typeof hook.command === "string" ? [{ file, cwd, event, isTrusted: true, entry: { ...group, ...hook } }] : [],
        )
      : [],
  );

/** @param {unknown} value @returns {readonly Unchecked[]} */
const list = (value) => (Array.isArray(value) ? value : []);

/** @typedef {"cwd" | "project"} Folder in which an agent reads and starts: where it was started, or the project */

/** Where files of a machine are. @param {Machine} machine @param {readonly string[]} paths @param {Folder} [folder] that `./x` is in */
const at = (machine, paths, folder = "cwd") =>
  paths.map((path) => pathOf({ ...machine, project: machine[folder] }, path));

// Each with the nearest first.
const CLAUDE_FILES = ["./.claude/settings.local.json", "./.claude/settings.json", "~/.claude/settings.json"];
const GEMINI_FILES = ["./.gemini/settings.json", "~/.gemini/settings.json"];
const QWEN_FILES = ["./.qwen/settings.json", "~/.qwen/settings.json"];
const COPILOT_FILES = ["./.github/copilot/settings.json", "./.github/copilot/settings.local.json"];

/** @param {Machine} machine */
export const claudeFiles = (machine) => at(machine, CLAUDE_FILES);

/**
 * @typedef {object} Groups
 * @property {readonly string[]} files
 * @property {string} tool the name of a shell call
 * @property {readonly [before: string, after: string]} [events]
 * @property {typeof settings} [read]
 * @property {Folder} [folder]
 * @property {(machine: Machine, entry: Unchecked) => boolean} [isTrusted]
 */

const TOOL_USE = /** @type {const} */ (["PreToolUse", "PostToolUse"]);

/** The handlers of an agent that has groups as Claude Code introduced them. @param {Groups} groups @returns {AgentModel["handlers"]} */
const grouped = (groups) => (machine, isAfter) => {
  const { files, tool, events = TOOL_USE, read = settings, folder = "cwd", isTrusted = () => true } = groups;
  const call = { event: events[isAfter ? 1 : 0], tool, read };
  return at(machine, files, folder)
    .flatMap((file) => inGroups(file, machine[folder], call))
    .map((one) => ({ ...one, isTrusted: isTrusted(machine, one.entry) }));
};

const isDenied = (/** @type {Answer} */ { code, json }) =>
  code === 2 || json?.decision === "block" || json?.hookSpecificOutput?.permissionDecision === "deny";
const isAsked = (/** @type {Answer} */ { json }) => json?.hookSpecificOutput?.permissionDecision === "ask";

const CODEX_KEYS = "continue stopReason suppressOutput systemMessage decision reason hookSpecificOutput".split(" ");

/** Folders that are trusted with all that is in them. @param {string} folder @param {readonly string[]} trusted */
const isBelow = (folder, trusted) => trusted.some((one) => !relative(one, folder).startsWith(".."));

/** Copilot CLI also runs what the project registers for Claude Code. */
const BORROWED = grouped({
  files: ["./.claude/settings.json", "./.claude/settings.local.json"],
  tool: "Bash",
  folder: "project",
});

/** @type {Readonly<Record<string, AgentModel>>} */
export const AGENT_MODELS = {
  claude: {
    handlers: grouped({ files: CLAUDE_FILES, tool: "Bash" }),
    // Of the settings' `env` only the user's reaches the process before it decides.
    isOff: (machine) =>
      nearest(claudeFiles(machine), "disableAllHooks") === true ||
      machine.env.CLAUDE_CODE_SIMPLE === "1" ||
      settings(pathOf(machine, "~/.claude/settings.json")).env?.CLAUDE_CODE_SIMPLE === "1",
    stops: (answer) => isDenied(answer) || isAsked(answer),
    env: ({ cwd }) => ({ CLAUDE_PROJECT_DIR: cwd, CLAUDECODE: "1" }),
  },
  codex: {
    handlers: (machine, isAfter) => {
      const { projects, hooks } = tomlSettings(pathOf(machine, "~/.codex/config.toml"));
      const isProjectTrusted = projects?.[machine.project]?.trust_level === "trusted";
      return ["~/.codex/hooks.json", "./.codex/hooks.json"].flatMap((path) =>
        codexEntries(pathOf(machine, path))
          .filter(({ event, handler }) => event === TOOL_USE[isAfter ? 1 : 0] && matches(handler.matcher, "Bash"))
          .map(({ file, event, handler, key, hash }) => {
            const { trusted_hash: stored, enabled = true } = hooks?.state?.[key] ?? {};
            const isTrusted = (isProjectTrusted || path.startsWith("~")) && stored === hash && enabled;
            return { file, event, entry: handler, cwd: machine.cwd, isTrusted };
          }),
      );
    },
    isOff: (machine) =>
      at(machine, ["./.codex/config.toml", "~/.codex/config.toml"], "project").some(
        (file) => tomlSettings(file).features?.hooks === false,
      ),
    stops: ({ code, stderr, json }) => {
      if (code !== 0) return code === 2 && stderr !== "";
      if (json === null || Object.keys(json).some((key) => !CODEX_KEYS.includes(key))) return false;
      const own = json.hookSpecificOutput;
      return (
        (own?.permissionDecision === "deny" && !!own.permissionDecisionReason) ||
        (json.decision === "block" && !!json.reason)
      );
    },
    shell: ["/bin/sh", "-lc"],
  },
  gemini: {
    handlers: grouped({
      files: GEMINI_FILES,
      tool: "run_shell_command",
      events: ["BeforeTool", "AfterTool"],
      read: commentedSettings,
      isTrusted: (machine, entry) => isGeminiTrusted(machine) && !isGeminiDisabled(machine, entry),
    }),
    isOff: (machine) => nearest(at(machine, GEMINI_FILES), "hooksConfig.enabled", commentedSettings) === false,
    stops: ({ code, stdout, stderr, json }) =>
      json === null
        ? code !== 0 && code !== 1 && stdout + stderr !== ""
        : ["deny", "block", "ask"].includes(json.decision) || json.continue === false,
    env: ({ cwd }) => ({ GEMINI_PROJECT_DIR: cwd, CLAUDE_PROJECT_DIR: cwd, GEMINI_CLI: "1" }),
  },
  copilot: {
    handlers: (machine, isAfter) => {
      const trusted = list(settings(pathOf(machine, "~/.copilot/config.json")).trustedFolders).map(String);
      const isTrusted =
        isBelow(machine.project, trusted) || machine.env.GITHUB_COPILOT_PROMPT_MODE_REPO_HOOKS === "true";
      const cwd = machine.project;
      const own = ["~/.copilot/hooks", "./.github/hooks"].flatMap((folder) =>
        filesIn(pathOf(machine, folder), ".json").flatMap((file) => {
          const { disableAllHooks, hooks } = settings(file);
          const event = isAfter ? "postToolUse" : "preToolUse";
          const entries = disableAllHooks === true ? [] : list(hooks?.[event]);
          const isReached = isTrusted || folder.startsWith("~");
          return entries.map((entry) => ({ file, entry, cwd, event, isTrusted: isReached }));
        }),
      );
      return [...own, ...BORROWED(machine, isAfter).map((one) => ({ ...one, isTrusted }))];
    },
    isOff: (machine) => at(machine, COPILOT_FILES, "project").some((file) => settings(file).disableAllHooks === true),
    stops: ({ code, json }, { event }) => {
      const own = event === "PreToolUse" ? (json?.hookSpecificOutput ?? json) : json;
      return code !== 0 || ["deny", "ask"].includes(own?.permissionDecision);
    },
    env: ({ project }) => ({ COPILOT_CLI: "1", COPILOT_PROJECT_DIR: project, CLAUDE_PROJECT_DIR: project }),
  },
  cursor: {
    handlers: (machine) =>
      ["~/.cursor/hooks.json", "./.cursor/hooks.json"].flatMap((path) => {
        const file = pathOf(machine, path);
        const cwd = path.startsWith("~") ? dirname(file) : machine.project;
        return list(settings(file).hooks?.preToolUse)
          .filter(({ matcher }) => matches(matcher, "Shell"))
          .map((hook) => ({ file, cwd, event: "preToolUse", entry: hook, isTrusted: true }));
      }),
    isOff: () => false,
    stops: ({ code, json }, { entry: { failClosed } }) =>
      code === 2 || json?.permission === "deny" || (code !== 0 && failClosed === true),
    env: ({ project }) => ({ CURSOR_PROJECT_DIR: project, CURSOR_VERSION: "2.9.1", CLAUDE_PROJECT_DIR: project }),
  },
  qwen: {
    handlers: grouped({ files: QWEN_FILES, tool: "run_shell_command", read: commentedSettings }),
    isOff: (machine) => nearest(at(machine, QWEN_FILES), "disableAllHooks", commentedSettings) === true,
    stops: (answer) => isDenied(answer) || isAsked(answer) || answer.json?.continue === false,
    env: ({ cwd }) => ({ CLAUDE_PROJECT_DIR: cwd, QWEN_CODE: "1" }),
  },
  droid: {
    handlers: grouped({
      files: ["~/.factory/settings.json", "./.factory/settings.json"],
      tool: "Execute",
      folder: "project",
    }),
    isOff: () => false,
    stops: isDenied,
    env: ({ project }) => ({ FACTORY_PROJECT_DIR: project }),
  },
  goose: {
    handlers: (machine) =>
      at(machine, ["~/.agents/plugins", "./.agents/plugins"], "project").flatMap((folder) =>
        namesIn(folder).flatMap((plugin) => {
          const call = { event: "PreToolUse", tool: "developer__shell" };
          return inGroups(join(folder, plugin, "hooks/hooks.json"), machine.project, call);
        }),
      ),
    isOff: () => false,
    stops: ({ code, stderr, json }, { entry: { on_failure: onFailure } }) =>
      json?.decision === "block" || (code === 2 && stderr !== "") || (code !== 0 && onFailure === "block"),
  },
  opencode: {
    handlers: (machine) => modulesIn(machine, ["~/.config/opencode/plugins", "./.opencode/plugins"], () => true),
    isOff: ({ env }) => env.OPENCODE_PURE === "1",
    stops: ({ stdout }) => stdout === "stopped",
  },
  pi: {
    handlers: (machine) =>
      modulesIn({ ...machine, project: machine.cwd }, ["~/.pi/agent/extensions", "./.pi/extensions"], (folder) => {
        if (folder.startsWith("~")) return true;
        const trust = settings(pathOf(machine, "~/.pi/agent/trust.json"));
        return isBelow(
          machine.project,
          Object.keys(trust).filter((one) => trust[one] === true),
        );
      }),
    isOff: () => false,
    stops: ({ stdout }) => stdout === "stopped",
  },
};

/** By its name, or by its command. @param {Machine} machine @param {Unchecked} handler */
const isGeminiDisabled = (machine, { name, command }) =>
  [name, command].some((one) =>
    list(nearest(at(machine, GEMINI_FILES), "hooksConfig.disabled", commentedSettings)).includes(one),
  );

/** @param {Machine} machine */
function isGeminiTrusted(machine) {
  if (machine.env.GEMINI_CLI_TRUST_WORKSPACE === "true") return true;
  if (nearest([pathOf(machine, "~/.gemini/settings.json")], "security.folderTrust.enabled") === false) return true;
  const folders = settings(pathOf(machine, "~/.gemini/trustedFolders.json"));
  return isBelow(
    machine.cwd,
    Object.keys(folders).filter((one) => folders[one] === "TRUST_FOLDER"),
  );
}

const namesIn = (/** @type {string} */ folder) => (existsSync(folder) ? readdirSync(folder) : []);
const filesIn = (/** @type {string} */ folder, /** @type {string} */ ending) =>
  namesIn(folder)
    .filter((name) => name.endsWith(ending))
    .map((name) => join(folder, name));

/** @param {Machine} machine @param {readonly string[]} folders @param {(folder: string) => boolean} isTrusted @returns {Handler[]} */
const modulesIn = (machine, folders, isTrusted) =>
  folders.flatMap((folder) => {
    const files = [".js", ".ts"].flatMap((ending) => filesIn(pathOf(machine, folder), ending));
    const cwd = machine.project;
    return files.map((file) => ({ file, cwd, event: "", entry: {}, isTrusted: isTrusted(folder) }));
  });
