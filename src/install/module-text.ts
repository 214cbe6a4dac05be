import type { AgentName } from "../agents/agent.ts";
import { CONTROL_CHARACTERS } from "../protocol/text.ts";
import type { Registration } from "./registration.ts";

/** The first words of a file that is ours alone. */
const MARK = "// hookctl: this file is written by";
const SPAWN = 'import { spawn } from "node:child_process";';
const LINES = /^const LINES = (\{[\s\S]*?^\});$/m;

export const isHookctlModule = (text: string): boolean => text.startsWith(MARK);

/** The events and lines of a module of ours. */
export function registrationsInModule(text: string): Readonly<Record<string, unknown>> {
  const found = isHookctlModule(text) ? LINES.exec(text)?.[1] : undefined;
  try {
    return Object(JSON.parse(found ?? "{}"));
  } catch {
    return {};
  }
}

/** A module for an agent that loads code in place of calling commands: it asks the same lines, and obeys what they say. */
const moduleText = (agent: AgentName, lines: readonly Registration[], handlers: string): string =>
  `${MARK} \`hookctl install ${agent}\`. \`hookctl uninstall ${agent}\` deletes it.
${SPAWN}

const LINES = ${JSON.stringify(Object.fromEntries(lines.map(({ event, command }) => [event, command])), null, 2)};

// What hookctl says about an event; nothing when it has nothing to say or cannot be asked.
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
    child.on("error", () => resolve({}));
    child.on("close", (code) => resolve(answerIn(text, code)));
    child.stdin.end(JSON.stringify({ event, ...payload }));
  });
}

function answerIn(text, code) {
  try {
    return Object(JSON.parse(text));
  } catch {
    return code === 2 ? { deny: "hookctl could not answer" } : {};
  }
}

// For a person: a character that would steer the terminal is written out. Lines stay lines.
function safe(text) {
  const written = (char) => "\\\\u" + char.charCodeAt(0).toString(16).padStart(4, "0");
  return text.split("\\n").map((line) => line.replace(${CONTROL_CHARACTERS}, written)).join("\\n");
}

// The agent keeps the object that it handed over, so the new value goes into that one.
function replace(target, value) {
  for (const key of Object.keys(target)) delete target[key];
  Object.assign(target, value);
}

${handlers}`;

export const opencodeModule = (lines: readonly Registration[]): string =>
  moduleText(
    "opencode",
    lines,
    `export const hookctl = async ({ directory, client }) => {
  const tell = (text, variant) =>
    client?.tui?.showToast({ body: { message: safe(text), variant } }).catch(() => undefined);
  const heard = async (event, payload) => {
    const answer = await ask(event, { cwd: directory, ...payload });
    if (answer.tell !== undefined) await tell(answer.tell, "warning");
    return answer;
  };
  return {
    "chat.message": async ({ sessionID }, { parts }) => {
      const texts = parts.flatMap((part) => (part.type === "text" && !part.synthetic ? [part.text] : []));
      const answer = await heard("chat.message", { session: sessionID, prompt: texts.join("\\n") });
      // opencode keeps the prompt back, and shows an error without these words.
      if (answer.deny !== undefined) await tell(answer.deny, "error");
      if (answer.deny !== undefined) throw new Error(safe(answer.deny));
      const last = parts.findLast((part) => part.type === "text");
      if (answer.context !== undefined && last !== undefined) last.text += \`\\n\\n\${answer.context}\`;
    },
    "tool.execute.before": async ({ tool, sessionID, callID }, output) => {
      const payload = { session: sessionID, tool, call: callID, input: output.args };
      const answer = await heard("tool.execute.before", payload);
      if (answer.deny !== undefined) throw new Error(answer.deny);
      if (answer.input !== undefined) replace(output.args, answer.input);
    },
    "tool.execute.after": async ({ tool, sessionID, callID, args }, output) => {
      const payload = { session: sessionID, tool, call: callID, input: args, output: output.output };
      const answer = await heard("tool.execute.after", payload);
      if (answer.output !== undefined) output.output = answer.output;
      // A blocked result must not reach the model, in none of the places where it stands.
      if (answer.deny !== undefined) replace(output, { title: "", output: answer.deny, metadata: {} });
      if (answer.context !== undefined) output.output += \`\\n\\n\${answer.context}\`;
    },
  };
};
`,
  );

export const piModule = (lines: readonly Registration[]): string =>
  moduleText(
    "pi",
    lines,
    `const textPart = (text) => ({ type: "text", text });

async function heard(event, payload, ctx) {
  const answer = await ask(event, { cwd: ctx.cwd, session: ctx.sessionManager.getSessionId(), ...payload });
  if (answer.tell !== undefined && ctx.hasUI) ctx.ui.notify(safe(answer.tell), "warning");
  return answer;
}

export default function hookctl(pi) {
  pi.on("input", async ({ text, images }, ctx) => {
    const { deny, context } = await heard("input", { prompt: text }, ctx);
    if (deny === undefined && context === undefined) return { action: "continue" };
    if (deny === undefined) return { action: "transform", text: \`\${text}\\n\\n\${context}\`, images };
    if (ctx.hasUI) ctx.ui.notify(safe(deny), "error");
    else console.error(safe(deny));
    return { action: "handled" };
  });
  pi.on("tool_call", async ({ toolName, toolCallId, input }, ctx) => {
    const answer = await heard("tool_call", { tool: toolName, call: toolCallId, input }, ctx);
    if (answer.deny !== undefined) return { block: true, reason: answer.deny };
    if (answer.input !== undefined) replace(input, answer.input);
  });
  pi.on("tool_result", async ({ toolName, toolCallId, input, content, isError }, ctx) => {
    const output = content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\\n");
    const payload = { tool: toolName, call: toolCallId, input, output, is_error: isError };
    const answer = await heard("tool_result", payload, ctx);
    // A blocked result must not reach the model, in none of the places where it stands.
    if (answer.deny !== undefined) return { content: [textPart(answer.deny)], details: {}, isError: true };
    if (answer.output === undefined && answer.context === undefined) return;
    const shown = answer.output === undefined ? content : [textPart(answer.output)];
    return { content: answer.context === undefined ? shown : [...shown, textPart(answer.context)] };
  });
}
`,
  );
