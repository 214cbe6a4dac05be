import type { CommonOptions } from "../../../src/cli/command-table.ts";
import type { Scopes } from "../../../src/discover/scopes.ts";
import type { Host } from "../../../src/engine/host.ts";
import { hooksAreOff } from "../../../src/engine/run-context.ts";
import { AGENT_NAMES, INSTALL_SCOPES } from "../../../src/protocol/agent-names.ts";
import { hasSettingsFile } from "./agent-files.ts";

/** Registrations of the administrator contain every event. */
const UPDATED_SCOPES = INSTALL_SCOPES.filter((scope) => scope !== "machine");

/**
 * Run after hooks were approved or created: registers their events with each agent that hookctl is installed in. The code
 * that edits settings is loaded only if an agent has some.
 */
export async function updateRegistrations(scopes: Scopes, options: CommonOptions, host: Host): Promise<void> {
  const all = AGENT_NAMES.flatMap((agent) => UPDATED_SCOPES.map((scope) => ({ agent, scope, options })));
  const present = all.filter((one) => hasSettingsFile(one, scopes, host.env));
  if (present.length === 0 || hooksAreOff(options, host)) return;
  const { refreshRegistrations } = await import("./refresh-registrations.ts");
  await refreshRegistrations(present, scopes, host);
}
