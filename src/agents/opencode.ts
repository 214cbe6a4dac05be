import type { Agent } from "./agent.ts";
import type { AgentInstall } from "./agent-install.ts";
import { KNOWN_AGENTS } from "./known-agents.ts";
import {
  afterToolEvent,
  beforeToolEvent,
  moduleBaseFields,
  moduleShellCall,
  moduleText,
  promptEvent,
} from "./module-agent.ts";

/** opencode. It has no command hooks: hookctl writes a plugin that calls the bridge. */
export const opencode: Agent = {
  name: "opencode",
  title: KNOWN_AGENTS.opencode.title,
  testedWith: "1.18.33",
  projectVariable: null,
  settings: KNOWN_AGENTS.opencode.settings,
  baseFields: moduleBaseFields,
  tools: {
    bash: "shell",
    read: "read",
    write: "write",
    edit: "edit",
    apply_patch: "edit",
    grep: "search",
    glob: "search",
    list: "search",
    webfetch: "web",
    websearch: "web",
    codesearch: "web",
    task: "agent",
    plan_enter: "other",
    plan_exit: "other",
    lsp_hover: "search",
    lsp_diagnostics: "search",
  },
  // MCP tools are `server_tool`; its own tools with an underscore are listed above.
  mcpTool: /_/,
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
  format: { kind: "module", module: (registrations) => moduleText("opencode", registrations, HANDLERS) },
  stillToDo: "opencode loads it when it starts, without asking.",
};

const HANDLERS = `export const hookctl = async ({ directory, client }) => {
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
      const payload = { session: sessionID, tool, call: callID, input: args, output: output.output };
      const answer = await heard("tool.execute.after", payload);
      if (answer.output !== undefined) output.output = answer.output;
      // A blocked result must not reach the model in any field.
      if (answer.deny !== undefined) replace(output, { title: "", output: answer.deny, metadata: {} });
      if (answer.context !== undefined) output.output += \`\\n\\n\${answer.context}\`;
    },
  };
};
`;
