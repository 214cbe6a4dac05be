import { basename, dirname } from "node:path";
import { type Approval, EMPTY_LEDGER, type Evidence } from "../contract/approval.ts";
import type { Candidate } from "../contract/hook.ts";
import type { HostProblem } from "../contract/problem.ts";
import { fail, ok, type Result } from "../contract/result.ts";
import { contentHash } from "../disk/content-hash.ts";
import { decideTrust } from "../trust/decide.ts";
import { changesSince, evidenceOf } from "../trust/evidence.ts";
import { walker } from "../trust/walk.ts";
import type { Ground } from "./ground.ts";
import { cannotBeRead, liesUnsafe, notVouched } from "./no-approval.ts";
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
  const [unsafe] = candidates.flatMap((candidate) => unsafePlace(candidate, ground));
  if (unsafe !== undefined) return fail(unsafe);
  const reviewed: Reviewed[] = [];
  for (const candidate of candidates) {
    const evidence = evidenceNow(candidate, candidates, ground);
    if (evidence === null) return fail(notVouched(candidate));
    const unreadable = cannotBeRead({ ...evidence, path: candidate.path }, candidate.projectDir ?? "/");
    if (unreadable !== null) return fail(unreadable);
    reviewed.push({ candidate, evidence, siblings: siblingsOf(candidate, candidates, ground) });
  }
  return ok(reviewed);
}

function unsafePlace(candidate: Candidate, ground: Ground): readonly HostProblem[] {
  const standing = decideTrust(candidate, {
    homeDir: ground.scopes.homeDir,
    ledger: ok(EMPTY_LEDGER),
    trustFile: null,
    isTrustedForOneCall: true,
    walk: walker(ground.userId),
    mainDirOf: () => null,
  });
  return standing.problem === null ? [] : [liesUnsafe(standing.problem)];
}

/** What an approval of this hook, together with the others, would be bound to. Null: too many files lie beside it. */
export function evidenceNow(candidate: Candidate, together: readonly Candidate[], ground: Ground): Evidence | null {
  const beside = { siblings: siblingsOf(candidate, together, ground), before: null, trustFile: null };
  return evidenceOf(candidate, beside, []);
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
export function settle(one: Reviewed, together: readonly Candidate[], ground: Ground): Reviewed {
  const names = Object.keys(siblingsOf(one.candidate, together, ground));
  const isSibling = ([name]: readonly [string, string]): boolean => names.includes(name);
  const all = Object.entries(one.siblings);
  const helpers = Object.keys(evidenceNow(one.candidate, together, ground)?.helpers ?? {});
  const left = all.filter((entry) => !isSibling(entry) && helpers.includes(entry[0]));
  return {
    ...one,
    siblings: Object.fromEntries(all.filter(isSibling)),
    evidence: { ...one.evidence, helpers: { ...one.evidence.helpers, ...Object.fromEntries(left) } },
  };
}

/** Is it another one now than it was when it was shown? */
export function differs({ candidate, evidence }: Reviewed, together: readonly Candidate[], ground: Ground): boolean {
  const now = evidenceNow(candidate, together, ground);
  return now === null || changesSince(evidence, now).length > 0;
}
