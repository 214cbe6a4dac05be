import { broken, type Checkup, fine } from "../protocol/doctor-check.ts";
import { arrayOr } from "../protocol/json/read.ts";
import { isWithin } from "../protocol/text/text.ts";
import { type AgentTools, means, own } from "../protocol/tools/tool-table.ts";
import type { Agent } from "./agent.ts";
import type { AgentInstall, AgentTrustInput } from "./agent-install.ts";
import { KNOWN_AGENTS } from "./known-agents.ts";
import {
  afterToolEvent,
  beforeToolEvent,
  moduleBaseFields,
  moduleShellCall,
  moduleText,
  promptEvent,
} from "./module-agent.ts";

const EDIT = { oldText: "old_text", newText: "new_text" };

const PI_TOOLS: AgentTools = {
  mcp: /_/,
  table: {
    bash: means("bash"),
    read: means("file_read", { path: "file_path", limit: "line_limit" }),
    write: means("file_write", { path: "file_path", content: "text" }),
    edit: means("file_edit", { path: "file_path", ...EDIT }, { edits: { list: "edits", names: EDIT } }),
    grep: means("grep_tool", {
      glob: "include",
      ignoreCase: "ignore_case",
      literal: "fixed_strings",
      context: "surround_lines",
    }),
    find: means("glob_tool"),
    ls: own("search", "LS"),
    tool_search: own("search"),
  },
};

/** pi. It has no command hooks: hookctl writes an extension that calls the bridge. */
export const pi: Agent = {
  name: "pi",
  title: KNOWN_AGENTS.pi.title,
  testedWith: "0.73.1, 0.87, 1.5.2",
  projectVariable: null,
  settings: KNOWN_AGENTS.pi.settings,
  baseFields: moduleBaseFields,
  tools: PI_TOOLS,
  contextLimit: 8000,
  followUpLimit: 0,
  withoutProgram: "allows",
  unsupportedEvents: [
    ...["user_bash", "before_agent_start", "turn_start", "turn_end", "agent_end", "before_provider_request"],
    ...["session_start", "session_before_compact", "session_compact", "session_shutdown"],
  ],
  sampleShellCall: moduleShellCall("tool_call"),
  events: { input: promptEvent, tool_call: beforeToolEvent, tool_result: afterToolEvent },
};

export const piInstall: AgentInstall = {
  format: { kind: "module", module: (registrations) => moduleText("pi", registrations, HANDLERS) },
  stillToDo:
    "pi 0.79 and later load a project's extension only after you trusted the folder (/trust), or with --approve. User extensions (--scope user) load without asking.",
  switches: [
    {
      key: ["extensions"],
      disablesHooks: (value) => arrayOr(value).some((one) => EXCLUDES.test(String(one))),
      files: [
        ["project", ".pi/settings.json"],
        ["user", ".pi/agent/settings.json"],
      ],
    },
  ],
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
