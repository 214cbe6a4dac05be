import type { Scopes } from "../discover/scopes.ts";
import type { Host } from "../engine/host.ts";
import type { CommonOptions } from "./command-table.ts";

/** Run after hooks were approved or created: registers their events with each agent in which hookctl is installed. */
export async function updateRegistrations(scopes: Scopes, options: CommonOptions, host: Host): Promise<void> {
  const { refreshRegistrations } = await import("../../packages/connect/install/refresh-registrations.ts");
  await refreshRegistrations(scopes, options, host);
}
