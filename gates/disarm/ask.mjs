// Asks what an agent has registered about a call, as the agent does it: its settings are read from the disk for each call.
import { entry } from "../entry.mjs";
import { AGENT_MODELS, claudeFiles, inGroups, matches, settings } from "../truth/agents.mjs";
import { answerOf, CAPTURED, capturedCall, MODULES } from "../truth/native-calls.mjs";
import { callsOf } from "./steps.mjs";

/** @import { Machine } from "../truth/make.mjs" */
/** @import { Handler } from "../truth/agents.mjs" */
/** @import { Step, ToolCall } from "./steps.mjs" */

/** @typedef {{ readonly decision: "allowed" | "asked" | "blocked", readonly text: string }} Answer */
/** @typedef {{ readonly env: Readonly<Record<string, string>>, readonly handlers: readonly Handler[] }} Loaded what an agent has when a call begins */
/** @typedef {{ readonly agent: string, readonly mode?: string, readonly isBash?: boolean }} Caller */

const HUNG_MS = 20_000;
/** A shell that calls itself sh and imports functions, as /bin/sh does on macOS and Fedora. */
const BASH_AS_SH = ["/opt/sh/sh", "-c"];

/** The strictest answer to the calls of one step. @param {Machine} machine @param {Caller} caller @param {Step} step */
export async function askAbout(machine, caller, step) {
  /** @type {Answer} */
  let strictest = { decision: "allowed", text: "" };
  for (const call of callsOf(caller.agent, step)) {
    for (const handler of activeHandlers(machine, caller.agent, call.tool)) {
      const answer = await askHandler(machine, caller, { handler, call });
      const text = strictest.text + answer.text;
      const isStricter = answer.decision === "blocked" || strictest.decision === "allowed";
      strictest = { decision: isStricter ? answer.decision : strictest.decision, text };
    }
  }
  return strictest;
}

/** @param {Machine} machine @param {string} agent @param {string} tool */
function activeHandlers(machine, agent, tool) {
  const { handlers, isOff } = entry(AGENT_MODELS, agent);
  // Droid's, Qwen Code's and Claude Code's matchers name their own tools; the model lists the handlers of a shell call.
  return isOff(machine)
    ? []
    : handlers(machine).filter(
        ({ isTrusted, entry: own }) => isTrusted && (typeof own.matcher !== "string" || matches(own.matcher, tool)),
      );
}

/**
 * What an agent asks after its tool calls. Agents load their hooks when a session begins, so that a call which changes them
 * is still reported to those that were there before it. A module's hooks after a call are not asked.
 * @param {Machine} machine @param {string} agent
 */
export function afterHandlers(machine, agent) {
  const { handlers, isOff } = entry(AGENT_MODELS, agent);
  const hasNone = MODULES.includes(agent) || isOff(machine);
  return {
    env: environmentOf(machine, agent),
    handlers: hasNone ? [] : handlers(machine, true).filter(({ isTrusted }) => isTrusted),
  };
}

/** What they say of a shell call that was made. @param {Machine} machine @param {string} agent @param {Loaded} loaded */
export async function saidAfter(machine, agent, { handlers, env }) {
  const texts = handlers.map(async (handler) => {
    const [, tool] = shellCall(agent);
    const input = JSON.stringify({ ...capturedCall(agent, handler.event, tool), cwd: handler.cwd });
    const { stdout, stderr } = await start(machine, { agent }, handler, { input, env });
    return stdout + stderr;
  });
  return (await Promise.all(texts)).join("");
}

/** @param {Machine} machine @param {Caller} caller @param {{ handler: Handler, call: ToolCall }} about @returns {Promise<Answer>} */
async function askHandler(machine, caller, { handler, call }) {
  const { stops } = entry(AGENT_MODELS, caller.agent);
  const input = MODULES.includes(caller.agent) ? "" : payloadOf(caller, handler, call);
  const answer = await start(machine, caller, handler, { call, input });
  const text = answer.stdout + answer.stderr;
  if (!stops(answer, handler)) return { decision: "allowed", text };
  return { decision: /"(?:permissionDecision|decision)":\s*"ask"/.test(answer.stdout) ? "asked" : "blocked", text };
}

/** @typedef {{ input: string, call?: ToolCall, env?: Loaded["env"] }} Sent */

/** @param {Machine} machine @param {Caller} caller @param {Handler} handler @param {Sent} sent */
function start(machine, { agent, isBash }, handler, { input, call = { tool: "", input: {} }, ...sent }) {
  const { env = environmentOf(machine, agent) } = sent;
  const own = String(handler.entry.command);
  // Documented: Claude Code gives each command to the program of this variable.
  const prefix = agent === "claude" ? env.CLAUDE_CODE_SHELL_PREFIX : undefined;
  const command = prefix === undefined ? own : `${prefix} '${own.replaceAll("'", `'\\''`)}'`;
  const shell = isBash && { shell: BASH_AS_SH };
  return answerOf(agent, handler, { call, input, env, command, ...shell, limitMs: HUNG_MS });
}

/** @param {Machine} machine @param {string} agent @returns {Record<string, string>} */
function environmentOf(machine, agent) {
  // Claude Code sets the variables of all its settings, the nearest last.
  const ofSettings = agent === "claude" ? [...claudeFiles(machine)].reverse().map((file) => settings(file).env) : [];
  const set = Object.assign({}, ...ofSettings.filter((env) => env !== null && typeof env === "object"));
  return { ...machine.env, ...set, ...entry(AGENT_MODELS, agent).env?.(machine) };
}

/** The event and the tool of an agent's shell call. @param {string} agent */
const shellCall = (agent) => CAPTURED[agent] ?? ["PreToolUse", "run_shell_command"];

/** @param {Caller} caller @param {Handler} handler @param {ToolCall} call */
function payloadOf({ agent, mode }, { cwd }, { tool, input }) {
  const call = { ...capturedCall(agent, ...shellCall(agent)), cwd };
  const [name, args] = agent === "copilot" ? ["toolName", "toolArgs"] : ["tool_name", "tool_input"];
  return JSON.stringify({ ...call, [name]: tool, [args]: input, ...(mode && { permission_mode: mode }) });
}

/**
 * Claude Code reloads settings that change in a session, unless a hook of ConfigChange stops it: the hooks as they were
 * before the change.
 * @param {Machine} machine
 */
export const configChangeHooks = (machine) => ({
  env: environmentOf(machine, "claude"),
  handlers: claudeFiles(machine).flatMap((file) => inGroups(file, machine.cwd, { event: "ConfigChange", tool: "" })),
});

/** @param {Machine} machine @param {Loaded} loaded @param {string} file @returns {Promise<boolean>} */
export async function isChangeRefused(machine, { handlers, env }, file) {
  const source = file.endsWith("local.json")
    ? "local_settings"
    : file.startsWith(machine.project)
      ? "project_settings"
      : "user_settings";
  const { cwd } = machine;
  const event = { session_id: "s1", hook_event_name: "ConfigChange", cwd, source, file_path: file };
  for (const handler of handlers) {
    const sent = { input: JSON.stringify(event), env };
    const { code, json } = await start(machine, { agent: "claude" }, handler, sent);
    if (code === 2 || json?.decision === "block") return true;
  }
  return false;
}
