import type { ConfigRow } from "./config.ts";

/** An MCP server over stdio, as a settings file or an agent's `mcp.json` declares it (SPEC 9). */
export interface McpServer {
  readonly command: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

export const SERVER_ROWS = {
  command: { kind: "text", isUserOnly: false, about: "The program to start; never a shell line. It must be there." },
  args: { kind: "texts", isUserOnly: false, about: "Its arguments, as they are." },
  env: { kind: "variables", isUserOnly: false, about: "Variables that it gets beside those of a hook, as they are." },
  cwd: { kind: "text", isUserOnly: false, about: "Where it runs. Default: the folder of the file that declares it." },
} as const satisfies Readonly<Record<keyof McpServer, ConfigRow>>;

/** The server that a `tool` entry names. Its `cwd` is told from the folder of the entry's own settings file. */
export interface EntryServer extends Required<McpServer> {
  readonly name: string;
}

/** `memory.load_facts` is the tool `load_facts` of the server `memory`: a server's name has no dot. */
export const TOOL_PATTERN = /^[^.]+\../;

export function toolNamed(value: string): { readonly server: string; readonly tool: string } {
  const dot = value.indexOf(".");
  return { server: value.slice(0, dot), tool: value.slice(dot + 1) };
}
