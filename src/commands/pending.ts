import { statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { PlacedEntry } from "../contract/entry.ts";
import { entryLines } from "../contract/entry-text.ts";
import type { Candidate } from "../contract/hook.ts";
import type { HookProblem, UsageProblem } from "../contract/problem.ts";
import { fail, ok, type Result } from "../contract/result.ts";
import { unknownHook } from "../contract/unknown-hook.ts";
import { claimsOf } from "../discover/claims.ts";
import { contentHash } from "../disk/content-hash.ts";
import { firstBytes } from "../disk/first-bytes.ts";
import { presentBytes } from "../disk/read-regular.ts";
import { lookOf } from "../report/look.ts";
import { counted } from "../report/style.ts";
import type { ReviewView } from "../report/trust-text.ts";
import { everythingFound } from "../runtime/everything-found.ts";
import type { Ground } from "../runtime/ground.ts";
import { evidenceNow } from "../runtime/review.ts";
import { projectCandidates, standings } from "../runtime/standing.ts";
import type { Standing } from "../trust/decide.ts";
import { approvedForm } from "../trust/entry-evidence.ts";
import { keptText } from "../trust/kept-texts.ts";

export interface Waiting {
  readonly candidate: Candidate;
  readonly standing: Standing;
}

/** The project's hooks as `trust` sees them: nothing counts but what was approved. */
export interface Pending {
  readonly ground: Ground;
  readonly all: readonly Candidate[];
  /** Those that a yes would approve. */
  readonly waiting: readonly Waiting[];
  /** Those that were named, whatever their standing. */
  readonly named: readonly Waiting[];
  /** Those that were named and that no yes can approve: denied. */
  readonly refused: readonly HookProblem[];
}

const READ_BYTES = 256 * 1024;

export function pendingHooks(asked: Ground, names: readonly string[]): Result<Pending, UsageProblem> {
  const settings = { ...asked.settings, projectHooks: "ask" } as const;
  const { HOOKCTL_TRUST: _, ...env } = asked.env;
  const ground = { ...asked, settings, env };
  const all = projectCandidates(everythingFound(ground).candidates);
  const known = all.map(({ name }) => name);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) return fail(unknownHook(unknown, known));
  const { of } = standings(all, ground);
  const judged = all.map((candidate) => ({ candidate, standing: of(candidate) }));
  const named = judged.filter(({ candidate }) => names.includes(candidate.name));
  return ok({
    ground,
    all,
    waiting: judged.filter(isWaiting),
    named: named.filter((one) => !isDenied(one)),
    refused: named.filter(isDenied).flatMap(({ standing }) => (standing.problem === null ? [] : [standing.problem])),
  });
}

const isDenied = ({ standing }: Waiting): boolean => standing.trust === "denied";

/** A link that leaves the project never runs, so it waits for nothing. */
const isWaiting = ({ standing }: Waiting): boolean =>
  standing.trust !== "trusted" && standing.trust !== "denied" && standing.problem?.code !== "HOOK_REFUSED_LINK";

export const candidatesOf = (hooks: readonly Waiting[]): readonly Candidate[] =>
  hooks.map(({ candidate }) => candidate);

/** What there is to see of one of those that a yes would approve together. The file is read, never run. */
export function viewOf(one: Waiting, together: readonly Candidate[], ground: Ground): ReviewView {
  const { candidate, standing } = one;
  const { approval, problem, trust } = standing;
  const seen = candidate.entry === null ? seenFile(candidate) : seenEntry(candidate.entry);
  return {
    name: candidate.name,
    path: candidate.path,
    trust,
    waits: isWaiting(one),
    ...seen,
    helpers: helpersOf(candidate, together, ground),
    changes: problem?.code === "HOOK_REFUSED_CHANGED" ? problem.changes : [],
    approvedText: approval === null ? null : textBefore(candidate, approval.sha256, ground),
  };
}

/** What was approved in its place; null when that is the same, or was not kept. */
function textBefore({ entry, path }: Candidate, sha256: string | null, { trustFile }: Ground): string | null {
  if (entry !== null) return sha256 === null || sha256 === approvedForm(entry) ? null : entryLines(sha256);
  return trustFile === null || sha256 === contentHash(path) ? null : keptText(trustFile, sha256);
}

type Seen = Pick<ReviewView, "look" | "claims" | "text">;

const seenFile = ({ path, stamp }: Candidate): Seen => ({
  look: `${lookOf(firstBytes(path, READ_BYTES))}, ${counted(stamp.size, "byte")}`,
  claims: claimsOf(path),
  text: textOf(path),
});

const seenEntry = (entry: PlacedEntry): Seen => ({
  look: "declared in the settings",
  claims: [entry.event],
  text: entryLines(approvedForm(entry)),
});

/** Where the approved state is known its helpers are in `changes`; these are the ones that a yes would cover now. */
function helpersOf(candidate: Candidate, together: readonly Candidate[], ground: Ground): ReviewView["helpers"] {
  const { helpers = {}, files = {} } = evidenceNow(candidate, together, ground) ?? {};
  const beside = Object.keys(helpers).map((name) => ({ name, path: join(dirname(candidate.path), name) }));
  const named = Object.keys(files).map((name) => ({ name, path: resolve(ground.scopes.projectDir, name) }));
  return [...beside, ...named].map(({ name, path }) => ({ name, bytes: sizeOf(path) }));
}

function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch {
    return 0;
  }
}

function textOf(path: string): string | null {
  const read = presentBytes(path);
  return !read.ok || read.value === null || read.value.includes(0) ? null : read.value.toString("utf8");
}
