import { statSync } from "node:fs";
import { basename, resolve } from "node:path";
import { DIALECTS, envelopeReader } from "../../../src/dialects/dialects.ts";
import { dialectSample, sampleWith } from "../../../src/dialects/payload-paths.ts";
import { identify } from "../../../src/discover/identify.ts";
import { NO_IDENTITY_CACHE } from "../../../src/discover/identity-cache.ts";
import { createRunContext } from "../../../src/engine/create-run-context.ts";
import { approvalChecksFor, hookEnvironments } from "../../../src/engine/hook-environment.ts";
import { runEvent } from "../../../src/engine/run/run-event.ts";
import type { EngineOptions, RunContext } from "../../../src/engine/run-context.ts";
import { monotonicMs } from "../../../src/process/process-request.ts";
import type { DialectName, EventName } from "../../../src/protocol/event.ts";
import { type Candidate, type Identity, RANK, UNKNOWN_STAMP } from "../../../src/protocol/hook.ts";
import { membersOf, spanOfRaw } from "../../../src/protocol/json/read.ts";
import { readPayload } from "../../../src/protocol/payload/payload.ts";
import { runJson } from "../../../src/report/run/run-json.ts";
import { approvedHook } from "./approved-hook.ts";
import { badOption, type Duration, parseEventName } from "./check-options.ts";
import { closeSignal } from "./close-signal.ts";
import { engineOptions, hostFrom } from "./engine-call.ts";
import type { AnyEventName, PayloadInput } from "./event-types.ts";
import { unwrapForCaller } from "./hookctl-error.ts";
import type { RunValue } from "./result-types.ts";

export interface TestHookOptions {
  /** The working directory, also for relative paths. Default: that of the process. */
  readonly cwd?: string;
  /** The environment of the hook. Default: that of the process. `HOOKCTL_DRY_RUN=1` is added. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The timeout; overrides the one that the hook declares. */
  readonly timeout?: Duration;
}

/** The declaration of a hook. Fields that it does not declare are null. */
export interface HookIdentity {
  readonly events: readonly EventName[];
  readonly dialect: DialectName;
  /** The dialect of each event; absent if all are the same. */
  readonly dialects?: Identity["dialects"];
  readonly priority: number | null;
  readonly fail_open: boolean | null;
  readonly observe: boolean | null;
  readonly timeout_ms: number | null;
  readonly match: Identity["match"];
}

/** One hook file under test. Passing its path approves it. */
export interface HookUnderTest {
  /** Starts `<path> hook`. Rejects with a HookctlError if its declaration is invalid. */
  readonly identity: () => Promise<HookIdentity>;
  /**
   * Starts `<path> run` with a valid sample payload that these values override. Resolves to what `run --json` would
   * print for this hook alone: `result` is the response, `hooks[0]` the outcome of the hook. Nothing is recorded.
   */
  readonly run: <N extends AnyEventName>(event: N, payload?: Partial<PayloadInput<N>>) => Promise<RunValue>;
}

/** For tests of hooks: runs a real file as hookctl would, with all limits, but without settings and other hooks. */
export function testHook(path: string, options: TestHookOptions = {}): HookUnderTest {
  const cwd = resolve(options.cwd ?? ".");
  const file = resolve(cwd, path);
  const requested = { ...engineOptions({}, options), useCache: false };
  const env = { ...(options.env ?? process.env), HOOKCTL_DRY_RUN: "1" };
  const prepare = async (): Promise<TestContext> => {
    const context = await runContextFor(cwd, env, requested);
    const candidate = candidateAt(file);
    return { context, candidate, identity: await identityOf(candidate, context) };
  };
  return {
    identity: async () => {
      const { events, dialect, dialects, priority, failOpen, observe, timeoutMs, match } = (await prepare()).identity;
      const declared = { events, dialect, ...(dialects && { dialects }), priority, observe, match };
      return { ...declared, fail_open: failOpen, timeout_ms: timeoutMs };
    },
    run: async (event, payload = {}) => runOne(await prepare(), event, payload),
  };
}

interface TestContext {
  readonly context: RunContext;
  readonly candidate: Candidate;
  readonly identity: Identity;
}

/** HOME is set as the hook sees it, but no settings and caches are used: the result depends only on the test. */
async function runContextFor(
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
  requested: EngineOptions,
): Promise<RunContext> {
  const host = { ...hostFrom({ cwd, env: {} }, closeSignal().interrupt), beganMs: monotonicMs() };
  const { context } = unwrapForCaller(await createRunContext(requested, host, true));
  return { ...context, env };
}

function candidateAt(path: string): Candidate {
  const stats = statSync(path, { throwIfNoEntry: false });
  const isProgram = stats?.isFile() === true && (stats.mode & 0o111) !== 0;
  if (!isProgram) throw badOption("path", `${path} is not an executable file`);
  const place = { path, realPath: path, projectDir: null, rank: RANK.folder, stamp: UNKNOWN_STAMP };
  return { name: basename(path), source: "user", entry: null, ...place };
}

async function identityOf(candidate: Candidate, context: RunContext): Promise<Identity> {
  const { nowMs, cwd, interrupt } = context;
  const [identified] = await identify([candidate], {
    cache: NO_IDENTITY_CACHE,
    environmentOf: hookEnvironments(context, await approvalChecksFor([candidate])),
    recheckTrust: () => null,
    // No settings are read, so no sandbox is requested.
    sandboxOf: async () => ({ ok: true, value: null }),
    nowMs,
    cwd,
    interrupt,
  });
  if (identified === undefined) throw badOption("path", `${candidate.path} was not identified`);
  return unwrapForCaller(identified.identity);
}

async function runOne({ context, candidate, identity }: TestContext, name: string, values: object): Promise<RunValue> {
  const named = parseEventName(name);
  const { event } = named;
  if (!identity.events.includes(event)) {
    throw badOption("event", `${candidate.name} handles ${identity.events.join(", ")}, not ${name}`);
  }
  const dialect = identity.dialects?.[event] ?? identity.dialect;
  const given = membersOf(spanOfRaw(JSON.stringify(values)));
  const text = sampleWith(dialectSample({ event, dialect }, context.cwd), given, named);
  const payload = unwrapForCaller(readPayload(event, text, context.cwd, envelopeReader(named.dialect)));
  const hook = approvedHook(candidate, identity, event, context.settings);
  const hookSet = { ...EMPTY_HOOK_SET, hooks: [hook], names: [hook.name], resolveMs: 0, recheckTrust: () => null };
  const record = await runEvent(payload, hookSet, context, []);
  return JSON.parse(runJson(record, DIALECTS.kodelet.formatVerdict(record.verdict))) as RunValue;
}

const EMPTY_HOOK_SET = { skipped: [], searched: [], warnings: [], notices: [], paused: [] };
