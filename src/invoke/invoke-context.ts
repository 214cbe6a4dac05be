import type { EnvelopeExtras } from "../dialects/dialect.ts";
import { type Checkout, readCheckout } from "../fs/git.ts";
import type { Payload } from "../protocol/payload.ts";
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

/** What a dialect may tell beside the payload. Git's files are looked at only when it does, and once. */
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
