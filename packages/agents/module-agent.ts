import { callInput, changedResultText, type FieldPaths, toolOutput } from "../../src/dialects/field-paths.ts";
import type { AgentName } from "../../src/protocol/agent-names.ts";
import { PROOF } from "../../src/protocol/exit-code.ts";
import { rawJson } from "../../src/protocol/json/write.ts";
import { CONTROL_CHARACTERS } from "../../src/protocol/text/text.ts";
import type { Agent, NativeEvent } from "./agent.ts";
import type { Registration } from "./agent-install.ts";

/**
 * The protocol between the bridge and the modules that hookctl writes for agents without command hooks. Payload: `event`,
 * `session`, `subagent`, `cwd`, `prompt`, `tool`, `call`, `input`, `output`, `is_error`; answer: `deny`, `input`, `output`,
 * `context`, `tell`.
 */
export const moduleBaseFields: FieldPaths = { conv_id: "session", cwd: "cwd" };
export const moduleSubagent: FieldPaths = { type: "subagent.type", id: "subagent.id" };

const toolFields: FieldPaths = { tool_name: "tool", tool_input: callInput("input"), tool_user_id: "call" };
const output = toolOutput("tool", "output", (native) => native.get("is_error")?.raw !== "true");

const deny = (reason: string) => ({ deny: reason });
const context = (text: string) => ({ context: text });
const tell = (text: string) => ({ tell: text });

export const beforeToolEvent: NativeEvent = {
  raises: [{ event: "before_tool_call", fields: toolFields }],
  answers: { deny, change: ({ value }) => ({ input: rawJson(value.raw) }), notify: tell },
};

/** For a deny after the call the module replaces the output with the reason. */
export const afterToolEvent: NativeEvent = {
  raises: [{ event: "after_tool_call", fields: { ...toolFields, tool_output: output } }],
  answers: { deny, change: (change) => ({ output: changedResultText(change) }), context, notify: tell },
};

export const promptEvent: NativeEvent = {
  raises: [{ event: "user_message_send", fields: { message: "prompt" } }],
  answers: { deny, context, notify: tell },
};

export const moduleShellCall = (event: string): Agent["sampleShellCall"] => ({
  event,
  payload: (command) => ({
    event,
    session: "hookctl-doctor",
    tool: "bash",
    call: "hookctl-doctor",
    input: { command },
  }),
});

/** The first line of a module that hookctl wrote. */
const MARK = "// hookctl: this file is written by";
const SPAWN = 'import { spawn } from "node:child_process";';
const LINES = /^const LINES = (\{[\s\S]*?^\});$/m;

export const isHookctlModule = (text: string): boolean => text.startsWith(MARK);

/** The registered command of each event in a module that hookctl wrote. */
export function registrationsInModule(text: string): Readonly<Record<string, unknown>> {
  const found = isHookctlModule(text) ? LINES.exec(text)?.[1] : undefined;
  try {
    return Object(JSON.parse(found ?? "{}"));
  } catch {
    return {};
  }
}

/** A module for an agent that loads code instead of running commands: it runs the same commands and applies their answers. */
export const moduleText = (agent: AgentName, lines: readonly Registration[], handlers: string): string =>
  `${MARK} \`hookctl install ${agent}\`. \`hookctl uninstall ${agent}\` deletes it.
${SPAWN}

const LINES = ${JSON.stringify(Object.fromEntries(lines.map(({ event, command }) => [event, command])), null, 2)};

const PROOF = "${PROOF}";

// Calls hookctl for an event; an empty answer if it has none.
function ask(event, payload) {
  if (LINES[event] === undefined) return {};
  return new Promise((resolve) => {
    const child = spawn("/bin/sh", ["-c", LINES[event]], { cwd: payload.cwd, stdio: ["pipe", "pipe", "ignore"] });
    let text = "";
    child.stdout.setEncoding("utf8");
    child.stdout.on("data", (part) => {
      text += part;
    });
    child.stdin.on("error", () => undefined);
    child.on("error", () => resolve(answerIn("", null, LINES[event])));
    child.on("close", (code) => resolve(answerIn(text, code, LINES[event])));
    child.stdin.end(JSON.stringify({ event, ...payload }));
  });
}

// A fail-closed line ends a complete answer with the proof, or denies; without either hookctl was not asked.
function answerIn(text, code, line) {
  const isProven = text.endsWith(PROOF);
  const isClosed = line.includes(" --fail-closed ");
  const answer = parsed(isProven ? text.slice(0, -PROOF.length) : text);
  const isComplete = isProven || (!isClosed && code !== 2);
  if (answer !== null && (isComplete || answer.deny !== undefined)) return answer;
  const deny = "hookctl could not be asked, and its registration is fail-closed. To find out why: hookctl doctor ${agent}";
  return isClosed || code === 2 ? { deny } : {};
}

function parsed(text) {
  try {
    return Object(JSON.parse(text === "" ? "{}" : text));
  } catch {
    return null;
  }
}

// Escapes characters that control a terminal, except line breaks.
function safe(text) {
  const written = (char) => "\\\\u" + char.charCodeAt(0).toString(16).padStart(4, "0");
  return text.split("\\n").map((line) => line.replace(${CONTROL_CHARACTERS}, written)).join("\\n");
}

// The agent uses the object that it passed, so the new value is copied into that one.
function replace(target, value) {
  for (const key of Object.keys(target)) delete target[key];
  Object.assign(target, value);
}

${handlers}`;
