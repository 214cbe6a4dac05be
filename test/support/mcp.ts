import { runInProcess } from "./in-process.ts";
import { type HookJson, parseRunJson, type RunJson } from "./json-output.ts";
import { MCP_SERVER } from "./mcp-server-path.ts";
import { toolCall } from "./payloads.ts";
import { shellQuote } from "./shell.ts";
import type { Workspace } from "./workspace.ts";

/** A real MCP server, on the SDK's own server side. */
export const SERVER = { command: process.execPath, args: [MCP_SERVER] };

/** The same as the end of a line of sh. */
export const SERVER_LINE = [process.execPath, MCP_SERVER].map(shellQuote).join(" ");

export const shellServer = (line: string) => ({ command: "/bin/sh", args: ["-c", line] });

export const USER_FILE = "home/.kodelet/hooks.json";
export const PROJECT_FILE = "project/.kodelet/hooks.json";

/** Declares tools of a server called `fixture` for `before_tool_call`; an entry may be just the tool's name. */
export function declareTools(
  place: Workspace,
  tools: readonly (string | object)[],
  { file = USER_FILE, server = SERVER }: { readonly file?: string; readonly server?: object } = {},
): Promise<string> {
  const entries = tools.map((tool) => (typeof tool === "string" ? { name: tool, tool: `fixture.${tool}` } : tool));
  return place.write(file, JSON.stringify({ hooks: { before_tool_call: entries }, mcp_servers: { fixture: server } }));
}

/** One tool call in this process, told whole. */
export async function runTools(place: Workspace, args = ""): Promise<RunJson & { readonly first: HookJson }> {
  const run = parseRunJson(
    await runInProcess(place, `run before_tool_call --json -q ${args}`, { stdin: toolCall("ls") }),
  );
  const [first] = run.hooks;
  if (first === undefined) throw new Error("no hook was asked");
  return { ...run, first };
}
