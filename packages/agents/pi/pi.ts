import { broken, type Checkup, fine } from "../../../src/protocol/doctor-check.ts";
import { arrayOr } from "../../../src/protocol/json/read.ts";
import { isWithin } from "../../../src/protocol/text/text.ts";
import { type AgentTools, toolTable } from "../../../src/protocol/tools/tool-table.ts";
import type { Agent } from "../agent.ts";
import { type AgentInstall, type AgentTrustInput, installFacts } from "../agent-install.ts";
import { KNOWN_AGENTS } from "../known-agents.ts";
import {
  afterToolEvent,
  beforeToolEvent,
  moduleBaseFields,
  moduleShellCall,
  moduleText,
  promptEvent,
} from "../module-agent.ts";
import facts from "./install.json" with { type: "json" };
import tools from "./tools.json" with { type: "json" };

const PI_TOOLS: AgentTools = {
  mcp: /_/,
  table: toolTable(tools),
};

/** pi. It has no command hooks: hookctl writes an extension that calls the bridge. */
export const pi: Agent = {
  ...KNOWN_AGENTS.pi,
  name: "pi",
  baseFields: moduleBaseFields,
  tools: PI_TOOLS,
  sampleShellCall: moduleShellCall("tool_call"),
  events: { input: promptEvent, tool_call: beforeToolEvent, tool_result: afterToolEvent },
};

export const piInstall: AgentInstall = {
  ...installFacts(facts, [
    {
      key: ["extensions"],
      disablesHooks: (value) => arrayOr(value).some((one) => EXCLUDES.test(String(one))),
      files: [
        ["project", ".pi/settings.json"],
        ["user", ".pi/agent/settings.json"],
      ],
    },
  ]),
  format: { kind: "module", module: (registrations) => moduleText("pi", registrations, HANDLERS) },
  trust: { files: [".pi/agent/trust.json", ".pi/agent/settings.json"], check: piTrust },
};

/** `-path` and `!glob` exclude extensions that pi has found. */
const EXCLUDES = /^[-!].*hookctl|^!(?:.*\/)?\*+(?:\.\w+)?$/;

/** The decision for the nearest folder applies, else the default for all folders. */
function piTrust({ scope, projectDir, contents: [decisions = {}, settings = {}] }: AgentTrustInput): Checkup {
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

const HANDLERS = `const textPart = (text) => ({ type: "text", text });

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
    // A blocked result must not reach the model in any field.
    if (answer.deny !== undefined) return { content: [textPart(answer.deny)], details: {}, isError: true };
    if (answer.output === undefined && answer.context === undefined) return;
    const shown = answer.output === undefined ? content : [textPart(answer.output)];
    return { content: answer.context === undefined ? shown : [...shown, textPart(answer.context)] };
  });
}
`;
