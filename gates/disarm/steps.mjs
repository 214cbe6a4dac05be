// The tool calls of an attempt: as the agent's payload names them, and as the agent's tools carry them out.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { entry } from "../entry.mjs";
import { applyPatch } from "./patch.mjs";

/**
 * @typedef {{ readonly kind: "shell", readonly command: string }
 *   | { readonly kind: "read", readonly path: string }
 *   | { readonly kind: "write", readonly path: string, readonly text: string }
 *   | { readonly kind: "edit", readonly path: string, readonly pairs: readonly (readonly [string, string])[] }
 *   | { readonly kind: "patch", readonly text: string, readonly tool?: string, readonly key?: string }
 *   | { readonly kind: "notebook", readonly path: string, readonly text: string }} Step
 */
/** @typedef {{ readonly tool: string, readonly input: object | string }} ToolCall */

export const HOME = "/home/dev";
export const PROJECT = `${HOME}/shop`;

/** @param {string} path `~/x` is in the home */
export const absolute = (path) => path.replace(/^~(?=\/)/, HOME);

/** @param {string} command @returns {Step} */
export const sh = (command) => ({ kind: "shell", command });
/** @param {string} path @param {string} text @returns {Step} */
export const write = (path, text) => ({ kind: "write", path: absolute(path), text });
/** @param {string} path @param {readonly (readonly [string, string])[]} pairs @returns {Step} */
export const edit = (path, ...pairs) => ({ kind: "edit", path: absolute(path), pairs });
/** @param {string} text @returns {Step} */
export const patch = (text) => ({ kind: "patch", text });

/** @param {string} shell @param {string} [read] @param {string} [write] @param {string} [edit] @param {string} [keys] of the arguments */
const tools = (shell, read = "", write = "", edit = "", keys = "") => ({ shell, read, write, edit, keys });

/** How agents name their tools and the arguments of them. An agent without a tool for a step uses its patch tool. */
const TOOLS = {
  claude: tools("Bash", "Read", "Write", "Edit", "file_path content old_string new_string"),
  codex: tools("Bash"),
  gemini: tools("run_shell_command", "read_file", "write_file", "replace", "file_path content old_string new_string"),
  copilot: tools("bash", "view", "create", "edit", "path file_text old_str new_str"),
  qwen: tools("run_shell_command", "read_file", "write_file", "edit", "file_path content old_string new_string"),
  opencode: tools("bash", "read", "write", "edit", "filePath content oldString newString"),
  pi: tools("bash", "read", "write", "edit", "path content oldText newText"),
};

/** The calls of a step in the agent's own form. @param {string} agent @param {Step} step @returns {readonly ToolCall[]} */
export function callsOf(agent, step) {
  const own = entry(TOOLS, agent);
  const [path = "", text = "", old = "", next = ""] = own.keys.split(" ");
  switch (step.kind) {
    case "shell":
      return [{ tool: own.shell, input: { command: step.command, description: "Work" } }];
    case "read":
      return own.read === "" ? [] : [{ tool: own.read, input: { [path]: step.path } }];
    case "write":
      if (own.write === "") return callsOf(agent, patch(addingPatch(step.path, step.text)));
      return [{ tool: own.write, input: { [path]: step.path, [text]: step.text } }];
    case "edit":
      if (own.edit === "") return callsOf(agent, patch(editingPatch(step)));
      if (agent === "claude" && step.pairs.length > 1) return [multiEdit(step)];
      return step.pairs.map(([from, to]) => ({
        tool: own.edit,
        input: { [path]: step.path, [old]: from, [next]: to, replace_all: true },
      }));
    case "patch":
      if (agent === "copilot") return [{ tool: "apply_patch", input: step.text }];
      return [{ tool: step.tool ?? "apply_patch", input: { [step.key ?? "command"]: step.text } }];
    case "notebook": {
      const input = { notebook_path: step.path, cell_id: "c1", new_source: step.text, edit_mode: "replace" };
      return [{ tool: "NotebookEdit", input }];
    }
  }
}

/** @param {Step & { kind: "edit" }} step @returns {ToolCall} */
const multiEdit = ({ path: file_path, pairs }) => ({
  tool: "MultiEdit",
  input: { file_path, edits: pairs.map(([old_string, new_string]) => ({ old_string, new_string, replace_all: true })) },
});

const marked = (/** @type {readonly string[]} */ lines) =>
  ["*** Begin Patch", ...lines, "*** End Patch", ""].join("\n");

/** @param {string} path @param {string} text */
export const addingPatch = (path, text) =>
  marked([`*** Add File: ${path}`, ...text.split("\n").map((line) => `+${line}`)]);

/** Each line of the file that holds the text, replaced. @param {Step & { kind: "edit" }} step */
function editingPatch({ path, pairs }) {
  const lines = readFileSync(path, "utf8").split("\n");
  const changed = (/** @type {string} */ line) => pairs.reduce((text, [from, to]) => text.replaceAll(from, to), line);
  const hunks = lines.flatMap((line) => (changed(line) === line ? [] : ["@@", `-${line}`, `+${changed(line)}`]));
  return marked([`*** Update File: ${path}`, ...hunks]);
}

/**
 * Carries out a call of a file tool as agents do. False if it would have failed.
 * @param {Step} step @param {string} cwd
 */
export function play(step, cwd) {
  switch (step.kind) {
    case "write":
    case "notebook": {
      const file = resolve(cwd, step.path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, step.text);
      return true;
    }
    case "edit":
      return step.pairs.every(([from, to]) => {
        const before = readFileSync(step.path, "utf8");
        const after = before.replaceAll(from, () => to);
        writeFileSync(step.path, after);
        return before.includes(from);
      });
    case "patch":
      return applyPatch(step.text, {
        read: (path) => readFileSync(resolve(cwd, path), "utf8"),
        write: (path, text) => play({ kind: "write", path, text }, cwd),
        remove: (path) => rmSync(resolve(cwd, path)),
      });
    default:
      return true;
  }
}
