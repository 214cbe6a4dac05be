import { INSTALL_SCOPES } from "../agents/agent.ts";
import type { Host } from "../host.ts";
import { findRegistrations, parseSettingsText } from "./find-registrations.ts";
import { type InstallTarget, installTarget } from "./install-target.ts";

export const isRegistered = ({ agent, text, format }: InstallTarget): boolean =>
  findRegistrations(parseSettingsText(text ?? "", format), agent.name).length > 0;

/** The settings of the agent in other scopes that call hookctl as well: the agent reads all of them. */
export const otherRegistrations = (
  { agent, scope, file, options }: InstallTarget,
  host: Host,
): readonly InstallTarget[] =>
  INSTALL_SCOPES.filter((other) => other !== scope).flatMap((other) => {
    const found = installTarget({ agent: agent.name, scope: other, options }, host);
    return found.ok && found.value.file !== file && isRegistered(found.value) ? [found.value] : [];
  });
