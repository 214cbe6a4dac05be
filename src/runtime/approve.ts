import { basename, dirname } from "node:path";
import { type Approval, EMPTY_LEDGER, type Evidence, type Ledger } from "../contract/approval.ts";
import type { PlacedEntry } from "../contract/entry.ts";
import type { Candidate } from "../contract/hook.ts";
import { type JsonRecord, writeJson } from "../contract/json-text.ts";
import type { HookProblem, HostProblem } from "../contract/problem.ts";
import { fail, ok, type Result } from "../contract/result.ts";
import { identify } from "../discover/identify.ts";
import { NO_MEMORY } from "../discover/memory.ts";
import { contentHash } from "../process/content-hash.ts";
import { changeLedger } from "../trust/change-store.ts";
import { changed, decideTrust } from "../trust/decide.ts";
import { changesSince, evidenceOf, NOT_VOUCHED } from "../trust/evidence.ts";
import { keepText } from "../trust/kept-texts.ts";
import { walker } from "../trust/walk.ts";
import { environments } from "./environment.ts";
import type { Ground } from "./ground.ts";
import { ledgerOf } from "./standing.ts";

/** One project hook as the user saw it, before the yes. */
export interface Reviewed {
  readonly candidate: Candidate;
  readonly evidence: Evidence;
  /** The hooks beside it, as they were then. */
  readonly siblings: Approval["siblings"];
}

/** Takes down what an approval of these hooks would be bound to. */
export function review(candidates: readonly Candidate[], ground: Ground): Result<readonly Reviewed[], HostProblem> {
  const unsafe = candidates.flatMap((candidate) => unsafePlace(candidate, ground))[0];
  if (unsafe !== undefined) return fail(unsafe);
  const reviewed: Reviewed[] = [];
  for (const candidate of candidates) {
    const evidence = evidenceNow(candidate, candidates, ground, []);
    if (evidence === null) return fail(unsafeBecause(candidate.path, `cannot be approved: ${NOT_VOUCHED}`));
    reviewed.push({ candidate, evidence, siblings: siblingsOf(candidate, candidates, ground) });
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
  const settled = reviewed.map((one) => settle(one, candidates, ground));
  const moved = settled.find((one) => differs(one, candidates, ground));
  if (moved !== undefined) return fail(changedMeanwhile(moved));
  const said = await wordsOf(settled, ground);
  const approvals = settled.map((one, index) => approvalOf(one, said[index] ?? null, ground));
  for (const approval of approvals) keepText(trustFile, approval);
  const kept = await changeLedger(trustFile, (ledger) => withApprovals(ledger, approvals), { userId, nowMs: Date.now });
  return kept.ok ? ok(approvals) : fail({ code: "TRUST_STORE_NOT_WRITTEN", path: trustFile, cause: kept.error });
}

/** A yes to this one hook that holds for one call: nothing is kept, and it is not asked what it is. */
export function approveOnce(reviewed: Reviewed, ground: Ground): Result<Approval, HostProblem> {
  const settled = settle(reviewed, [reviewed.candidate], ground);
  return differs(settled, [reviewed.candidate], ground)
    ? fail(changedMeanwhile(settled))
    : ok(approvalOf(settled, null, ground));
}

const changedMeanwhile = ({ candidate }: Reviewed): HostProblem =>
  unsafeBecause(candidate.path, "changed while it was being read");

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
  const beside = { siblings: siblingsOf(candidate, together, ground), before: null, trustFile: null };
  return evidenceOf(candidate, ground.scopes.projectDir, beside, files);
}

/** Hooks that are approved before or in the same breath: none is a helper of the hook beside it. */
function siblingsOf(candidate: Candidate, together: readonly Candidate[], ground: Ground): Approval["siblings"] {
  const ledger = ledgerOf(ground);
  const approved = ledger.ok ? Object.values(ledger.value.approvals) : [];
  const isBeside = ({ path }: { readonly path: string }): boolean =>
    path !== candidate.path && dirname(path) === dirname(candidate.path);
  return Object.fromEntries([
    ...approved.filter(isBeside).map(({ path, sha256 }) => [basename(path), sha256 ?? ""]),
    ...together.filter(isBeside).map(({ path }) => [basename(path), contentHash(path) ?? ""]),
  ]);
}

/** Not every hook that was shown got its yes: one without it is a helper of those beside it, as it was when it was shown. */
function settle(one: Reviewed, together: readonly Candidate[], ground: Ground): Reviewed {
  const names = Object.keys(siblingsOf(one.candidate, together, ground));
  const isSibling = ([name]: readonly [string, string]): boolean => names.includes(name);
  const all = Object.entries(one.siblings);
  const helpers = Object.keys(evidenceNow(one.candidate, together, ground, [])?.helpers ?? {});
  const left = all.filter((entry) => !isSibling(entry) && helpers.includes(entry[0]));
  return {
    ...one,
    siblings: Object.fromEntries(all.filter(isSibling)),
    evidence: { ...one.evidence, helpers: { ...one.evidence.helpers, ...Object.fromEntries(left) } },
  };
}

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

function approvalOf({ candidate, evidence, siblings }: Reviewed, said: Said, ground: Ground): Approval {
  const files = said === null ? {} : (evidenceNow(candidate, [], ground, said.files)?.files ?? {});
  return {
    ...evidence,
    files,
    name: candidate.name,
    path: candidate.path,
    source: candidate.source,
    project: ground.scopes.projectDir,
    siblings,
    said: said?.answer ?? null,
    approvedAt: new Date(ground.nowMs).toISOString(),
  };
}

/** A new hook is from now on no helper of those that were approved before it. */
function withApprovals(ledger: Ledger, fresh: readonly Approval[]): Ledger {
  const approvals = { ...ledger.approvals, ...Object.fromEntries(fresh.map((one) => [one.realPath, one])) };
  const grown = Object.entries(approvals).map(([path, one]): [string, Approval] => {
    const beside = fresh.filter((other) => other.path !== one.path && dirname(other.path) === dirname(one.path));
    const siblings = Object.fromEntries(beside.map((other) => [basename(other.path), other.sha256 ?? ""]));
    const helpers = Object.entries(one.helpers).filter(([name]) => !Object.hasOwn(siblings, name));
    return [path, { ...one, siblings: { ...one.siblings, ...siblings }, helpers: Object.fromEntries(helpers) }];
  });
  return { ...ledger, approvals: Object.fromEntries(grown) };
}
