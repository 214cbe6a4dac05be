import type { AgentName, InstallScope } from "../../src/protocol/agent-names.ts";
import type { JsonObject } from "../../src/protocol/json/read.ts";
import type { Agent } from "./agent.ts";
import { loadAgent } from "./load-agent.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** A program that also runs the hooks in another agent's settings. */
interface Borrower {
  readonly name: string;
  readonly load: () => Promise<Agent>;
  /** The agents whose settings it reads. */
  readonly from: readonly AgentName[];
  /** The scopes of those settings that it reads. */
  readonly scopes: readonly InstallScope[];
  /**
   * True for a call that only this program makes. It decides only how the payload is read and in which format it is
   * answered, because a project can set a variable. The hooks run in any case.
   */
  readonly isSender: (native: JsonObject, env: Environment) => boolean;
}

/** The programs. The table of each is loaded when it calls. */
export const BORROWERS: readonly Borrower[] = [
  {
    name: "cursor",
    load: () => loadAgent("cursor"),
    from: ["claude"],
    scopes: ["project", "local", "user"],
    isSender: (native) => native.has("cursor_version"),
  },
  {
    name: "grok",
    load: async () => (await import("./grok/grok.ts")).grok,
    from: ["claude", "cursor"],
    scopes: ["project", "local", "user"],
    // It sends its event in both spellings.
    isSender: (native) => ["hookEventName", "hook_event_name", "workspaceRoot"].every((key) => native.has(key)),
  },
  {
    name: "copilot",
    load: () => loadAgent("copilot"),
    from: ["claude"],
    scopes: ["project", "local"],
    // VS Code sends a timestamp too, beside `sessionId` or `tool_use_id`.
    isSender: (native, { COPILOT_CLI }) =>
      COPILOT_CLI === "1" && native.has("timestamp") && !native.has("sessionId") && !native.has("tool_use_id"),
  },
];
