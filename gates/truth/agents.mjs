// What each agent does with its own settings, as the real programs were seen to do it, or as their documentation says: which
// files it reads, which switches and which trust it obeys, and which answers stop a call. It shares no code with hookctl.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { parse as parseJsonc } from "jsonc-parser";
import { parse as parseToml } from "smol-toml";
import { codexEntries } from "./codex.mjs";
import { pathOf } from "./make.mjs";

/** @import { Machine } from "./make.mjs" */

/** @typedef {Record<string, ReturnType<typeof JSON.parse>>} Unchecked settings and answers, of which nothing is known */

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

/** A file that does not parse has nothing in it. @param {string} file @returns {Unchecked} */
export function settings(file) {
  if (!existsSync(file)) return {};
  const text = readFileSync(file, "utf8");
  try {
    const read = file.endsWith(".toml") ? parseToml(text) : JSON.parse(text);
    return read !== null && typeof read === "object" ? read : {};
  } catch {
    return {};
  }
}

/** Gemini CLI and Qwen Code allow comments. @param {string} file @returns {Unchecked} */
function commentedSettings(file) {
  /** @type {import("jsonc-parser").ParseError[]} */ const errors = [];
  const read = existsSync(file) ? parseJsonc(readFileSync(file, "utf8"), errors) : {};
  return errors.length === 0 && read !== null && typeof read === "object" ? read : {};
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

/** Some agents read a project's settings only in the folder in which they were started. */
const start = (/** @type {Machine} */ { cwd }, /** @type {string} */ path) => join(cwd, path.slice(2));

const isDenied = (/** @type {Answer} */ { code, json }) =>
  code === 2 || json?.decision === "block" || json?.hookSpecificOutput?.permissionDecision === "deny";
const isAsked = (/** @type {Answer} */ { json }) => json?.hookSpecificOutput?.permissionDecision === "ask";

const CODEX_KEYS = "continue stopReason suppressOutput systemMessage decision reason hookSpecificOutput".split(" ");

const toolUse = (/** @type {boolean | undefined} */ isAfter) => (isAfter ? "PostToolUse" : "PreToolUse");

/** Folders that are trusted with all that is in them. @param {string} folder @param {readonly string[]} trusted */
const isBelow = (folder, trusted) => trusted.some((one) => !relative(one, folder).startsWith(".."));

/** @type {Readonly<Record<string, AgentModel>>} */
export const AGENT_MODELS = {
  claude: {
    handlers: (machine, isAfter) =>
      claudeFiles(machine).flatMap((file) => inGroups(file, machine.cwd, { event: toolUse(isAfter), tool: "Bash" })),
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
      const { projects, hooks } = settings(pathOf(machine, "~/.codex/config.toml"));
      const isProjectTrusted = projects?.[machine.project]?.trust_level === "trusted";
      return ["~/.codex/hooks.json", "./.codex/hooks.json"].flatMap((path) =>
        codexEntries(pathOf(machine, path))
          .filter(({ event, handler }) => event === toolUse(isAfter) && matches(handler.matcher, "Bash"))
          .map(({ file, event, handler, key, hash }) => {
            const { trusted_hash: stored, enabled = true } = hooks?.state?.[key] ?? {};
            const isTrusted = (isProjectTrusted || path.startsWith("~")) && stored === hash && enabled;
            return { file, event, entry: handler, cwd: machine.cwd, isTrusted };
          }),
      );
    },
    isOff: (machine) =>
      ["./.codex/config.toml", "~/.codex/config.toml"].some(
        (path) => settings(pathOf(machine, path)).features?.hooks === false,
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
    handlers: (machine, isAfter) =>
      geminiFiles(machine)
        .flatMap((file) =>
          inGroups(file, machine.cwd, {
            event: isAfter ? "AfterTool" : "BeforeTool",
            tool: "run_shell_command",
            read: commentedSettings,
          }),
        )
        .map((one) => ({ ...one, isTrusted: isGeminiTrusted(machine) && !isGeminiDisabled(machine, one.entry) })),
    isOff: (machine) => nearest(geminiFiles(machine), "hooksConfig.enabled", commentedSettings) === false,
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
      // It also runs what the project registers for Claude Code.
      const borrowed = ["./.claude/settings.json", "./.claude/settings.local.json"].flatMap((path) =>
        inGroups(pathOf(machine, path), machine.project, { event: toolUse(isAfter), tool: "Bash" }),
      );
      return [...own, ...borrowed.map((one) => ({ ...one, isTrusted }))];
    },
    isOff: (machine) =>
      ["./.github/copilot/settings.json", "./.github/copilot/settings.local.json"].some(
        (path) => settings(pathOf(machine, path)).disableAllHooks === true,
      ),
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
    handlers: (machine, isAfter) =>
      qwenFiles(machine).flatMap((file) =>
        inGroups(file, machine.cwd, { event: toolUse(isAfter), tool: "run_shell_command", read: commentedSettings }),
      ),
    isOff: (machine) => nearest(qwenFiles(machine), "disableAllHooks", commentedSettings) === true,
    stops: (answer) => isDenied(answer) || isAsked(answer) || answer.json?.continue === false,
    env: ({ cwd }) => ({ CLAUDE_PROJECT_DIR: cwd, QWEN_CODE: "1" }),
  },
  droid: {
    handlers: (machine) =>
      ["~/.factory/settings.json", "./.factory/settings.json"].flatMap((path) =>
        inGroups(pathOf(machine, path), machine.project, { event: "PreToolUse", tool: "Execute" }),
      ),
    isOff: () => false,
    stops: isDenied,
    env: ({ project }) => ({ FACTORY_PROJECT_DIR: project }),
  },
  goose: {
    handlers: (machine) =>
      ["~/.agents/plugins", "./.agents/plugins"].flatMap((folder) =>
        foldersIn(pathOf(machine, folder)).flatMap((plugin) =>
          inGroups(join(plugin, "hooks/hooks.json"), machine.project, {
            event: "PreToolUse",
            tool: "developer__shell",
          }),
        ),
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

/** The nearest first. @param {Machine} machine */
export const claudeFiles = (machine) => [
  start(machine, "./.claude/settings.local.json"),
  start(machine, "./.claude/settings.json"),
  pathOf(machine, "~/.claude/settings.json"),
];
const geminiFiles = (/** @type {Machine} */ machine) => [
  start(machine, "./.gemini/settings.json"),
  pathOf(machine, "~/.gemini/settings.json"),
];
const qwenFiles = (/** @type {Machine} */ machine) => [
  start(machine, "./.qwen/settings.json"),
  pathOf(machine, "~/.qwen/settings.json"),
];

/** By its name, or by its command. @param {Machine} machine @param {Unchecked} handler */
const isGeminiDisabled = (machine, { name, command }) =>
  [name, command].some((one) =>
    list(nearest(geminiFiles(machine), "hooksConfig.disabled", commentedSettings)).includes(one),
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
const foldersIn = (/** @type {string} */ folder) => namesIn(folder).map((name) => join(folder, name));

/** @param {Machine} machine @param {readonly string[]} folders @param {(folder: string) => boolean} isTrusted @returns {Handler[]} */
const modulesIn = (machine, folders, isTrusted) =>
  folders.flatMap((folder) => {
    const files = [".js", ".ts"].flatMap((ending) => filesIn(pathOf(machine, folder), ending));
    const cwd = machine.project;
    return files.map((file) => ({ file, cwd, event: "", entry: {}, isTrusted: isTrusted(folder) }));
  });
