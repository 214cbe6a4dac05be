import { basename } from "node:path";
import type { FoundCandidates } from "../../../src/discover/find-candidates.ts";
import type { HookSet } from "../../../src/engine/hooks/resolve-hooks.ts";
import { findEvent } from "../../../src/protocol/event.ts";
import { appliesTo, type Candidate, type Hook } from "../../../src/protocol/hook.ts";
import { listNames } from "../../../src/protocol/text/text.ts";
import type { Warning } from "../../../src/protocol/warning.ts";
import { mayStart } from "../cases/run-case.ts";
import type { TestCase } from "../cases/test-case.ts";

/** A hook that is in the chain of a run but is not started in this call, so that the tested chain differs. */
export interface ChainGap {
  readonly name: string;
  readonly path: string;
  readonly why: string;
  /** `null` for a hook that was not identified. */
  readonly hook: Hook | null;
  readonly candidate: Pick<Candidate, "source" | "entry">;
}

/** Hooks that cannot run or are paused. Hooks disabled by settings are in no chain, so they are no gap. */
export function gapsAmong({ hooks, paused }: Pick<HookSet, "hooks" | "paused">): readonly ChainGap[] {
  return hooks.flatMap((hook) => {
    const pause = paused.find((one) => one.hook.path === hook.path && one.hook.name === hook.name);
    const why = hook.disabledReason === null ? refusalOf(hook) : (pause?.reason.reason ?? null);
    return why === null ? [] : [gapOf(hook, why, hook)];
  });
}

function refusalOf({ refusal }: Hook): string | null {
  if (refusal === null) return null;
  return refusal.code === "HOOK_REFUSED_UNTRUSTED" ? "not approved" : "cannot run";
}

/** Candidates that arguments or `--skip` exclude. */
export const gapsOf = (candidates: FoundCandidates["candidates"], why: string): readonly ChainGap[] =>
  candidates.map((candidate) => gapOf(candidate, why, null));

/** Settings and folders whose hooks are unknown: not approved, or unreadable. */
export function gapsBehind(warnings: readonly Warning[]): readonly ChainGap[] {
  return warnings.flatMap((warning) => {
    const why = HIDES_HOOKS[warning.code];
    if (why === undefined || !("path" in warning)) return [];
    return [gapOf({ name: basename(warning.path), path: warning.path, source: "project", entry: null }, why, null)];
  });
}

const HIDES_HOOKS: Readonly<Partial<Record<Warning["code"], string>>> = {
  SETTINGS_NOT_APPROVED: "not approved",
  SETTINGS_CHANGED: "changed since its approval",
  SETTINGS_NOT_READ: "cannot be read",
  FOLDER_UNREADABLE: "cannot be read",
  TOO_MANY_FILES: "has too many files",
};

function gapOf(
  candidate: Pick<Candidate, "name" | "path" | "source" | "entry">,
  why: string,
  hook: Hook | null,
): ChainGap {
  return { name: candidate.name, path: candidate.path, why, hook, candidate };
}

/**
 * The gaps that make the case test another chain than it says. The user's own hooks are in no chain of others' cases.
 */
export function gapsFor(one: TestCase, gaps: readonly ChainGap[]): readonly ChainGap[] {
  // The event of an agent's payload is known only after it was read.
  const event = one.agent === null ? (findEvent(one.event ?? "")?.event ?? null) : null;
  return gaps.filter(
    ({ hook, candidate }) => (event === null || hook === null || appliesTo(hook, event)) && mayStart(one, candidate),
  );
}

/** `not all of its hooks run: a, b (not approved); c (skipped by --skip)`. */
export function gapReason(gaps: readonly ChainGap[]): string {
  const reasons = [...new Set(gaps.map(({ why }) => why))];
  const texts = reasons.map((why) => `${listNames(namesOf(gaps.filter((gap) => gap.why === why)))} (${why})`);
  return `not all of its hooks run: ${texts.join("; ")}`;
}

const namesOf = (gaps: readonly ChainGap[]): readonly string[] => [...new Set(gaps.map(({ name }) => name))];
