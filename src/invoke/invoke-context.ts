import type { EnvelopeExtras } from "../dialects/dialect.ts";
import { type Checkout, readCheckout } from "../fs/git.ts";
import type { Payload } from "../protocol/payload/payload.ts";
import type { McpSession } from "./mcp-session.ts";

/** The MCP servers that a run has started, by scope and name. */
export type McpServers = Map<string, McpSession>;

/** Closes the MCP servers of a run when it ends, because nothing may outlive the response. */
export async function withMcpServers<T>(work: (servers: McpServers) => Promise<T>): Promise<T> {
  const servers: McpServers = new Map();
  try {
    return await work(servers);
  } finally {
    if (servers.size > 0) await Promise.all([...servers.values()].map((server) => server.close()));
  }
}

/** What a dialect may add to the payload. Git's files are read at most once, and only for a dialect that uses them. */
export function envelopeExtras(payload: Pick<Payload, "cwd">, isoTime: string): EnvelopeExtras {
  let checkout: Checkout | null = null;
  return {
    isoTime,
    checkout: () => {
      checkout ??= readCheckout(payload.cwd);
      return checkout;
    },
  };
}
