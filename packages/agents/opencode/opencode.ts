import { type AgentTools, toolTable } from "../../../src/protocol/tools/tool-table.ts";
import type { Agent } from "../agent.ts";
import { type AgentInstall, installFacts } from "../agent-install.ts";
import { KNOWN_AGENTS } from "../known-agents.ts";
import {
  afterToolEvent,
  beforeToolEvent,
  moduleBaseFields,
  moduleShellCall,
  moduleSubagent,
  moduleText,
  promptEvent,
} from "../module-agent.ts";
import facts from "./install.json" with { type: "json" };
import tools from "./tools.json" with { type: "json" };

const OPENCODE_TOOLS: AgentTools = {
  // MCP tools are `server_tool`; its own tools with an underscore are in the table.
  mcp: /_/,
  table: toolTable(tools),
};

/** opencode. It has no command hooks: hookctl writes a plugin that calls the bridge. */
export const opencode: Agent = {
  ...KNOWN_AGENTS.opencode,
  name: "opencode",
  baseFields: moduleBaseFields,
  subagent: moduleSubagent,
  tools: OPENCODE_TOOLS,
  sampleShellCall: moduleShellCall("tool.execute.before"),
  events: {
    "chat.message": promptEvent,
    "tool.execute.before": beforeToolEvent,
    "tool.execute.after": afterToolEvent,
  },
};

/** Earlier versions load one plugin of a name, the project's: hence its `namesakes`. */
export const opencodeInstall: AgentInstall = {
  ...installFacts(facts),
  format: { kind: "module", module: (registrations) => moduleText("opencode", registrations, HANDLERS) },
};

const HANDLERS = `// A tool of an MCP server returns parts instead of one text.
const textIn = (part) => part.text ?? part.resource?.text;
const textOf = ({ output, content }) =>
  output ?? content?.flatMap((part) => textIn(part) ?? []).join("\\n");

function setText(result, text) {
  if (result.content === undefined) result.output = text;
  else result.content = [{ type: "text", text }, ...result.content.filter((part) => textIn(part) === undefined)];
}

export const hookctl = async ({ directory, client }) => {
  const tell = (text, variant) =>
    client?.tui?.showToast({ body: { message: safe(text), variant } }).catch(() => undefined);
  const infos = new Map();
  // The agent passes the session alone: its parent and its agent have to be looked up.
  const subagentOf = async (id) => {
    const info = infos.get(id) ?? (await client?.session?.get({ path: { id } }).catch(() => undefined))?.data;
    if (info !== undefined) infos.set(id, info);
    return info?.parentID === undefined ? undefined : { type: info.agent, id };
  };
  const heard = async (event, payload) => {
    const subagent = await subagentOf(payload.session);
    const answer = await ask(event, { cwd: directory, subagent, ...payload });
    if (answer.tell !== undefined) await tell(answer.tell, "warning");
    return answer;
  };
  return {
    "chat.message": async ({ sessionID }, { parts }) => {
      const texts = parts.flatMap((part) => (part.type === "text" && !part.synthetic ? [part.text] : []));
      const answer = await heard("chat.message", { session: sessionID, prompt: texts.join("\\n") });
      // opencode discards the prompt and shows an error without the reason.
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
      const payload = { session: sessionID, tool, call: callID, input: args, output: textOf(output) };
      const answer = await heard("tool.execute.after", payload);
      if (answer.output !== undefined) setText(output, answer.output);
      // A blocked result must not reach the model in any field.
      const empty = output.content === undefined ? { title: "" } : { content: [] };
      if (answer.deny !== undefined) replace(output, { ...empty, metadata: {} });
      if (answer.deny !== undefined) setText(output, answer.deny);
      if (answer.context !== undefined) setText(output, \`\${textOf(output)}\\n\\n\${answer.context}\`);
    },
  };
};
`;
