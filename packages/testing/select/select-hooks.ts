import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import type { FoundCandidates } from "../../../src/discover/find-candidates.ts";
import type { InTurn } from "../../../src/discover/identify.ts";
import { type HookSet, type ResolvingInTurn, resolveInTurn } from "../../../src/engine/hooks/resolve-hooks.ts";
import { skippedEntryFault } from "../../../src/engine/not-ready.ts";
import { isExecutable } from "../../../src/process/outcome-problem.ts";
import type { Hook, SkippedFile } from "../../../src/protocol/hook.ts";
import { globMatches } from "../../../src/protocol/match.ts";
import type { Warning } from "../../../src/protocol/warning.ts";
import { failedCheck, type NotTestedHook } from "../test-report.ts";
import { type ChainGap, gapsAmong, gapsBehind, gapsOf } from "./chain-gaps.ts";
import type { Entry, Search, TestPlan } from "./plan-selection.ts";
import { checkMissingHook, notTested, type TestSubject, testSkipReason } from "./test-subject.ts";

/** The hooks that are tested, and the others with the reason. */
export interface TestSelection {
  readonly subjects: readonly TestSubject[];
  readonly skipped: readonly NotTestedHook[];
  readonly warnings: readonly Warning[];
  /** Shown to people only: what `--trust` approved. */
  readonly notices: readonly Warning[];
  /** Every hook that the arguments select, including those that are not tested. */
  readonly found: Pick<HookSet, "hooks" | "skipped">;
  /** Hooks of the chain that are not started; null if single hooks are named, so the chain is not tested. */
  readonly chainGaps: readonly ChainGap[] | null;
}

/** Uses each hook as soon as it and all before it are known. */
export interface SubjectsInTurn {
  readonly inTurn: InTurn;
  readonly onSubject: (subject: TestSubject) => void;
}

/** Identifies the hooks of the plan and decides which are tested. Hooks passed in come first. */
export async function selectTestHooks(
  { searches, allFound, isOfChain }: TestPlan,
  settingsWarnings: readonly Warning[],
  using: SubjectsInTurn,
): Promise<TestSelection> {
  const parts: SelectionPart[] = [];
  for (const search of searches) parts.push(await selectFrom(search, using));
  const warnings = parts.flatMap((part) => part.warnings);
  const paths = new Set(searches.flatMap(({ found }) => found.candidates.map(({ path }) => path)));
  const notNamed = allFound.candidates.filter(({ path }) => !paths.has(path));
  const chainGaps = [
    ...parts.flatMap(({ gaps }) => gaps),
    ...gapsOf(notNamed, "not in the folder"),
    ...gapsBehind([...settingsWarnings, ...warnings]),
  ];
  return {
    subjects: parts.flatMap(({ subjects }) => subjects),
    skipped: parts.flatMap(({ skipped }) => skipped),
    warnings,
    notices: parts.flatMap(({ notices }) => notices),
    found: {
      hooks: parts.flatMap(({ found }) => found.hooks),
      skipped: parts.flatMap(({ found }) => found.skipped),
    },
    chainGaps: isOfChain ? chainGaps : null,
  };
}

interface SelectionPart extends Omit<TestSelection, "chainGaps"> {
  readonly gaps: readonly ChainGap[];
}

const filterFound = (found: FoundCandidates, isSelected: (entry: Entry) => boolean): FoundCandidates => ({
  ...found,
  candidates: found.candidates.filter(isSelected),
  skipped: found.skipped.filter(isSelected),
});

/** Unselected hooks are removed before resolving, because resolving starts hooks. */
async function selectFrom(search: Search, { inTurn, onSubject }: SubjectsInTurn): Promise<SelectionPart> {
  const { found, isSelected, all, context, again, file } = search;
  const { only, skip } = context.options;
  const isTakenOut = ({ name }: Entry): boolean => skip.some((glob) => globMatches(glob, name));
  const matching = filterFound(found, (entry) => isSelected(entry) && (only === null || globMatches(only, entry.name)));
  const selected = filterFound(matching, (entry) => !isTakenOut(entry));
  const unused = skip.filter((glob) => !all.candidates.some(({ name }) => globMatches(glob, name)));
  // An approval by digest covers all files together.
  const resolved = context.env.HOOKCTL_TRUST ? found : selected;
  // Missing required or approved hooks are reported only if every hook was selected.
  const isWhole = search.isWhole && selected.candidates.length === found.candidates.length;
  const selectedPaths = new Set([...selected.candidates, ...selected.skipped].map(({ path }) => path));
  const isIncluded = ({ path, name }: Entry): boolean =>
    (isWhole && (only === null || globMatches(only, name))) || selectedPaths.has(path);

  const subjects = new Map<string, TestSubject>();
  const handOver: ResolvingInTurn["onHook"] = (hook, recheckTrust) => {
    if (subjects.has(hook.path) || !isIncluded(hook) || !isExamined(hook)) return;
    const subject = subjectOf(hook, again(hook), { all, recheckTrust });
    subjects.set(hook.path, subject);
    onSubject(subject);
  };
  const options = { ...context.options, skip: unused };
  const hookSet = await resolveInTurn(resolved, { ...context, options }, { inTurn, onHook: handOver });
  const hooks = hookSet.hooks.filter(isIncluded);
  const skipped = hookSet.skipped.filter(isIncluded);
  for (const hook of hooks) handOver(hook, hookSet.recheckTrust);
  const faulty = skipped.flatMap((entry) => faultySubject(entry, again(entry)));
  for (const subject of faulty) onSubject(subject);

  const takenOut = matching.candidates.filter(isTakenOut);
  const shadowed = skipped.filter(({ reason }) => reason === "shadowed");
  // If an argument is the path of an entry that is no hook, the reason is reported.
  const named =
    file === null ? [] : found.skipped.filter((entry) => isSelected(entry) && skippedEntryFault(entry) === null);
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
    notices: !search.isPath ? hookSet.notices : file === null ? subFolderNotices(found) : [],
    found: { hooks, skipped },
    gaps: [...gapsAmong({ hooks, paused: hookSet.paused }), ...gapsOf(takenOut, "skipped by --skip")],
  };
}

function faultySubject(entry: SkippedFile, again: string): readonly TestSubject[] {
  const { name, path } = entry;
  const fault = skippedEntryFault(entry);
  return fault === null
    ? []
    : [{ kind: "hook", name, path, again, hook: null, fault: failedCheck(fault.message, fault.hint) }];
}

/** A built-in guard is hookctl itself: it has no file, and its examples are tests of hookctl. */
const isExamined = (hook: Hook): boolean => hook.kind !== "guard" && testSkipReason(hook) === null;

function subjectOf(
  hook: Hook,
  again: string,
  { all, recheckTrust }: Pick<Search, "all"> & Pick<HookSet, "recheckTrust">,
): TestSubject {
  const { name, path } = hook;
  const fault = checkMissingHook(hook);
  if (fault !== null) return { kind: "hook", name, path, again, hook: null, fault };
  const namesakes = all.candidates.filter((other) => other.name === name && other.path !== path);
  return {
    kind: "hook",
    name,
    path,
    again,
    hook,
    fault: null,
    recheckTrust,
    namesakes: namesakes.map((other) => other.path),
  };
}

const MOST_ENTRIES = 1000;

/** Hooks that are one folder too deep are reported, because they never run. */
function subFolderNotices({ skipped, searched }: FoundCandidates): readonly Warning[] {
  const folders = skipped.filter(({ reason, path }) => reason === "sub_folder" && hasExecutable(path));
  const [path] = searched;
  return path === undefined || folders.length === 0
    ? []
    : [{ code: "SUB_FOLDERS_NOT_SEARCHED", path, folders: folders.map((folder) => basename(folder.path)) }];
}

function hasExecutable(folder: string): boolean {
  try {
    const entries = readdirSync(folder, { withFileTypes: true }).slice(0, MOST_ENTRIES);
    return entries.some((entry) => entry.isFile() && isExecutable(join(folder, entry.name)));
  } catch {
    // A folder that cannot be read is not known to hold a hook.
    return false;
  }
}
