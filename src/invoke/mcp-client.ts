import { readFileSync } from "node:fs";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { deserializeMessage } from "@modelcontextprotocol/sdk/shared/stdio.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { type CallToolResult, CallToolResultSchema, ListToolsResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { type JsonValue, jsonText, rawJson } from "../protocol/json/write.ts";
import { errorText } from "./function-outcome.ts";

/** What a server says when one of its tools is called. */
export type ToolAnswer =
  /** `isValue`: it was a value that we wrote as JSON, and no text. */
  | { readonly kind: "answered"; readonly text: string; readonly isValue: boolean }
  | { readonly kind: "failed"; readonly cause: string }
  | { readonly kind: "no-such-tool"; readonly tools: readonly string[] };

export interface McpClient {
  /** Never rejects. `args` is JSON text, so that each value reaches the tool as it came. */
  readonly call: (tool: string, args: string) => Promise<ToolAnswer>;
  readonly receive: (line: string) => void;
  /** The server is gone: whoever waits for it fails. */
  readonly disconnect: () => void;
}

/** The SDK's client on a line of ours; it never sees a process. Loaded when a tool is asked and not before. */
export function newClient(say: (line: string) => void, onNoise: (line: string) => void): McpClient {
  const client = new Client({ name: "hookctl", version: ownVersion() });
  const transport: Transport = {
    start: async () => undefined,
    send: async (message) => say(jsonText(message as unknown as JsonValue)),
    close: async () => transport.onclose?.(),
  };
  const connected = client.connect(transport, UNTIMED);
  return {
    call: async (tool, args) => {
      try {
        await connected;
        const answer = answerOf(await called(client, tool, args));
        return answer.kind === "failed" ? await unlessMissing(client, tool, answer.cause) : answer;
      } catch (error) {
        return unlessMissing(client, tool, wordsOf(error));
      }
    },
    receive: (line) => {
      if (!isTaken(transport, line) && line.trim() !== "") onNoise(line);
    },
    disconnect: () => transport.onclose?.(),
  };
}

/** A limit ends the process, and with it every request: the SDK's own would only come in between. */
const UNTIMED = { timeout: 2 ** 31 - 1 };

const called = (client: Client, name: string, args: string): Promise<CallToolResult> =>
  client.request(
    { method: "tools/call", params: { name, arguments: { ...rawJson(args) } } },
    CallToolResultSchema,
    UNTIMED,
  );

/** The SDK throws at what is no message, and at one that is nested too deep to be told. */
function isTaken(transport: Transport, line: string): boolean {
  try {
    transport.onmessage?.(deserializeMessage(line));
    return true;
  } catch {
    return false;
  }
}

/** The SDK checks what comes with zod, whose words are for those who wrote the server. */
const wordsOf = (error: unknown): string =>
  /ZodError$/.test(Object(error).name) ? "its answer is no result of a tool" : errorText(error);

function answerOf({ isError, structuredContent, content }: CallToolResult): ToolAnswer {
  const text = content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  const structured = structuredContent === undefined ? "" : JSON.stringify(structuredContent);
  if (isError) return { kind: "failed", cause: text || structured };
  if (structured === "" || isWrapped(structuredContent, text)) return { kind: "answered", text, isValue: false };
  return { kind: "answered", text: structured, isValue: true };
}

/** Some servers put a text that a tool returns into `{"result": text}`: then the text is the answer. */
const isWrapped = (structured: CallToolResult["structuredContent"], text: string): boolean =>
  text !== "" && Object.keys(structured ?? {}).join() === "result" && structured?.result === text;

/** Servers say in many ways that they have no such tool; their list says it in one. */
async function unlessMissing(client: Client, tool: string, cause: string): Promise<ToolAnswer> {
  const tools = await toolNames(client);
  return tools === null || tools.includes(tool) ? { kind: "failed", cause } : { kind: "no-such-tool", tools };
}

/** Null: it does not say. */
async function toolNames(client: Client): Promise<readonly string[] | null> {
  const names: string[] = [];
  try {
    for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
      const page = await client.request({ method: "tools/list", params: { cursor } }, ListToolsResultSchema, UNTIMED);
      names.push(...page.tools.map(({ name }) => name));
      cursor = page.nextCursor;
    }
    return names;
  } catch {
    return null;
  }
}

function ownVersion(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return String((JSON.parse(text) as { version: unknown }).version);
}
