import { isSettled } from "../fs/disk.ts";
import { fileSha256 } from "../fs/hash.ts";
import { firstBytes } from "../fs/read-file.ts";
import { formatFault, outcomeProblem } from "../process/outcome-problem.ts";
import {
  type Deadline,
  type Interrupt,
  type ProcessOutcome,
  type ProcessSandbox,
  processRequest,
  remainingMs,
} from "../process/process-request.ts";
import { runProcess } from "../process/run-process.ts";
import type { Candidate, Identity, SkippedFile } from "../protocol/hook.ts";
import type { HookProblem } from "../protocol/problem.ts";
import { fail, type Result } from "../protocol/result.ts";
import type { IdentityCache } from "./identity-cache.ts";
import { readIdentity } from "./read-identity.ts";

const LONGEST_MS = 5000;
/**
 * A hook may call hookctl while it is identified, without the variable by which hookctl would know. That call waits for
 * the claim of the first call. The wait must end before the hook is killed.
 */
export const MAX_CLAIM_WAIT_MS = LONGEST_MS - 1000;
const AT_ONCE = 4;
const ANSWER_LIMIT_BYTES = 64 * 1024;

export interface IdentifyContext {
  readonly cache: IdentityCache;
  readonly nowMs: number;
  readonly environmentOf: (candidate: Candidate) => Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Called right before each start; a problem prevents the start. */
  readonly recheckTrust: (candidate: Candidate) => HookProblem | null;
  /** The sandbox for each start; null if there is none. A problem prevents the start. */
  readonly sandboxOf: (candidate: Candidate) => Promise<Result<ProcessSandbox | null, HookProblem>>;
  readonly interrupt: Interrupt;
  /** The deadline of a start, if there is one. */
  readonly deadlineFor?: (candidate: Candidate) => Deadline;
  /** How long to wait for another process that identifies hooks; null: this process does not wait. */
  readonly claimTimeoutMs?: number | null;
  /** Starts the task of a candidate when there is room for it; by default four run at once. */
  readonly inTurn?: InTurn | undefined;
  /** Called with each declaration as soon as it is there. */
  readonly onIdentified?: ((candidate: Candidate, identified: IdentifyResult) => void) | undefined;
}

export type InTurn = (candidate: Candidate, task: () => Promise<void>) => Promise<void>;

export interface IdentifyResult {
  readonly identity: Result<Identity, HookProblem>;
  /** SHA-256 of the file when it declared its events; null if it did not. */
  readonly hash: string | null;
  /** What it printed, trimmed; null if it failed or was not started. */
  readonly answer: string | null;
}

/**
 * Starts `<hook> hook` for each candidate that is not cached, reads its declaration and caches it. Of calls at the same
 * time one does so, and the others wait for it: otherwise many processes would start every hook as often as there are calls.
 */
export async function identify(
  candidates: readonly Candidate[],
  context: IdentifyContext,
): Promise<readonly IdentifyResult[]> {
  const { cache, nowMs, interrupt, claimTimeoutMs = null } = context;
  const lookUp = (): (IdentifyResult | null)[] => candidates.map((candidate) => cachedIdentity(candidate, cache));
  const known = lookUp();
  const willBeCached = (candidate: Candidate, index: number): boolean =>
    known[index] === null && isSettled(candidate.stamp, nowMs) && formatFault(candidate.path) === null;
  const isClaimed = claimTimeoutMs !== null && candidates.some(willBeCached);
  const release = isClaimed ? await cache.claim(claimTimeoutMs, () => interrupt.raised() !== null) : null;
  try {
    // Another process may have cached some of them since.
    return await identifyAll(candidates, isClaimed ? lookUp() : known, context);
  } finally {
    cache.save();
    release?.();
  }
}

/** Candidates with a known answer are not started. */
async function identifyAll(
  candidates: readonly Candidate[],
  known: readonly (IdentifyResult | null)[],
  context: IdentifyContext,
): Promise<readonly IdentifyResult[]> {
  const { inTurn } = context;
  const answers = [...known];
  const answer = async (candidate: Candidate, index: number): Promise<void> => {
    const identified = answers[index] ?? (await identifyOne(candidate, context));
    answers[index] = identified;
    context.onIdentified?.(candidate, identified);
  };
  if (inTurn !== undefined)
    await Promise.all(candidates.map((candidate, index) => inTurn(candidate, () => answer(candidate, index))));
  else if (answers.includes(null)) {
    const waiting = candidates.entries();
    const worker = async (): Promise<void> => {
      for (const [index, candidate] of waiting) await answer(candidate, index);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
  }
  return answers.filter((answer) => answer !== null);
}

/** The cached identity of a candidate whose file is unchanged; null if there is none. */
export function cachedIdentity(candidate: Candidate, cache: IdentityCache): IdentifyResult | null {
  const cached = cache.get(candidate);
  return cached === null ? null : { identity: readIdentity(candidate, cached.answer), ...cached };
}

async function identifyOne(candidate: Candidate, context: IdentifyContext): Promise<IdentifyResult> {
  const refused = (problem: HookProblem): IdentifyResult => ({ identity: fail(problem), hash: null, answer: null });
  const refusal = context.recheckTrust(candidate);
  if (refusal !== null) return refused(refusal);
  const { name, path } = candidate;
  const fault = formatFault(path);
  if (fault !== null) return refused({ code: "HOOK_BAD_FORMAT", hook: name, path, ...fault });
  const sandbox = await context.sandboxOf(candidate);
  if (!sandbox.ok) return refused(sandbox.error);
  const { cwd, interrupt, environmentOf, deadlineFor } = context;
  const request = { cwd, interrupt, env: environmentOf(candidate), sandbox: sandbox.value };
  const { identity, outcome } = await requestIdentity(candidate, { ...request, deadline: deadlineFor?.(candidate) });
  if (outcome.termination.kind !== "exited" || outcome.termination.exitCode !== 0)
    return { identity, hash: null, answer: null };
  const answer = answerOf(outcome);
  const hash = fileSha256(path);
  // A file that was just written may change again without a new timestamp, so it is not cached.
  if (isSettled(candidate.stamp, context.nowMs)) context.cache.set(candidate, { answer, hash });
  return { identity, hash, answer };
}

interface RequestContext extends Pick<IdentifyContext, "cwd" | "interrupt"> {
  readonly deadline?: Deadline | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly sandbox: ProcessSandbox | null;
}

/** Starts one file with `hook`, without the cache, and returns its identity and the outcome of the process. */
export async function requestIdentity(
  candidate: Pick<Candidate, "name" | "path">,
  context: RequestContext,
): Promise<{ readonly identity: IdentifyResult["identity"]; readonly outcome: ProcessOutcome }> {
  const { deadline, ...surroundings } = context;
  const leftMs = deadline === undefined ? LONGEST_MS : Math.max(1, remainingMs(deadline));
  const request = processRequest({
    file: candidate.path,
    args: ["hook"],
    ...surroundings,
    timeoutMs: Math.min(LONGEST_MS, leftMs),
    stdoutLimitBytes: ANSWER_LIMIT_BYTES,
  });
  const outcome = await runProcess(request);
  const at = { hook: candidate.name, path: candidate.path, asked: "hook" } as const;
  const problem = outcomeProblem(at, outcome, leftMs < LONGEST_MS);
  return { outcome, identity: problem === null ? readIdentity(candidate, answerOf(outcome)) : fail(problem) };
}

const answerOf = ({ stdout }: ProcessOutcome): string => Buffer.from(stdout).toString("utf8").trim();

/** True if only the execute bit is missing; notes and data beside the hooks are not programs. */
export const lacksExecuteBit = ({ reason, path }: SkippedFile): boolean =>
  reason === "not_executable" && firstBytes(path, 1) !== null && formatFault(path) === null;
