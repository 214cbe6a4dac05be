// Starts what an agent has registered for a tool call, with the agent's own payload, and reads the answer as the agent does.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { entry } from "../entry.mjs";
import { objectIn } from "../json.mjs";
import { ended } from "../scene.mjs";
import { AGENT_MODELS } from "./agents.mjs";
import { FORBIDDEN, HARMLESS } from "./make.mjs";

/** @import { Machine } from "./make.mjs" */
/** @import { Unchecked } from "../json.mjs" */
/** @import { Handler } from "./agents.mjs" */

/**
 * What a machine does with the forbidden and the harmless call: guarded stops the first alone, off none, blocked both.
 * @typedef {"guarded" | "off" | "blocked" | "reversed"} Fact
 */

/**
 * @typedef {object} Facts
 * @property {Fact} agent with the agent's switches and trust
 * @property {Fact | null} line what the registered entries do when they are started; null without any
 */

const moduleHost = fileURLToPath(new URL("module-host.mjs", import.meta.url));
export const MODULES = ["opencode", "pi"];
const HUNG_MS = 120_000;

/** The shell call of each agent, as it was captured. @type {Readonly<Record<string, readonly [event: string, tool: string]>>} */
export const CAPTURED = {
  claude: ["PreToolUse", "Bash"],
  codex: ["PreToolUse", "Bash"],
  gemini: ["BeforeTool", "run_shell_command"],
  copilot: ["preToolUse", "bash"],
  qwen: ["PreToolUse", "run_shell_command"],
  droid: ["PreToolUse", "Execute"],
};
/** Cursor and goose could not be run; what they send is written from their documentation. */
const DOCUMENTED = {
  cursor: {
    conversation_id: "c",
    generation_id: "g",
    model: "m",
    hook_event_name: "preToolUse",
    cursor_version: "2.9.1",
    workspace_roots: ["."],
    tool_name: "Shell",
    tool_input: { command: "" },
    tool_use_id: "t",
    cwd: ".",
  },
  goose: {
    event: "PreToolUse",
    session_id: "s",
    tool_name: "developer__shell",
    tool_input: { command: "" },
    tool_call_id: "t",
    working_dir: ".",
  },
};

/** @param {string} agent @param {Handler} handler @param {string} command @returns {string} */
function payloadOf(agent, { event, cwd }, command) {
  const call = /** @type {Unchecked} */ (
    Object.hasOwn(DOCUMENTED, agent) ? structuredClone(entry(DOCUMENTED, agent)) : captured(agent, event)
  );
  (call.tool_input ?? call.toolArgs).command = command;
  for (const key of ["cwd", "working_dir"]) if (call[key] !== undefined) call[key] = cwd;
  if (call.workspace_roots !== undefined) call.workspace_roots = [cwd];
  return JSON.stringify(call);
}

/** @param {string} agent @param {string} event @returns {Unchecked} */
function captured(agent, event) {
  const [first, tool] = entry(CAPTURED, agent);
  // Copilot raises a PascalCase event in the form of Claude Code.
  return capturedCall(agent, event, event === first ? tool : "Bash-pascal");
}

/** A copy of what an agent was seen to send. @param {string} agent @param {string} event @param {string} tool @returns {Unchecked} */
export function capturedCall(agent, event, tool) {
  const url = new URL(`../../packages/agents/${agent}/samples.json`, import.meta.url);
  samples.set(agent, samples.get(agent) ?? JSON.parse(readFileSync(url, "utf8")).captured);
  return structuredClone(entry(entry(samples.get(agent), event), tool));
}
const samples = new Map();

/**
 * @typedef {object} Start
 * @property {object} call for a module
 * @property {string} input for a command
 * @property {Readonly<Record<string, string>>} env
 * @property {string} [command] in place of the registered one
 * @property {readonly string[]} [shell] in place of the agent's
 * @property {number} [limitMs]
 */

/** Starts what is registered. @param {string} agent @param {Handler} handler @param {Start} start */
export async function answerOf(agent, handler, { call, input, limitMs = HUNG_MS, ...start }) {
  const { env, command = String(handler.entry.command) } = start;
  const { shell = start.shell ?? ["/bin/sh", "-c"] } = entry(AGENT_MODELS, agent);
  const isModule = MODULES.includes(agent);
  const [file = "", ...args] = isModule
    ? [process.execPath, moduleHost, agent, handler.file, handler.cwd, JSON.stringify(call)]
    : [...shell, command];
  const answer = await ended({ file, args, input: isModule ? "" : input, cwd: handler.cwd, env, limitMs });
  return { ...answer, json: objectIn(answer.stdout) };
}

/** @param {Machine} machine @param {string} agent @param {Handler} handler @param {string} command */
async function isStopped(machine, agent, handler, command) {
  const { stops, env } = entry(AGENT_MODELS, agent);
  const input = MODULES.includes(agent) ? "" : payloadOf(agent, handler, command);
  const call = { tool: "bash", input: { command } };
  return stops(await answerOf(agent, handler, { call, input, env: { ...machine.env, ...env?.(machine) } }), handler);
}

/** @param {Machine} machine @param {string} agent @param {readonly Handler[]} handlers @returns {Promise<Fact>} */
async function factOf(machine, agent, handlers) {
  const anyStops = async (/** @type {string} */ command) => {
    for (const handler of handlers) if (await isStopped(machine, agent, handler, command)) return true;
    return false;
  };
  const [forbidden, harmless] = [await anyStops(FORBIDDEN), await anyStops(HARMLESS)];
  if (forbidden) return harmless ? "blocked" : "guarded";
  return harmless ? "reversed" : "off";
}

/** @param {Machine} machine @param {string} agent @returns {Promise<Facts>} */
export async function factsOf(machine, agent) {
  const { handlers, isOff } = entry(AGENT_MODELS, agent);
  const all = handlers(machine);
  const started = isOff(machine) ? [] : all.filter(({ isTrusted }) => isTrusted);
  const line = all.length === 0 ? null : await factOf(machine, agent, all);
  if (started.length === 0) return { agent: "off", line };
  return { agent: started.length === all.length && line !== null ? line : await factOf(machine, agent, started), line };
}
