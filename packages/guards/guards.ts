import type { GuardName } from "../../src/protocol/guard-settings.ts";
import type { Guard } from "./guard.ts";
import { agentConfig } from "./rules/agent-config.ts";
import { cloud } from "./rules/cloud.ts";
import { egress } from "./rules/egress.ts";
import { filesystem } from "./rules/filesystem.ts";
import { git } from "./rules/git.ts";
import { protectedPaths } from "./rules/protected-paths.ts";
import { remoteCode } from "./rules/remote-code.ts";
import { rules } from "./rules/rules.ts";
import { secrets } from "./rules/secrets.ts";
import { selfProtection } from "./rules/self-protection.ts";
import { system } from "./rules/system.ts";

/** The rules of each built-in guard. */
export const GUARDS: Readonly<Record<GuardName, Guard>> = {
  filesystem,
  git,
  "remote-code": remoteCode,
  secrets,
  cloud,
  system,
  egress,
  "agent-config": agentConfig,
  "protected-paths": protectedPaths,
  "self-protection": selfProtection,
  rules,
};
