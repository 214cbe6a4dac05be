import { createRedactor, type Redact, redactResult, redactTexts } from "../../../src/audit/redact.ts";
import type { DialectMembers } from "../../../src/chain/order.ts";
import { allGuards } from "../../../src/config/merge-settings.ts";
import { membersInDialect } from "../../../src/dialects/dialects.ts";
import { requestIdentity } from "../../../src/discover/identify.ts";
import * as checks from "../../../src/engine/approval-checks.ts";
import { type HookEnvironment, hookEnvironments } from "../../../src/engine/hook-environment.ts";
import type { HookSet } from "../../../src/engine/hooks/resolve-hooks.ts";
import { sandboxFor } from "../../../src/engine/hooks/sandboxes.ts";
import { lazy } from "../../../src/engine/memoize.ts";
import { applyStatePatch, sessionOfPayload, withSessionState } from "../../../src/engine/run/session-effects.ts";
import type { RunContext } from "../../../src/engine/run-context.ts";
import {
  envelopeExtras,
  type InvokeContext,
  type PrepareStart,
  withMcpServers,
} from "../../../src/invoke/invoke-executable.ts";
import { invokeHook, whyNotInvoked } from "../../../src/invoke/invoke-hook.ts";
import type { Hook, Identity } from "../../../src/protocol/hook.ts";
import type { Payload } from "../../../src/protocol/payload/payload.ts";
import type { HookProblem } from "../../../src/protocol/problem.ts";
import { fail, ok, type Result } from "../../../src/protocol/result.ts";
import { type GuardPlace, movedGuardPlace } from "../../guard-hooks/guard-place.ts";
import { invokeGuard } from "../../guard-hooks/invoke-guard.ts";
import type { PayloadPlace } from "../checks/payload-checks.ts";
import type { Invocation } from "../checks/response-checks.ts";
import type { TestContext } from "./worker.ts";

/** Runs a hook in a scratch folder, where it cannot change real files. Its output is redacted. */
export interface ScratchInvoker extends PayloadPlace {
  readonly context: TestContext;
  /** The same invocation with another project, variables and sessions. */
  readonly with: (over: ScratchCall) => ScratchInvoker;
  readonly environmentOf: HookEnvironment;
  readonly redact: Redact;
  /** The payload fields for a hook's `match`. */
  readonly membersFor: DialectMembers;
  readonly identify: (hook: Hook) => Promise<Identification>;
  readonly invoke: (hook: Hook, payload: Payload, at: string) => Promise<Invocation>;
}

/** The settings of one case. */
interface ScratchCall {
  readonly cwd: string;
  /** Variables in addition to those of the call. */
  readonly env: Readonly<Record<string, string>>;
  /** Those of them that a project's hook gets, in addition to the variables of a run. */
  readonly envAllow: readonly string[];
  readonly sessionsDir: string;
}

export interface Identification {
  readonly identity: Result<Identity, HookProblem>;
  readonly durationMs: number;
  readonly stdout: string;
  readonly stderr: string;
}

const SHOWN_BYTES = 64 * 1024;

type Shared = Pick<PayloadPlace, "payloads"> & { readonly environmentOf: HookEnvironment };

/** Values shared by all hooks that are tested by one worker. */
const shared = new WeakMap<TestContext, Shared>();

function sharedBy(context: TestContext): Shared {
  const known = shared.get(context) ?? { payloads: new Map(), environmentOf: hookEnvironments(context, checks) };
  shared.set(context, known);
  return known;
}

/** `context` already points to the scratch folders; `cwd` is the project folder in the payload. */
export function scratchInvoker(
  context: TestContext,
  cwd: string,
  recheckTrust: HookSet["recheckTrust"],
): ScratchInvoker {
  const { interrupt, env } = context;
  const redact = createRedactor(env);
  const { environmentOf, payloads } = sharedBy(context);
  // The payload names the scratch folder as the project; files that the hook writes there are deleted with it.
  const ofTest = { HOOKCTL_PROJECT_DIR: cwd, ...context.probed.variables };
  // A path that the hook may write, relative to its project, is in the scratch folder, too.
  const sandboxOf = (hook: Hook, folder: string) => sandboxFor(hook, { cwd: folder, project: cwd }, context);
  const prepare = async (hook: Hook, payload: Payload, folder: string): ReturnType<PrepareStart> => {
    const refusal = recheckTrust(hook);
    if (refusal !== null) return fail(refusal);
    const sandbox = await sandboxOf(hook, folder);
    return sandbox.ok ? ok({ env: { ...environmentOf(hook, payload), ...ofTest }, sandbox: sandbox.value }) : sandbox;
  };
  const invokeContext: Omit<InvokeContext, "servers" | "prepare"> = {
    cwd,
    isoTime: new Date(context.nowMs).toISOString(),
    deadline: { atMs: Number.POSITIVE_INFINITY, elapsedMs: context.elapsedMs },
    interrupt,
  };
  const guardPlace = lazy(() => scratchGuardPlace(context, cwd));
  const { program } = context.probed;
  const started = <H extends Pick<Hook, "path">>(hook: H): H =>
    program?.path === hook.path ? { ...hook, path: program.startedAs } : hook;
  return {
    cwd,
    payloads,
    context,
    environmentOf,
    redact,
    with: (over) => {
      // An environment is filtered once, and a copy would be filtered again.
      const env = Object.keys(over.env).length === 0 ? context.env : { ...context.env, ...over.env };
      const settings = { ...context.settings, envAllow: [...context.settings.envAllow, ...over.envAllow] };
      return scratchInvoker({ ...context, env, settings, sessionsDir: over.sessionsDir }, over.cwd, recheckTrust);
    },
    membersFor: membersInDialect((current) => envelopeExtras(current, invokeContext.isoTime)),
    identify: async (hook) => {
      const refusal = recheckTrust(hook);
      if (refusal !== null) return { identity: fail(refusal), durationMs: 0, stdout: "", stderr: "" };
      const childEnv = { ...environmentOf(hook), ...ofTest };
      const sandbox = await sandboxOf(hook, cwd);
      if (!sandbox.ok) return { identity: sandbox, durationMs: 0, stdout: "", stderr: "" };
      const request = { cwd, interrupt, env: childEnv, sandbox: sandbox.value };
      const { identity, outcome } = await requestIdentity(started(hook), request);
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
      const session = sessionOfPayload(payload, context);
      const sent = await withSessionState(payload, session);
      // If another program is started in its place, the hook's own approval and environment still apply.
      const prepareOriginal: PrepareStart = (_, current, folder) => prepare(hook, current, folder);
      const invoked = await withMcpServers(async (servers) => {
        const call = { ...invokeContext, servers, onOutput, prepare: prepareOriginal };
        if (hook.kind !== "guard") return invokeHook(started(hook), sent.payload, call);
        return whyNotInvoked(hook, call) ?? invokeGuard(hook, sent.payload, guardPlace());
      });
      const result =
        context.sessionsDir === null ? invoked : await applyStatePatch(hook, invoked, { session, context });
      return { checkName: at, result: redactResult(result, redact), stdout: shown(Buffer.concat(output), redact) };
    },
  };
}

const shown = (bytes: Uint8Array, redact: Redact): string =>
  redact(Buffer.from(bytes.subarray(0, SHOWN_BYTES)).toString("utf8"));

/** The machine facts of a built-in guard in a test: the scratch project and the scratch home. */
function scratchGuardPlace(context: RunContext, project: string): GuardPlace {
  const place = movedGuardPlace(context, { home: context.env.HOME ?? project, project });
  return { ...place, guards: allGuards(place.guards) };
}
