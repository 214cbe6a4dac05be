import type { GuardName } from "../../src/protocol/guard-settings.ts";
import type { Guard } from "./guard.ts";
import { filesystem } from "./rules/filesystem.ts";
import { git } from "./rules/git.ts";
import { protectedPaths } from "./rules/protected-paths.ts";
import { selfProtection } from "./rules/self-protection.ts";

/** The guards. Those with many rules are loaded when they are on. */
const LOADERS: Readonly<Record<GuardName, () => Guard | Promise<Guard>>> = {
  filesystem: () => filesystem,
  git: () => git,
  "remote-code": async () => (await import("./rules/remote-code.ts")).remoteCode,
  secrets: async () => (await import("./rules/secrets.ts")).secrets,
  cloud: async () => (await import("./rules/cloud.ts")).cloud,
  system: async () => (await import("./rules/system.ts")).system,
  egress: async () => (await import("./rules/egress.ts")).egress,
  "agent-config": async () => (await import("./rules/agent-config.ts")).agentConfig,
  "protected-paths": () => protectedPaths,
  "self-protection": () => selfProtection,
  rules: async () => (await import("./rules/rules.ts")).rules,
};

const loaded = new Map<GuardName, Guard>();

/** The rules of a guard, loaded when the first call is judged by it. */
export async function loadGuard(name: GuardName): Promise<Guard> {
  const guard = loaded.get(name) ?? (await LOADERS[name]());
  loaded.set(name, guard);
  return guard;
}
