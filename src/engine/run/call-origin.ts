import { type CallOrigin, describeCall, readTraceParent } from "../../audit/log-lines.ts";
import type { Redact } from "../../audit/secret-values.ts";
import { entryServer } from "../../protocol/entry.ts";
import type { Candidate } from "../../protocol/hook.ts";
import { stringOf } from "../../protocol/json/read.ts";
import type { Payload } from "../../protocol/payload/payload.ts";
import { truncate } from "../../protocol/text/text.ts";
import type { CallContext, RunContext } from "../run-context.ts";

export type ConfiguredHook = Pick<Candidate, "name" | "entry">;

/** The variables whose secrets are redacted: those of the environment, and those that the hooks' MCP servers get. */
export function redactedEnv(hooks: readonly ConfiguredHook[], env: CallContext["env"]): CallContext["env"] {
  const servers = serverSecrets(hooks);
  return servers.length === 0 ? env : { ...env, ...Object.fromEntries(servers) };
}

/** The variables of MCP servers under names that cannot clash with the caller's. */
function serverSecrets(hooks: readonly ConfiguredHook[]): readonly (readonly [string, string])[] {
  return hooks.flatMap(({ name, entry }) =>
    Object.entries(entryServer(entry)?.env ?? {}).map(([variable, value]) => [`${name} ${variable}`, value] as const),
  );
}

const NAME_LENGTH = 100;

/** The tool's name, if the payload has one. */
export function toolOf({ members }: Pick<Payload, "members">, redact: Redact): string | null {
  const name = members.get("tool_name");
  return name?.kind === "string" ? truncate(redact(stringOf(name)), NAME_LENGTH) : null;
}

/** Where a payload came from. */
export function originOf(
  sent: Pick<Payload, "members">,
  { scopes, options, env, userId }: RunContext,
  redact: Redact,
): CallOrigin {
  const trace = readTraceParent(env.TRACEPARENT);
  return {
    project: scopes.hasProject ? redact(scopes.projectDir) : null,
    agent: options.agent,
    user: userName(userId),
    call: describeCall(sent.members, redact),
    // An id that is a secret of the environment would no longer be an id.
    trace: trace !== null && Object.values(trace).every((id) => redact(id) === id) ? trace : null,
  };
}

let knownName: string | null = null;

/** The name of the user who runs hookctl, by the user id and not by a variable, which any program can set. */
export function userName(userId: number): string {
  try {
    knownName ??= process.getBuiltinModule("node:os").userInfo().username;
    return knownName;
  } catch {
    return `uid ${userId}`;
  }
}
