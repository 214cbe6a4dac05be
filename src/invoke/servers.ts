import type { McpConversation } from "./mcp-conversation.ts";

/** The MCP servers that one run has started, by their scope and name. */
export type Servers = Map<string, McpConversation>;

/** Gives a run a place for its servers and ends them with it, however it ends (SPEC 5: nothing outlives its answer). */
export async function withServers<T>(work: (servers: Servers) => Promise<T>): Promise<T> {
  const servers: Servers = new Map();
  try {
    return await work(servers);
  } finally {
    if (servers.size > 0) await Promise.all([...servers.values()].map((server) => server.close()));
  }
}
