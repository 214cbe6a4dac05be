import { readFileSync } from "node:fs";
import { Protocol } from "@modelcontextprotocol/sdk/shared/protocol.js";
import { deserializeMessage } from "@modelcontextprotocol/sdk/shared/stdio.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  type CallToolResult,
  CallToolResultSchema,
  type ClientNotification,
  type ClientRequest,
  type ClientResult,
  InitializeResultSchema,
  LATEST_PROTOCOL_VERSION,
  ListToolsResultSchema,
  SUPPORTED_PROTOCOL_VERSIONS,
} from "@modelcontextprotocol/sdk/types.js";
import { type JsonValue, jsonText, rawJson } from "../protocol/json/write.ts";
import { errorText } from "./function-outcome.ts";

/** The answer of a server to a tool call. */
export type ToolAnswer =
  /** `isValue`: the answer was structured content, which is written as JSON here. */
  | { readonly kind: "answered"; readonly text: string; readonly isValue: boolean }
  | { readonly kind: "failed"; readonly cause: string }
  | { readonly kind: "no-such-tool"; readonly tools: readonly string[] };

export interface McpClient {
  /** Never rejects. `args` is JSON text, so that each value reaches the tool as it came. */
  readonly call: (tool: string, args: string) => Promise<ToolAnswer>;
  readonly receive: (line: string) => void;
  /** The server has exited: pending calls fail. */
  readonly disconnect: () => void;
}

/**
 * The SDK's protocol as a client. The SDK's own client also loads a compiler of JSON schemas, which runs generated code
 * and which a tool call does not need.
 */
class Client extends Protocol<ClientRequest, ClientNotification, ClientResult> {
  async initialize(transport: Transport): Promise<void> {
    await this.connect(transport);
    const clientInfo = { name: "hookctl", version: ownVersion() };
    const params = { protocolVersion: LATEST_PROTOCOL_VERSION, capabilities: {}, clientInfo };
    const { protocolVersion } = await this.request({ method: "initialize", params }, InitializeResultSchema, UNTIMED);
    if (!SUPPORTED_PROTOCOL_VERSIONS.includes(protocolVersion)) {
      throw new Error(`Server's protocol version is not supported: ${protocolVersion}`);
    }
    await this.notification({ method: "notifications/initialized" });
  }

  // The server itself rejects what it does not support.
  protected assertCapabilityForMethod(): void {}
  protected assertNotificationCapability(): void {}
  protected assertRequestHandlerCapability(): void {}
  protected assertTaskCapability(): void {}
  protected assertTaskHandlerCapability(): void {}
}

/** The SDK's side of a connection, which exchanges lines and never sees a process. Loaded when a tool is called. */
export function newClient(say: (line: string) => void, onNoise: (line: string) => void): McpClient {
  const client = new Client();
  const transport: Transport = {
    start: async () => undefined,
    send: async (message) => say(jsonText(message as unknown as JsonValue)),
    close: async () => transport.onclose?.(),
  };
  const connected = client.initialize(transport);
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

/** The hook's timeout terminates the process and with it every request, so the SDK needs none. */
const UNTIMED = { timeout: 2 ** 31 - 1 };

const called = (client: Client, name: string, args: string): Promise<CallToolResult> =>
  client.request(
    { method: "tools/call", params: { name, arguments: { ...rawJson(args) } } },
    CallToolResultSchema,
    UNTIMED,
  );

/** True if the line is a message. The SDK throws at other lines. */
function isTaken(transport: Transport, line: string): boolean {
  try {
    transport.onmessage?.(deserializeMessage(line));
    return true;
  } catch {
    return false;
  }
}

/** The text of an error. Those of zod are for authors of servers, so they are replaced. */
const wordsOf = (error: unknown): string =>
  /ZodError$/.test(Object(error).name) ? "its response is not a tool result" : errorText(error);

function answerOf({ isError, structuredContent, content }: CallToolResult): ToolAnswer {
  const text = content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  const structured = structuredContent === undefined ? "" : JSON.stringify(structuredContent);
  if (isError) return { kind: "failed", cause: text || structured };
  if (structured === "" || isWrapped(structuredContent, text)) return { kind: "answered", text, isValue: false };
  return { kind: "answered", text: structured, isValue: true };
}

/** Some servers wrap a text into `{"result": text}`; then the text is the answer. */
const isWrapped = (structured: CallToolResult["structuredContent"], text: string): boolean =>
  text !== "" && Object.keys(structured ?? {}).join() === "result" && structured?.result === text;

/** Servers report a missing tool in many ways, so their list of tools decides. */
async function unlessMissing(client: Client, tool: string, cause: string): Promise<ToolAnswer> {
  const tools = await toolNames(client);
  return tools === null || tools.includes(tool) ? { kind: "failed", cause } : { kind: "no-such-tool", tools };
}

/** Null: the server does not list its tools. */
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
