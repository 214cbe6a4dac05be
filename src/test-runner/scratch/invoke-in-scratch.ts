import { createRedactor, type Redact, redactResult, redactTexts } from "../../audit/redact.ts";
import type { DialectMembers } from "../../chain/skip-reason.ts";
import { membersInDialect } from "../../dialects/dialects.ts";
import { requestIdentity } from "../../discover/identify.ts";
import { hookEnvironments } from "../../engine/hook-environment.ts";
import type { HookSet } from "../../engine/hooks/resolve-hooks.ts";
import type { RunContext } from "../../engine/run-context.ts";
import { envelopeExtras, withMcpServers } from "../../invoke/invoke-context.ts";
import type { InvokeContext } from "../../invoke/invoke-executable.ts";
import { invokeHook } from "../../invoke/invoke-hook.ts";
import type { Hook, Identity } from "../../protocol/hook.ts";
import type { Payload } from "../../protocol/payload/payload.ts";
import type { HookProblem } from "../../protocol/problem.ts";
import { fail, type Result } from "../../protocol/result.ts";
import type { Invocation } from "../checks/response-checks.ts";

/** Runs a hook in a scratch folder, where it cannot change real files. Its output is redacted. */
export interface ScratchInvoker {
  readonly cwd: string;
  /** What a hook's `match` sees. */
  readonly membersFor: DialectMembers;
  readonly identify: (hook: Hook) => Promise<Identification>;
  readonly invoke: (hook: Hook, payload: Payload, at: string) => Promise<Invocation>;
}

export interface Identification {
  readonly identity: Result<Identity, HookProblem>;
  readonly durationMs: number;
  readonly stdout: string;
  readonly stderr: string;
}

const SHOWN_BYTES = 64 * 1024;

/** `context` already points to the scratch folders; `cwd` is the project folder in the payload. */
export function scratchInvoker(
  context: RunContext,
  cwd: string,
  recheckTrust: HookSet["recheckTrust"],
): ScratchInvoker {
  const { interrupt, env } = context;
  const redact = createRedactor(env);
  const environmentOf = hookEnvironments(context);
  // The payload names the scratch folder as the project; files that the hook writes there are deleted with it.
  const toldPlaces = { HOOKCTL_PROJECT_DIR: cwd };
  const invokeContext: Omit<InvokeContext, "servers"> = {
    environmentOf: (hook, payload) => ({ ...environmentOf(hook, payload), ...toldPlaces }),
    cwd,
    isoTime: new Date(context.nowMs).toISOString(),
    deadline: { atMs: Number.POSITIVE_INFINITY, elapsedMs: context.elapsedMs },
    interrupt,
    recheckTrust,
    guardPlace: null,
    invokeFunction: null,
  };
  return {
    cwd,
    membersFor: membersInDialect((current) => envelopeExtras(current, invokeContext.isoTime)),
    identify: async (hook) => {
      const refusal = recheckTrust(hook);
      if (refusal !== null) return { identity: fail(refusal), durationMs: 0, stdout: "", stderr: "" };
      const childEnv = { ...environmentOf(hook), ...toldPlaces };
      const { identity, outcome } = await requestIdentity(hook, { cwd, interrupt, env: childEnv });
      return {
        identity: identity.ok ? identity : fail(redactTexts(identity.error, redact)),
        durationMs: outcome.durationMs,
        stdout: shown(outcome.stdout, redact),
        stderr: redact(outcome.stderr),
      };
    },
    invoke: async (hook, payload, at) => {
      const output: Uint8Array[] = [];
      // The same function as in a run, with all its checks before a start.
      const onOutput = (bytes: Uint8Array): void => void output.push(bytes);
      const invoked = await withMcpServers((servers) =>
        invokeHook(hook, payload, { ...invokeContext, servers, onOutput }),
      );
      return { checkName: at, result: redactResult(invoked, redact), stdout: shown(Buffer.concat(output), redact) };
    },
  };
}

const shown = (bytes: Uint8Array, redact: Redact): string =>
  redact(Buffer.from(bytes.subarray(0, SHOWN_BYTES)).toString("utf8"));
