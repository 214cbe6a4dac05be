import { type InteractiveStart, startInteractive } from "../process/interactive-process.ts";
import type { ProcessOutcome } from "../process/process-request.ts";

/** The answer of a server to a tool call. */
export type ToolAnswer =
  /** `isValue`: the answer was structured content, which is written as JSON here. */
  | { readonly kind: "answered"; readonly text: string; readonly isValue: boolean }
  | { readonly kind: "failed"; readonly cause: string }
  | { readonly kind: "no-such-tool"; readonly tools: readonly string[] };

/** The result of a tool call: the response of the tool, or the exit of its server. */
export type ToolCallOutcome = ToolAnswer | { readonly kind: "ended"; readonly outcome: ProcessOutcome };

export interface ToolCall {
  readonly outcome: ToolCallOutcome;
  /** The stderr of the server since the call. */
  readonly stderr: string;
  /** The first line on stdout that is not a JSON-RPC message; null: there was none. */
  readonly noise: string | null;
}

/** An MCP server that was started for a run. It handles one call at a time. */
export interface McpSession {
  readonly callTool: (tool: string, args: string, limitMs: number) => Promise<ToolCall>;
  readonly close: () => Promise<void>;
  readonly ended: Promise<unknown>;
}

/** Starts a server through `process`, so that it has timeouts and limits; the client only gets its lines. */
export function openMcpSession(request: InteractiveStart): McpSession {
  let noise: string | null = null;
  const early: string[] = [];
  let hear = (line: string): void => void early.push(line);
  const talk = startInteractive(request, (line) => hear(line));
  // The client is loaded while the server starts.
  const client = import("../../packages/handlers/mcp-client.ts").then(({ newClient }) => {
    const made = newClient(talk.writeLine, (line) => {
      noise ??= line;
    });
    hear = made.receive;
    for (const line of early) made.receive(line);
    void talk.outcome.then(made.disconnect);
    return made;
  });
  const ended = talk.outcome.then((outcome) => ({ kind: "ended", outcome }) as const);
  return {
    callTool: async (tool, args, limitMs) => {
      talk.resetOutput();
      noise = null;
      const timer = setTimeout(() => talk.terminate({ kind: "timed-out", afterMs: limitMs }), limitMs);
      const first = await Promise.race([client.then(({ call }) => call(tool, args)), ended]);
      clearTimeout(timer);
      // An answer after the timeout is not used, as with any hook.
      const answered = talk.isTerminating() ? await ended : first;
      // stderr written before the answer may arrive a moment after it.
      await new Promise(setImmediate);
      return { outcome: answered, stderr: talk.stderr(), noise };
    },
    close: talk.close,
    ended,
  };
}
