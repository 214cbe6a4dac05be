import { isAbsolute } from "node:path";
import type { CommonOptions } from "../../../../src/cli/command-table.ts";
import { textAt } from "../../../../src/dialects/field-paths.ts";
import type { Host } from "../../../../src/engine/host.ts";
import { EXIT } from "../../../../src/protocol/exit-code.ts";
import { JSON_DEPTH, readWithMembers } from "../../../../src/protocol/json/read.ts";
import { printableJson } from "../../../../src/protocol/json/write.ts";
import { ok } from "../../../../src/protocol/result.ts";
import { decodeUtf8 } from "../../../../src/protocol/text/text.ts";
import { parseDuration } from "../../../../src/protocol/text/units.ts";
import { blockFormat } from "../../../agents/agent.ts";
import { AGENTS } from "../../../agents/agents.ts";
import type { AnswerAgent } from "../../../sdk/serve/http.ts";
import type { BridgeRequest } from "../../../sdk/serve/http-head.ts";
import { createSlots } from "../../../sdk/serve/slots.ts";
import { rowOf } from "../../bridge/agent-call.ts";
import { bridge } from "../bridge.ts";
import { capturedBy } from "./session-methods.ts";

/** The options of the server that apply to each call. */
export type AgentOptions = CommonOptions & { readonly mostChains: number };

const MOST_SESSIONS = 10_000;
/** An agent's own call is never made by a hook. */
const FIRST_DEPTH = 0;

/** Answers as `hookctl bridge claude` does: it is that command, with the request as its stdin. */
export function agentOverHttp({ mostChains, ...common }: AgentOptions, host: Host): AnswerAgent {
  const slots = createSlots(mostChains);
  const projects = new Map<string, string>();
  return async (request, body, { interrupt }) => {
    const beganMs = host.elapsedMs();
    const free = await slots.take(FIRST_DEPTH, interrupt);
    // The server is ending, or the client has gone and reads no answer.
    if (free === null) return blockingText(request);
    try {
      const { cwd, project } = placeOf(body, projects);
      const output = capturedBy(host);
      const exitCode = await askBridge(request, common, {
        ...output.host,
        isStdinTerminal: () => false,
        readStdin: async () => ({ kind: "read", bytes: body }),
        env: { ...host.env, CLAUDE_PROJECT_DIR: project ?? undefined },
        isStdoutNull: () => false,
        interrupt,
        beganMs,
        cwd: cwd ?? host.cwd,
      });
      // Over HTTP the exit code is lost, so a failure without output has to block in the text.
      return exitCode === EXIT.ok || output.text() !== "" ? output.text() : blockingText(request);
    } catch {
      return blockingText(request);
    } finally {
      free();
    }
  };
}

async function askBridge(
  { event, deadline, directory, failClosed }: BridgeRequest,
  common: CommonOptions,
  host: Host,
): Promise<number> {
  const deadlineMs = deadline === null ? ok(null) : parseDuration(deadline);
  if (!deadlineMs.ok) return EXIT.usage;
  const options = {
    ...common,
    nativeEvent: event,
    deadlineMs: deadlineMs.value,
    directory: directory ?? common.directory,
    failClosed,
    failOpen: false,
    proof: false,
  };
  return bridge({ command: "bridge", args: ["claude"], options }, host);
}

/**
 * Where the agent works, and the project that its command would find in CLAUDE_PROJECT_DIR: where its session worked
 * first. Otherwise a session that leaves its project would leave the project's hooks.
 */
function placeOf(body: Uint8Array, projects: Map<string, string>): { cwd: string | null; project: string | null } {
  const text = decodeUtf8(body);
  const read = text === null ? null : readWithMembers(text, JSON_DEPTH);
  if (read?.ok !== true || read.value.members === null) return { cwd: null, project: null };
  const { members } = read.value;
  const [given, session] = [textAt(members, "cwd"), textAt(members, "session_id")];
  const cwd = isAbsolute(given) ? given : null;
  const project = projects.get(session) ?? cwd;
  if (session === "" || project === null) return { cwd, project };
  // Last in the map, so that the first is the session that has been silent for longest.
  projects.delete(session);
  projects.set(session, project);
  const [oldest] = projects.keys();
  if (projects.size > MOST_SESSIONS && oldest !== undefined) projects.delete(oldest);
  return { cwd, project };
}

/** A call that could not be answered is blocked where the event can be blocked. */
function blockingText({ event }: BridgeRequest): string {
  const block = blockFormat(rowOf(AGENTS.claude, event)?.answers ?? {});
  return block === undefined ? "" : printableJson(block("hookctl: the call could not be answered."));
}
