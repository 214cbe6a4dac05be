import type { McpSession } from "./mcp-session.ts";

/** The MCP servers that one run has started, by their scope and name. */
export type McpServers = Map<string, McpSession>;

/** Gives a run a place for its servers and ends them with it, however it ends (SPEC 5: nothing outlives its answer). */
export async function withMcpServers<T>(work: (servers: McpServers) => Promise<T>): Promise<T> {
  const servers: McpServers = new Map();
  try {
    return await work(servers);
  } finally {
    if (servers.size > 0) await Promise.all([...servers.values()].map((server) => server.close()));
  }
}
