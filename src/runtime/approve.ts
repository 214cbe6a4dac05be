import { basename, dirname } from "node:path";
import { type Approval, EMPTY_LEDGER, type Evidence, type Ledger } from "../contract/approval.ts";
import type { PlacedEntry } from "../contract/entry.ts";
import type { Candidate } from "../contract/hook.ts";
import { type JsonRecord, writeJson } from "../contract/json-text.ts";
import type { HookProblem, HostProblem } from "../contract/problem.ts";
import { fail, ok, type Result } from "../contract/result.ts";
import { identify } from "../discover/identify.ts";
import { NO_MEMORY } from "../discover/memory.ts";
import { changeLedger } from "../trust/change-store.ts";
import { changed, decideTrust } from "../trust/decide.ts";
import { changesSince, evidenceOf } from "../trust/evidence.ts";
import { keepText } from "../trust/kept-texts.ts";
import { walker } from "../trust/walk.ts";
import { environments } from "./environment.ts";
import type { Ground } from "./ground.ts";
import { ledgerOf } from "./standing.ts";

/** One project hook as the user saw it, before the yes. */
export interface Reviewed {
  readonly candidate: Candidate;
  readonly evidence: Evidence;
}

const TOO_MANY = "too many files lie beside it";

/** Takes down what an approval of these hooks would be bound to. */
export function review(candidates: readonly Candidate[], ground: Ground): Result<readonly Reviewed[], HostProblem> {
  const unsafe = candidates.flatMap((candidate) => unsafePlace(candidate, ground))[0];
  if (unsafe !== undefined) return fail(unsafe);
  const reviewed: Reviewed[] = [];
  for (const candidate of candidates) {
    const evidence = evidenceNow(candidate, candidates, ground, []);
    if (evidence === null) return fail(unsafeBecause(candidate.path, TOO_MANY));
    reviewed.push({ candidate, evidence });
  }
  return ok(reviewed);
}

/** Approves project hooks exactly as they lie there now, and remembers what each says it is. */
export async function approve(
  candidates: readonly Candidate[],
  ground: Ground,
): Promise<Result<readonly Approval[], HostProblem>> {
  const reviewed = review(candidates, ground);
  return reviewed.ok ? approveReviewed(reviewed.value, ground) : reviewed;
}

/** Approves what was reviewed; a file that changed since the user saw it is not approved, and neither is any other. */
export async function approveReviewed(
  reviewed: readonly Reviewed[],
  ground: Ground,
): Promise<Result<readonly Approval[], HostProblem>> {
  const { trustFile, userId } = ground;
  if (trustFile === null) return fail({ code: "TRUST_STORE_MISSING", detail: whyNoStore(ground) });
  const candidates = reviewed.map(({ candidate }) => candidate);
  const moved = reviewed.find((one) => differs(one, candidates, ground));
  if (moved !== undefined) return fail(unsafeBecause(moved.candidate.path, "changed while it was being read"));
  const said = await wordsOf(reviewed, ground);
  const approvals = reviewed.map((one, index) => approvalOf(one, said[index] ?? null, candidates, ground));
  for (const approval of approvals) keepText(trustFile, approval);
  const kept = await changeLedger(trustFile, (ledger) => withApprovals(ledger, approvals), { userId, nowMs: Date.now });
  return kept.ok ? ok(approvals) : fail({ code: "TRUST_STORE_NOT_WRITTEN", path: trustFile, cause: kept.error });
}

export const whyNoStore = ({ scopes }: Ground): string =>
  scopes.homeDir === null ? "HOME is not an absolute folder that exists" : "the place for them lies inside the project";

function unsafePlace(candidate: Candidate, ground: Ground): readonly HostProblem[] {
  const standing = decideTrust(candidate, {
    ...ground.scopes,
    ledger: ok(EMPTY_LEDGER),
    trustFile: null,
    isTrustedForOneCall: true,
    walk: walker(ground.userId),
    mainDir: () => null,
  });
  return standing.problem === null ? [] : [asPlace(standing.problem)];
}

function asPlace(problem: HookProblem): HostProblem {
  if (problem.code === "HOOK_REFUSED_UNSAFE") return unsafeBecause(problem.place, problem.cause);
  return unsafeBecause(problem.path, "is a link that leaves the project");
}

const unsafeBecause = (place: string, cause: string): HostProblem => ({ code: "TRUST_UNSAFE_PLACE", place, cause });

/** What an approval of this hook, together with the others, would be bound to. Null: too many files lie beside it. */
export function evidenceNow(
  candidate: Candidate,
  together: readonly Candidate[],
  ground: Ground,
  files: readonly string[],
): Evidence | null {
  const ledger = ledgerOf(ground);
  const beside = { ledger: ledger.ok ? ledger.value : EMPTY_LEDGER, before: null, trustFile: null };
  return evidenceOf(
    candidate,
    ground.scopes.projectDir,
    { ...beside, siblings: namesBeside(candidate, together) },
    files,
  );
}

/** Those that are approved in the same breath: a hook is no helper of the hook beside it. */
const namesBeside = (candidate: Candidate, together: readonly Candidate[]): readonly string[] =>
  together
    .filter((other) => other !== candidate && dirname(other.path) === dirname(candidate.path))
    .map(({ path }) => basename(path));

function differs({ candidate, evidence }: Reviewed, together: readonly Candidate[], ground: Ground): boolean {
  const now = evidenceNow(candidate, together, ground, []);
  return now === null || changesSince(evidence, now).length > 0;
}

/** What each of them prints when asked `hook`; null for one whose answer is not understood. */
async function wordsOf(reviewed: readonly Reviewed[], ground: Ground): Promise<readonly Said[]> {
  const candidates = reviewed.map(({ candidate }) => candidate);
  const files = candidates.filter(({ entry }) => entry === null);
  const answers = await identify(files, {
    memory: NO_MEMORY,
    nowMs: ground.nowMs,
    cwd: ground.cwd,
    environmentOf: environments(ground),
    mayStillStart: (candidate) => {
      const one = reviewed.find((other) => other.candidate === candidate);
      return one === undefined || differs(one, candidates, ground) ? changed(candidate, ["its content"]) : null;
    },
    interrupt: ground.interrupt,
  });
  return candidates.map((candidate): Said => {
    if (candidate.entry !== null) return { answer: declaredAnswer(candidate.entry), files: candidate.entry.files };
    const asked = answers[files.indexOf(candidate)];
    return asked?.identity.ok && asked.answer !== null
      ? { answer: asked.answer, files: asked.identity.value.files }
      : null;
  });
}

/** What an executable would say that does the same: the guard is missed when its entry is gone. */
function declaredAnswer({ on, fail_open, observe, match, priority }: PlacedEntry): string {
  const said = Object.entries({ fail_open, observe, match, priority }).filter(([, value]) => value !== undefined);
  return writeJson({ event: on, ...(Object.fromEntries(said) as JsonRecord) });
}

type Said = { readonly answer: string; readonly files: readonly string[] } | null;

function approvalOf(one: Reviewed, said: Said, together: readonly Candidate[], ground: Ground): Approval {
  const { candidate, evidence } = one;
  const files = said === null ? {} : (evidenceNow(candidate, together, ground, said.files)?.files ?? {});
  return {
    ...evidence,
    files,
    name: candidate.name,
    path: candidate.path,
    source: candidate.source,
    project: ground.scopes.projectDir,
    siblings: namesBeside(candidate, together),
    said: said?.answer ?? null,
    approvedAt: new Date(ground.nowMs).toISOString(),
  };
}

/** A new hook is from now on no helper of those that were approved before it. */
function withApprovals(ledger: Ledger, fresh: readonly Approval[]): Ledger {
  const approvals = { ...ledger.approvals, ...Object.fromEntries(fresh.map((one) => [one.realPath, one])) };
  const grown = Object.entries(approvals).map(([path, one]): [string, Approval] => {
    const beside = fresh.filter((other) => other !== one && dirname(other.path) === dirname(one.path));
    const siblings = [...new Set([...one.siblings, ...beside.map((other) => basename(other.path))])];
    return [path, { ...one, siblings }];
  });
  return { ...ledger, approvals: Object.fromEntries(grown) };
}
