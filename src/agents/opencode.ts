import { type AgentTools, means, own } from "../protocol/tools/tool-table.ts";
import type { Agent } from "./agent.ts";
import type { AgentInstall } from "./agent-install.ts";
import { KNOWN_AGENTS } from "./known-agents.ts";
import {
  afterToolEvent,
  beforeToolEvent,
  moduleBaseFields,
  moduleShellCall,
  moduleSubagent,
  moduleText,
  promptEvent,
} from "./module-agent.ts";

const EDIT = { oldString: "old_text", newString: "new_text", replaceAll: "replace_all" };

const OPENCODE_TOOLS: AgentTools = {
  // MCP tools are `server_tool`; its own tools with an underscore are in the table.
  mcp: /_/,
  table: {
    bash: means("bash", {}, { conversions: { timeout: "milliseconds" } }),
    read: means("file_read", { filePath: "file_path", limit: "line_limit" }),
    write: means("file_write", { filePath: "file_path", content: "text" }),
    edit: means("file_edit", { filePath: "file_path", ...EDIT }),
    multiedit: means("file_edit", { filePath: "file_path" }, { edits: { list: "edits", names: EDIT } }),
    apply_patch: means("apply_patch", { patchText: "input" }),
    grep: means("grep_tool"),
    glob: means("glob_tool"),
    list: own("search", "LS"),
    webfetch: means("web_fetch"),
    websearch: means("web_search"),
    codesearch: own("web"),
    task: means("subagent", { prompt: "question" }),
    skill: means("skill", { name: "skill_name" }),
    plan_enter: own("other"),
    plan_exit: own("other"),
    lsp_hover: own("search"),
    lsp_diagnostics: own("search"),
  },
};

/** opencode. It has no command hooks: hookctl writes a plugin that calls the bridge. */
export const opencode: Agent = {
  name: "opencode",
  title: KNOWN_AGENTS.opencode.title,
  testedWith: "1.18.33",
  projectVariable: null,
  settings: KNOWN_AGENTS.opencode.settings,
  baseFields: moduleBaseFields,
  subagent: moduleSubagent,
  tools: OPENCODE_TOOLS,
  contextLimit: 8000,
  followUpLimit: 0,
  withoutProgram: "allows",
  unsupportedEvents: [
    ...["permission.ask", "command.execute.before", "chat.params", "session.created", "session.idle"],
    ...["session.error", "experimental.session.compacting"],
  ],
  sampleShellCall: moduleShellCall("tool.execute.before"),
  events: {
    "chat.message": promptEvent,
    "tool.execute.before": beforeToolEvent,
    "tool.execute.after": afterToolEvent,
  },
};

export const opencodeInstall: AgentInstall = {
  disablingVariables: { OPENCODE_PURE: "all", OPENCODE_DISABLE_PROJECT_CONFIG: "project" },
  // Earlier versions load one plugin of a name, the project's.
  namesakes: ["plugin", "plugins"].flatMap((folder) => ["js", "ts"].map((end) => `.opencode/${folder}/hookctl.${end}`)),
  format: { kind: "module", module: (registrations) => moduleText("opencode", registrations, HANDLERS) },
  stillToDo: "opencode loads it when it starts, without asking.",
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
