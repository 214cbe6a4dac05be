import { createRedactor, type Redact } from "../../audit/redact.ts";
import { entryServer } from "../../protocol/entry.ts";
import type { Hook } from "../../protocol/hook.ts";
import type { CallContext } from "../run-context.ts";

/** Redacts the secrets of the environment, and those that the hooks' MCP servers get. */
export function redactorOf(hooks: readonly Hook[], env: CallContext["env"]): Redact {
  const servers = serverSecrets(hooks);
  return createRedactor(servers.length === 0 ? env : { ...env, ...Object.fromEntries(servers) });
}

/** The variables of MCP servers under names that cannot clash with the caller's. */
function serverSecrets(hooks: readonly Hook[]): readonly (readonly [string, string])[] {
  return hooks.flatMap(({ name, entry }) =>
    Object.entries(entryServer(entry)?.env ?? {}).map(([variable, value]) => [`${name} ${variable}`, value] as const),
  );
}
