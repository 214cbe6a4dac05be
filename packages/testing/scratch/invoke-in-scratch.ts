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
import {
  envelopeExtras,
  type PrepareStart,
  preparedStart,
  withMcpServers,
} from "../../../src/invoke/invoke-executable.ts";
import { invokeHook, whyNotInvoked } from "../../../src/invoke/invoke-hook.ts";
import type { Hook, Identity } from "../../../src/protocol/hook.ts";
import type { HookResult } from "../../../src/protocol/hook-response.ts";
import type { Payload } from "../../../src/protocol/payload/payload.ts";
import type { HookProblem } from "../../../src/protocol/problem.ts";
import { fail, type Result } from "../../../src/protocol/result.ts";
import { movedGuardPlace } from "../../guard-hooks/guard-place.ts";
import { invokeGuard } from "../../guard-hooks/invoke-guard.ts";
import type { TestContext } from "./worker.ts";

/** Runs a hook in a scratch folder, where it cannot change real files. Its output is redacted. */
export interface ScratchInvoker {
  readonly context: TestContext;
  /** The project folder in payloads. */
  readonly cwd: string;
  /** The same invocation for one case, with another project, sessions, and variables in addition to those of the call. */
  readonly with: (over: ScratchCall) => ScratchInvoker;
  readonly environmentOf: HookEnvironment;
  readonly redact: Redact;
  /** The payload fields for a hook's `match`. */
  readonly membersFor: DialectMembers;
  readonly identify: (hook: Hook) => Promise<Identification>;
  readonly invoke: (hook: Hook, payload: Payload, checkName: string) => Promise<Invocation>;
}

interface ScratchCall {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Those of the variables that a project's hook gets, in addition to the variables of a run. */
  readonly envAllow: readonly string[];
  readonly sessionsDir: string;
}

export interface Identification {
  readonly identity: Result<Identity, HookProblem>;
  readonly durationMs: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The response of a hook to one payload. Redacted. */
export interface Invocation {
  /** The name of the check or case whose payload it was. */
  readonly checkName: string;
  readonly result: HookResult;
  readonly stdout: string;
}

const SHOWN_BYTES = 64 * 1024;

/** `context` already points to the scratch folders. Files that the hook writes in its project `cwd` are deleted with it. */
export function scratchInvoker(
  context: TestContext,
  cwd: string,
  recheckTrust: HookSet["recheckTrust"],
): ScratchInvoker {
  const { interrupt, env } = context;
  const { variables, program } = context.probed;
  const redact = createRedactor(env);
  const shown = (bytes: Uint8Array): string => redact(Buffer.from(bytes.subarray(0, SHOWN_BYTES)).toString("utf8"));
  const environmentOf = hookEnvironments(context, checks);
  const prepare = (hook: Hook, payload: Payload | undefined, folder: string): ReturnType<PrepareStart> =>
    preparedStart(
      recheckTrust(hook),
      // A path that the hook may write, relative to its project, is in the scratch folder, too.
      () => sandboxFor(hook, { cwd: folder, project: cwd }, context),
      () => ({ ...environmentOf(hook, payload), HOOKCTL_PROJECT_DIR: cwd, ...variables }),
    );
  const guardPlace = lazy(() => {
    const place = movedGuardPlace(context, { home: env.HOME ?? cwd, project: cwd });
    return { ...place, guards: allGuards(place.guards) };
  });
  const started = <H extends Pick<Hook, "path">>(hook: H): H =>
    program?.path === hook.path ? { ...hook, path: program.startedAs } : hook;
  const isoTime = new Date(context.nowMs).toISOString();
  return {
    cwd,
    context,
    environmentOf,
    redact,
    with: (over) => {
      // An environment is filtered once, and a copy would be filtered again.
      const extended = Object.keys(over.env).length === 0 ? env : { ...env, ...over.env };
      const settings = { ...context.settings, envAllow: [...context.settings.envAllow, ...over.envAllow] };
      const { sessionsDir } = over;
      return scratchInvoker({ ...context, env: extended, settings, sessionsDir }, over.cwd, recheckTrust);
    },
    membersFor: membersInDialect((current) => envelopeExtras(current, isoTime)),
    identify: async (hook) => {
      const prepared = await prepare(hook, undefined, cwd);
      if (!prepared.ok) return { identity: prepared, durationMs: 0, stdout: "", stderr: "" };
      const { identity, outcome } = await requestIdentity(started(hook), { cwd, interrupt, ...prepared.value });
      return {
        identity: identity.ok ? identity : fail(redactTexts(identity.error, redact)),
        durationMs: outcome.durationMs,
        stdout: shown(outcome.stdout),
        stderr: redact(outcome.stderr),
      };
    },
    invoke: async (hook, payload, checkName) => {
      const output: Uint8Array[] = [];
      const onOutput = (bytes: Uint8Array): void => void output.push(bytes);
      const session = sessionOfPayload(payload, context);
      const sent = await withSessionState(payload, session);
      const deadline = { atMs: Number.POSITIVE_INFINITY, elapsedMs: context.elapsedMs };
      const invoked = await withMcpServers(async (servers) => {
        // If another program is started in its place, the hook's own approval and environment still apply.
        const prepareOwn: PrepareStart = (_, current, folder) => prepare(hook, current, folder);
        const call = { cwd, isoTime, deadline, interrupt, servers, onOutput, prepare: prepareOwn };
        // The same function as in a run, with all its checks before a start.
        if (hook.kind !== "guard") return invokeHook(started(hook), sent.payload, call);
        return whyNotInvoked(hook, call) ?? invokeGuard(hook, sent.payload, guardPlace());
      });
      const result =
        context.sessionsDir === null ? invoked : await applyStatePatch(hook, invoked, { session, context });
      return { checkName, result: redactResult(result, redact), stdout: shown(Buffer.concat(output)) };
    },
  };
}
