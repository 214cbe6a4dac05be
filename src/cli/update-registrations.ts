import type { Scopes } from "../discover/scopes.ts";
import type { Host } from "../engine/host.ts";
import type { CommonOptions } from "./command-table.ts";

/** Run after hooks were approved or created: registers their events with each agent in which hookctl is installed. */
export async function updateRegistrations(scopes: Scopes, options: CommonOptions, host: Host): Promise<void> {
  const { hasAnySettingsFile } = await import("../../packages/connect/install/agent-files.ts");
  // The tables of all agents are not loaded where there is no agent.
  if (!hasAnySettingsFile(scopes, host.env)) return;
  const { refreshRegistrations } = await import("../../packages/connect/install/refresh-registrations.ts");
  await refreshRegistrations(scopes, options, host);
}
