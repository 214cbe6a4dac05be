import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import type { FoundCandidates } from "../../../src/discover/find-candidates.ts";
import type { InTurn } from "../../../src/discover/identify.ts";
import { type HookSet, type ResolvingInTurn, resolveInTurn } from "../../../src/engine/hooks/resolve-hooks.ts";
import { skippedEntryFault } from "../../../src/engine/not-ready.ts";
import type { RunContext } from "../../../src/engine/run-context.ts";
import { isExecutable } from "../../../src/process/outcome-problem.ts";
import type { Candidate, Hook } from "../../../src/protocol/hook.ts";
import { globMatches } from "../../../src/protocol/match.ts";
import type { Warning } from "../../../src/protocol/warning.ts";
import { unlessItThrows } from "../scratch/worker.ts";
import { failedCheck, problemCheck } from "../test-report.ts";
import type { Entry, Search, TestPlan } from "./plan-selection.ts";
import { type NotTestedHook, notTested, type TestSubject, testSkipReason } from "./test-subject.ts";

/** The hooks that are tested, and the others with the reason. */
export interface TestSelection {
  readonly subjects: readonly TestSubject[];
  readonly skipped: readonly NotTestedHook[];
  readonly warnings: readonly Warning[];
  /** Shown to people only: what `--trust` approved. */
  readonly notices: readonly Warning[];
  /** Every hook that the arguments select, including those that are not tested. */
  readonly found: Pick<HookSet, "hooks" | "skipped">;
  readonly gaps: readonly ChainGap[];
}

/** A hook that is in the chain of a run but is not started in this call, so that the tested chain differs. */
export interface ChainGap {
  readonly candidate: Pick<Candidate, "name" | "source" | "entry">;
  readonly why: string;
  /** `null` if it was not identified. */
  readonly hook: Hook | null;
}

/** Uses each hook as soon as it and all before it are known. */
interface SubjectsInTurn {
  readonly context: RunContext;
  readonly inTurn: InTurn;
  readonly onSubject: (subject: TestSubject) => void;
}

/** Identifies the hooks of the plan and decides which are tested. */
export async function selectTestHooks(
  { searches, all }: TestPlan,
  settingsWarnings: readonly Warning[],
  using: SubjectsInTurn,
): Promise<TestSelection> {
  const parts: TestSelection[] = [];
  for (const search of searches) parts.push(await selectFrom(search, all, using));
  const warnings = parts.flatMap((part) => part.warnings);
  const paths = new Set(searches.flatMap(({ found }) => found.candidates.map(({ path }) => path)));
  const notNamed = all.candidates.filter(({ path }) => !paths.has(path));
  return {
    subjects: parts.flatMap(({ subjects }) => subjects),
    skipped: parts.flatMap(({ skipped }) => skipped),
    warnings,
    notices: parts.flatMap(({ notices }) => notices),
    found: {
      hooks: parts.flatMap(({ found }) => found.hooks),
      skipped: parts.flatMap(({ found }) => found.skipped),
    },
    gaps: [
      ...parts.flatMap(({ gaps }) => gaps),
      ...notNamed.map((candidate) => ({ candidate, why: "not in the folder", hook: null })),
      ...[...settingsWarnings, ...warnings].flatMap(hiddenHooks),
    ],
  };
}

const filterFound = (found: FoundCandidates, isSelected: (entry: Entry) => boolean): FoundCandidates => ({
  ...found,
  candidates: found.candidates.filter(isSelected),
  skipped: found.skipped.filter(isSelected),
});

/** Unselected hooks are removed before resolving, because resolving starts hooks. */
async function selectFrom(
  { by, found, isSelected, again }: Search,
  all: FoundCandidates,
  { context, inTurn, onSubject }: SubjectsInTurn,
): Promise<TestSelection> {
  const { only, skip } = context.options;
  const isOnly = ({ name }: Entry): boolean => only === null || globMatches(only, name);
  const isTakenOut = ({ name }: Entry): boolean => skip.some((glob) => globMatches(glob, name));
  const matching = filterFound(found, (entry) => isSelected(entry) && isOnly(entry));
  const selected = filterFound(matching, (entry) => !isTakenOut(entry));
  // Missing required or approved hooks are reported only if every hook was selected.
  const isWhole = by === "nothing" && selected.candidates.length === found.candidates.length;
  const selectedPaths = new Set([...selected.candidates, ...selected.skipped].map(({ path }) => path));
  const isIncluded = (entry: Entry): boolean => (isWhole && isOnly(entry)) || selectedPaths.has(entry.path);

  const subjects = new Map<string, TestSubject>();
  const add: ResolvingInTurn["onHook"] = (hook, recheckTrust) => {
    const { name, path, kind, refusal } = hook;
    // A built-in guard is hookctl itself: it has no file, and its examples are tests of hookctl.
    if (subjects.has(path) || !isIncluded(hook) || kind === "guard" || testSkipReason(hook) !== null) return;
    const namesakes = all.candidates.filter((other) => other.name === name && other.path !== path);
    const named = { name, path, again: again(hook) };
    const subject: TestSubject =
      refusal?.code === "HOOK_MISSING"
        ? { ...named, kind: "faulty", hook: null, fault: problemCheck(refusal) }
        : { ...named, kind: "hook", hook, recheckTrust, namesakes: namesakes.map((other) => other.path) };
    subjects.set(path, subject);
    onSubject(subject);
  };
  const isPath = by === "folder path" || by === "file path";
  const options = {
    ...context.options,
    skip: skip.filter((glob) => !all.candidates.some(({ name }) => globMatches(glob, name))),
    isTrustedForOneCall: isPath || context.options.isTrustedForOneCall,
  };
  // An approval by digest covers all files together.
  const resolved = context.env.HOOKCTL_TRUST ? found : selected;
  const hookSet = await resolveInTurn(resolved, { ...context, options }, { inTurn, onHook: add });
  const hooks = hookSet.hooks.filter(isIncluded);
  const skipped = hookSet.skipped.filter(isIncluded);
  for (const hook of hooks) add(hook, hookSet.recheckTrust);
  const faulty = skipped.flatMap((entry): readonly TestSubject[] => {
    const { name, path } = entry;
    const fault = skippedEntryFault(entry);
    if (fault === null) return [];
    const finding = failedCheck(fault.message, fault.hint);
    return [{ kind: "faulty", name, path, again: again(entry), hook: null, fault: finding }];
  });
  for (const subject of faulty) onSubject(subject);

  const takenOut = matching.candidates.filter(isTakenOut);
  const shadowed = skipped.filter(({ reason }) => reason === "shadowed");
  // If an argument is the path of an entry that is no hook, the reason is reported.
  const named =
    by !== "file path" ? [] : found.skipped.filter((entry) => isSelected(entry) && skippedEntryFault(entry) === null);
  return {
    subjects: [...hooks.flatMap(({ path }) => subjects.get(path) ?? []), ...faulty],
    skipped: [
      ...hooks.flatMap((hook) => testSkipReason(hook) ?? []),
      ...shadowed.map((entry) => notTested(entry, entry.detail)),
      ...takenOut.map((entry) => notTested(entry, "skipped by --skip")),
      ...named.map((entry) => notTested(entry, entry.detail)),
    ],
    warnings: hookSet.warnings,
    // A path approves the hook itself, so the notice for `--trust` would be wrong.
    notices: !isPath ? hookSet.notices : by === "folder path" ? subFolderNotices(found) : [],
    found: { hooks, skipped },
    gaps: [
      ...hooks.flatMap((hook) => gapAt(hook, hookSet.paused)),
      ...takenOut.map((candidate) => ({ candidate, why: "skipped by --skip", hook: null })),
    ],
  };
}

/** A hook that cannot run or is paused. Hooks disabled by settings are in no chain, so they are no gap. */
function gapAt(hook: Hook, paused: HookSet["paused"]): readonly ChainGap[] {
  const { refusal } = hook;
  const pause = paused.find((one) => one.hook.path === hook.path && one.hook.name === hook.name);
  if (hook.disabledReason !== null)
    return pause === undefined ? [] : [{ candidate: hook, why: pause.reason.reason, hook }];
  if (refusal === null) return [];
  return [{ candidate: hook, why: refusal.code === "HOOK_REFUSED_UNTRUSTED" ? "not approved" : "cannot run", hook }];
}

/** Settings and folders whose hooks are unknown: not approved, or unreadable. */
function hiddenHooks(warning: Warning): readonly ChainGap[] {
  const why = HIDES_HOOKS[warning.code];
  if (why === undefined || !("path" in warning)) return [];
  return [{ candidate: { name: basename(warning.path), source: "project", entry: null }, why, hook: null }];
}

const HIDES_HOOKS: Readonly<Partial<Record<Warning["code"], string>>> = {
  SETTINGS_NOT_APPROVED: "not approved",
  SETTINGS_CHANGED: "changed since its approval",
  SETTINGS_NOT_READ: "cannot be read",
  FOLDER_UNREADABLE: "cannot be read",
  TOO_MANY_FILES: "has too many files",
};

const MOST_ENTRIES = 1000;

/** Hooks that are one folder too deep are reported, because they never run. */
function subFolderNotices({ skipped, searched }: FoundCandidates): readonly Warning[] {
  const folders = skipped.filter(({ reason, path }) => reason === "sub_folder" && hasExecutable(path));
  const [path] = searched;
  return path === undefined || folders.length === 0
    ? []
    : [{ code: "SUB_FOLDERS_NOT_SEARCHED", path, folders: folders.map((folder) => basename(folder.path)) }];
}

/** A folder that cannot be read is not known to hold a hook. */
function hasExecutable(folder: string): boolean {
  const entries = unlessItThrows(() => readdirSync(folder, { withFileTypes: true })) ?? [];
  return entries.slice(0, MOST_ENTRIES).some((entry) => entry.isFile() && isExecutable(join(folder, entry.name)));
}
