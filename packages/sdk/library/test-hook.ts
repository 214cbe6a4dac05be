import { statSync } from "node:fs";
import { basename, resolve } from "node:path";
import { DIALECTS, envelopeReader } from "../../../src/dialects/dialects.ts";
import { dialectSample, sampleWith } from "../../../src/dialects/payload-paths.ts";
import { identify } from "../../../src/discover/identify.ts";
import { NO_IDENTITY_CACHE } from "../../../src/discover/identity-cache.ts";
import { createRunContext } from "../../../src/engine/create-run-context.ts";
import { approvalChecksFor, hookEnvironments } from "../../../src/engine/hook-environment.ts";
import { applySettings } from "../../../src/engine/hooks/apply-settings.ts";
import { runEvent } from "../../../src/engine/run/run-event.ts";
import type { RunContext } from "../../../src/engine/run-context.ts";
import { monotonicMs } from "../../../src/process/process-request.ts";
import type { DialectName, EventName } from "../../../src/protocol/event.ts";
import { type Candidate, type Hook, type Identity, RANK, UNKNOWN_STAMP } from "../../../src/protocol/hook.ts";
import { membersOf, spanOfRaw } from "../../../src/protocol/json/read.ts";
import { readPayload } from "../../../src/protocol/payload/payload.ts";
import { runJson } from "../../../src/report/run/run-json.ts";
import { loadGuards } from "../../guard-hooks/load-guards.ts";
import { badOption, type Duration, parseEventName, parseTimeout } from "./check-options.ts";
import { closeSignal } from "./close-signal.ts";
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
  const timeoutMs = parseTimeout("timeout", options.timeout);
  const ask = async (): Promise<TestContext> => {
    const context = await runContextFor({
      cwd,
      env: { ...(options.env ?? process.env), HOOKCTL_DRY_RUN: "1" },
      timeoutMs,
    });
    return { context, candidate: candidateAt(file), identity: await identityOf(candidateAt(file), context) };
  };
  return {
    identity: async () => {
      const {
        failOpen,
        timeoutMs: own,
        outputLimit,
        background,
        readsEnv,
        files,
        ...declared
      } = (await ask()).identity;
      return { ...declared, fail_open: failOpen, timeout_ms: own };
    },
    run: async (event, payload = {}) => runOne(await ask(), event, payload),
  };
}

interface TestContext {
  readonly context: RunContext;
  readonly candidate: Candidate;
  readonly identity: Identity;
}

async function runOne({ context, candidate, identity }: TestContext, name: string, values: object): Promise<RunValue> {
  const named = parseEventName(name);
  const { event } = named;
  if (!identity.events.includes(event)) {
    throw badOption("event", `${candidate.name} handles ${identity.events.join(", ")}, not ${name}`);
  }
  const own = membersOf(spanOfRaw(JSON.stringify(values)));
  const text = sampleWith(
    dialectSample({ event, dialect: identity.dialects?.[event] ?? identity.dialect }, context.cwd),
    own,
    named,
  );
  const payload = unwrapForCaller(readPayload(event, text, context.cwd, envelopeReader(named.dialect)));
  const hook = hookUnderTest({ context, candidate, identity }, event);
  const hookSet = { ...EMPTY_HOOK_SET, hooks: [hook], names: [hook.name], resolveMs: 0, recheckTrust: () => null };
  const record = await runEvent(payload, hookSet, context, []);
  return JSON.parse(runJson(record, DIALECTS.kodelet.formatVerdict(record.verdict))) as RunValue;
}

const EMPTY_HOOK_SET = { skipped: [], searched: [], warnings: [], notices: [], paused: [] };

function hookUnderTest({ context, candidate, identity }: TestContext, event: EventName): Hook {
  const status = { trust: "trusted", problem: null, approval: null } as const;
  const { settings } = context;
  return applySettings({
    candidate,
    status,
    identity: { ok: true, value: identity },
    hash: null,
    mentionedEvents: [],
    isUnidentifiedGuard: false,
    event,
    settings,
  });
}

async function identityOf(candidate: Candidate, context: RunContext): Promise<Identity> {
  const [identified] = await identify([candidate], {
    cache: NO_IDENTITY_CACHE,
    nowMs: context.nowMs,
    cwd: context.cwd,
    environmentOf: hookEnvironments(context, await approvalChecksFor([candidate])),
    recheckTrust: () => null,
    // No settings are read, so no sandbox is requested.
    sandboxOf: async () => ({ ok: true, value: null }),
    interrupt: context.interrupt,
  });
  if (identified === undefined) throw badOption("path", `${candidate.path} was not identified`);
  return unwrapForCaller(identified.identity);
}

interface TestEnvironment {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number | null;
}

/** HOME is set as the hook sees it, but no settings and caches are used: the result depends only on the test. */
async function runContextFor({ cwd, env, timeoutMs }: TestEnvironment): Promise<RunContext> {
  const requested = {
    directory: null,
    hooksDirs: [],
    config: null,
    only: null,
    skip: [],
    timeoutMs,
    deadlineMs: null,
    trust: false,
    useCache: false,
  };
  const host = {
    env: {},
    cwd,
    userId: process.getuid?.() ?? -1,
    nowMs: Date.now,
    elapsedMs: monotonicMs,
    beganMs: monotonicMs(),
    random: Math.random,
    interrupt: closeSignal().interrupt,
    loadGuards,
  };
  const { context } = unwrapForCaller(await createRunContext(requested, host, true));
  return { ...context, env };
}

function candidateAt(file: string): Candidate {
  let isFile = false;
  try {
    const stats = statSync(file);
    isFile = stats.isFile() && (stats.mode & 0o111) !== 0;
  } catch {
    // Reported below: the file does not exist or cannot be started.
  }
  if (!isFile) throw badOption("path", `${file} is not an executable file`);
  const stamp = UNKNOWN_STAMP;
  return {
    name: basename(file),
    path: file,
    realPath: file,
    source: "user",
    projectDir: null,
    rank: RANK.folder,
    stamp,
    entry: null,
  };
}
