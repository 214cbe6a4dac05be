import { readFileSync } from "node:fs";
import { PACKAGE_ROOT } from "../../src/fs/package-root.ts";
import type { ToolAnswer } from "../../src/invoke/mcp-session.ts";
import { isObject, objectOr, type UncheckedObject } from "../../src/protocol/json/read.ts";
import { type JsonValue, jsonText, rawJson } from "../../src/protocol/json/write.ts";

export interface McpClient {
  /** Never rejects. `args` is JSON text, so that each value reaches the tool as it came. */
  readonly call: (tool: string, args: string) => Promise<ToolAnswer>;
  readonly receive: (line: string) => void;
  /** The server has exited: pending calls fail. */
  readonly disconnect: () => void;
}

interface Pending {
  readonly resolve: (result: UncheckedObject) => void;
  readonly reject: (error: Error) => void;
}

/** Rejects if the server answers with an error, or has exited. */
type Request = (method: string, params: JsonValue) => Promise<UncheckedObject>;

/**
 * The client side of the Model Context Protocol for the three requests that a tool hook needs, over lines of JSON-RPC 2.0
 * (https://modelcontextprotocol.io/specification). It never sees a process. The hook's timeout ends the process, and with it
 * every request, so requests have no timeout. Loaded when a tool is called.
 */
export function newClient(say: (line: string) => void, onNoise: (line: string) => void): McpClient {
  const pending = new Map<unknown, Pending>();
  let isClosed = false;
  let nextId = 0;
  const send = (message: Readonly<Record<string, JsonValue>>): void => say(jsonText({ jsonrpc: "2.0", ...message }));
  const request: Request = (method, params) =>
    new Promise((resolve, reject) => {
      if (isClosed) return reject(closed());
      const id = nextId++;
      pending.set(id, { resolve, reject });
      send({ id, method, params });
    });
  const settle = ({ id, result, error }: UncheckedObject): void => {
    const settled = pending.get(id);
    pending.delete(id);
    if (isObject(result)) settled?.resolve(result);
    else settled?.reject(new Error(`MCP error ${objectOr(error).code}: ${objectOr(error).message}`));
  };
  const ready = initialize(request).then(() => send({ method: "notifications/initialized" }));
  // A call reports the failure.
  ready.catch(() => undefined);
  return {
    call: async (tool, args) => {
      try {
        await ready;
        const answer = answerOf(await request("tools/call", { name: tool, arguments: rawJson(args) }));
        return answer.kind === "failed" ? await unlessMissing(request, tool, answer.cause) : answer;
      } catch (error) {
        return unlessMissing(request, tool, error instanceof Error ? error.message : String(error));
      }
    },
    receive: (line) => {
      const message = messageIn(line);
      if (message === null) {
        if (line.trim() !== "") onNoise(line);
        return;
      }
      const { id, method } = message;
      if (typeof method !== "string") settle(message);
      else if (typeof id === "string" || typeof id === "number") send({ id, ...replyTo(method) });
    },
    disconnect: () => {
      isClosed = true;
      for (const { reject } of pending.values()) reject(closed());
      pending.clear();
    },
  };
}

const closed = (): Error => new Error("Connection closed");

/** A request, a notification or a response; null if the line is none of them. */
function messageIn(line: string): UncheckedObject | null {
  try {
    const message = objectOr(JSON.parse(line));
    const { jsonrpc, method, id, result, error } = message;
    const isResponse = id !== undefined && (isObject(result) || isObject(error));
    return jsonrpc === "2.0" && (typeof method === "string" || isResponse) ? message : null;
  } catch {
    return null;
  }
}

/** Servers may ask whether the client still lives. It offers them nothing else. */
const replyTo = (method: string): Readonly<Record<string, JsonValue>> =>
  method === "ping" ? { result: {} } : { error: { code: -32601, message: `hookctl does not support ${method}` } };

/** The newest comes first and is offered; the server may choose another version. */
const VERSIONS: readonly string[] = "2025-11-25 2025-06-18 2025-03-26 2024-11-05 2024-10-07".split(" ");

async function initialize(request: Request): Promise<void> {
  const clientInfo = { name: "hookctl", version: ownVersion() };
  const params = { protocolVersion: VERSIONS[0] ?? "", capabilities: {}, clientInfo };
  const { protocolVersion } = await request("initialize", params);
  if (!VERSIONS.some((version) => version === protocolVersion))
    throw new Error(`Server's protocol version is not supported: ${protocolVersion}`);
}

function answerOf({ isError, structuredContent, content = [] }: UncheckedObject): ToolAnswer {
  const isStructured = structuredContent === undefined || isObject(structuredContent);
  if (!isStructured || !Array.isArray(content) || !content.every(isPart))
    return { kind: "failed", cause: "its response is not a tool result" };
  const text = content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  const structured = structuredContent === undefined ? "" : JSON.stringify(structuredContent);
  if (isError === true) return { kind: "failed", cause: text || structured };
  if (structured === "" || isWrapped(objectOr(structuredContent), text))
    return { kind: "answered", text, isValue: false };
  return { kind: "answered", text: structured, isValue: true };
}

const isPart = (part: unknown): part is { readonly type: string; readonly text?: string } =>
  isObject(part) && typeof part.type === "string" && (part.type !== "text" || typeof part.text === "string");

/** Some servers wrap a text into `{"result": text}`; then the text is the answer. */
const isWrapped = (structured: UncheckedObject, text: string): boolean =>
  text !== "" && Object.keys(structured).join() === "result" && structured.result === text;

/** Servers report a missing tool in many ways, so their list of tools decides. */
async function unlessMissing(request: Request, tool: string, cause: string): Promise<ToolAnswer> {
  const tools = await toolNames(request);
  return tools === null || tools.includes(tool) ? { kind: "failed", cause } : { kind: "no-such-tool", tools };
}

/** Null if the server does not list its tools. */
async function toolNames(request: Request): Promise<readonly string[] | null> {
  const names: string[] = [];
  try {
    let cursor: string | null = null;
    do {
      const page: UncheckedObject = await request("tools/list", cursor === null ? {} : { cursor });
      if (!Array.isArray(page.tools)) return null;
      names.push(...page.tools.map((tool) => String(objectOr(tool).name)));
      cursor = typeof page.nextCursor === "string" ? page.nextCursor : null;
    } while (cursor !== null);
    return names;
  } catch {
    return null;
  }
}

function ownVersion(): string {
  const text = readFileSync(new URL("package.json", PACKAGE_ROOT), "utf8");
  return String(objectOr(JSON.parse(text)).version);
}
