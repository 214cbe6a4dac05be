import { createRedactor, type Redact } from "../audit/redact.ts";
import { requestIdentity } from "../discover/identify.ts";
import { hookEnvironments } from "../engine/hook-environment.ts";
import type { HookSet } from "../engine/hooks/resolve-hooks.ts";
import { redactResult, redactTexts } from "../engine/run/redact-result.ts";
import type { RunContext } from "../engine/run-context.ts";
import { withMcpServers } from "../invoke/invoke-context.ts";
import type { InvokeContext } from "../invoke/invoke-executable.ts";
import { invokeHook } from "../invoke/invoke-hook.ts";
import type { Hook, Identity } from "../protocol/hook.ts";
import type { Payload } from "../protocol/payload.ts";
import type { HookProblem } from "../protocol/problem.ts";
import { fail, type Result } from "../protocol/result.ts";
import type { Invocation } from "./response-checks.ts";

/** How a hook is asked where nothing real can happen. What it says comes back redacted. */
export interface ScratchInvoker {
  readonly cwd: string;
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

/** `context` is already turned to the scratch folders; `cwd` is the one that the hook is told is its project. */
export function scratchInvoker(
  context: RunContext,
  cwd: string,
  recheckTrust: HookSet["recheckTrust"],
): ScratchInvoker {
  const { interrupt, env } = context;
  const redact = createRedactor(env);
  const environmentOf = hookEnvironments(context);
  // The hook is told that the scratch folder is its project: what it writes there goes with it.
  const toldPlaces = { HOOKCTL_PROJECT_DIR: cwd };
  const invokeContext: Omit<InvokeContext, "servers"> = {
    environmentOf: (hook, payload) => ({ ...environmentOf(hook, payload), ...toldPlaces }),
    cwd,
    isoTime: new Date(context.nowMs).toISOString(),
    remainingMs: () => Number.POSITIVE_INFINITY,
    interrupt,
    recheckTrust,
    invokeFunction: null,
  };
  return {
    cwd,
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
      const heard: Uint8Array[] = [];
      // Through the same door as a run, with all that is looked at there before a start.
      const onOutput = (bytes: Uint8Array): void => void heard.push(bytes);
      const asked = await withMcpServers((servers) =>
        invokeHook(hook, payload, { ...invokeContext, servers, onOutput }),
      );
      return { checkName: at, result: redactResult(asked, redact), stdout: shown(Buffer.concat(heard), redact) };
    },
  };
}

const shown = (bytes: Uint8Array, redact: Redact): string =>
  redact(Buffer.from(bytes.subarray(0, SHOWN_BYTES)).toString("utf8"));
