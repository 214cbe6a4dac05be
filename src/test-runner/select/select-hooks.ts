import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import type { FoundCandidates } from "../../discover/find-candidates.ts";
import type { InTurn } from "../../discover/identify.ts";
import { type HookSet, type ResolvingInTurn, resolveInTurn } from "../../engine/hooks/resolve-hooks.ts";
import { skippedEntryFault } from "../../engine/not-ready.ts";
import { isExecutable } from "../../process/outcome-problem.ts";
import type { Hook } from "../../protocol/hook.ts";
import { globMatches } from "../../protocol/match.ts";
import type { Warning } from "../../protocol/warning.ts";
import { failedCheck, type NotTestedHook } from "../test-report.ts";
import { type ChainGap, gapsAmong, gapsBehind, gapsOf } from "./chain-gaps.ts";
import type { Entry, Search, TestPlan } from "./plan-selection.ts";
import { checkMissingHook, skippedEntry, type TestSubject, testSkipReason } from "./test-subject.ts";

/** The hooks that are tested, and the others with the reason. */
export interface TestSelection {
  readonly subjects: readonly TestSubject[];
  readonly skipped: readonly NotTestedHook[];
  readonly warnings: readonly Warning[];
  /** Shown to people only: what `--trust` approved. */
  readonly notices: readonly Warning[];
  /** Every hook that the arguments select, including those that are not tested. */
  readonly found: Pick<HookSet, "hooks" | "skipped">;
  /** Hooks of the chain that are not started; null: single hooks are named, so the chain is not tested. */
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
  for (const search of searches) {
    const part = await selectFrom(search, using);
    for (const subject of part.subjects.filter((one) => !part.handedOver.has(one))) using.onSubject(subject);
    parts.push(part);
  }
  const { gaps, ...selection } = joined(parts);
  const paths = new Set(searches.flatMap(({ found }) => found.candidates.map(({ path }) => path)));
  const notNamed = allFound.candidates.filter(({ path }) => !paths.has(path));
  const chainGaps = [
    ...gaps,
    ...gapsOf(notNamed, "not in the folder"),
    ...gapsBehind([...settingsWarnings, ...selection.warnings]),
  ];
  return { ...selection, chainGaps: isOfChain ? chainGaps : null };
}

const filterFound = (found: FoundCandidates, isMeant: (entry: Entry) => boolean): FoundCandidates => ({
  ...found,
  candidates: found.candidates.filter(isMeant),
  skipped: found.skipped.filter(isMeant),
});

/** Unselected hooks are removed before resolving, because resolving starts hooks. */
async function selectFrom(search: Search, { inTurn, onSubject }: SubjectsInTurn): Promise<SelectionPart> {
  const { found, isSelected, all, context, again } = search;
  const { only, skip } = context.options;
  const isTakenOut = ({ name }: Entry): boolean => skip.some((glob) => globMatches(glob, name));
  const meant = filterFound(found, (entry) => isSelected(entry) && (only === null || globMatches(only, entry.name)));
  const kept = filterFound(meant, (entry) => !isTakenOut(entry));
  const unused = skip.filter((glob) => !all.candidates.some(({ name }) => globMatches(glob, name)));
  // An approval by digest covers all files together.
  const gathered = context.env.HOOKCTL_TRUST ? found : kept;
  // Missing required or approved hooks are reported only if every hook was meant.
  const isWhole = search.isWhole && kept.candidates.length === found.candidates.length;
  const isKept = ({ path, name }: Entry): boolean =>
    (isWhole && (only === null || globMatches(only, name))) ||
    [...kept.candidates, ...kept.skipped].some((one) => one.path === path);
  const handedOver = new Map<string, TestSubject>();
  const handOver: ResolvingInTurn["onHook"] = (hook, recheckTrust) => {
    if (!isKept(hook) || !isExamined(hook)) return;
    const subject = subjectOf(hook, again(hook), { all, recheckTrust });
    handedOver.set(hook.path, subject);
    onSubject(subject);
  };
  const resolving = { inTurn, onHook: handOver };
  const hookSet = await resolveInTurn(
    gathered,
    { ...context, options: { ...context.options, skip: unused } },
    resolving,
  );
  const here = { ...hookSet, hooks: hookSet.hooks.filter(isKept), skipped: hookSet.skipped.filter(isKept) };
  const taken = meant.candidates.filter(isTakenOut);
  const selection = selectionFrom(here, search, handedOver);
  const takenOut = taken.map((entry) => skippedEntry({ ...entry, detail: "skipped by --skip" }));
  return {
    ...selection,
    ...{ found: here, handedOver: new Set(handedOver.values()) },
    skipped: [...selection.skipped, ...takenOut, ...namedEntries(search)],
    notices: search.isPath ? subFolderNoticesOf(search) : selection.notices,
    gaps: [...gapsAmong({ hooks: here.hooks, paused: hookSet.paused }), ...gapsOf(taken, "skipped by --skip")],
  };
}

/** If an argument is the path of an entry that is no hook, the reason is reported. */
const namedEntries = ({ file, found, isSelected }: Search): readonly NotTestedHook[] =>
  file === null
    ? []
    : found.skipped.filter((skip) => isSelected(skip) && skippedEntryFault(skip) === null).map(skippedEntry);

/** The path itself approves it; the notice for `--trust` would be wrong. */
const subFolderNoticesOf = ({ file, found }: Search): readonly Warning[] =>
  file === null ? subFolderNotices(found) : [];

interface SelectionPart extends Omit<TestSelection, "chainGaps"> {
  readonly gaps: readonly ChainGap[];
  readonly handedOver: ReadonlySet<TestSubject>;
}
type HookSelection = Omit<SelectionPart, "found" | "gaps" | "handedOver">;

function selectionFrom(
  hookSet: HookSet,
  { all, again }: Search,
  handedOver: ReadonlyMap<string, TestSubject>,
): HookSelection {
  const entries = hookSet.skipped.flatMap((skip): TestSubject[] => {
    const fault = skippedEntryFault(skip);
    return fault === null
      ? []
      : [
          {
            kind: "hook",
            name: skip.name,
            path: skip.path,
            again: again(skip),
            hook: null,
            fault: failedCheck(fault.message, fault.hint),
          },
        ];
  });
  const { recheckTrust } = hookSet;
  const hooks = hookSet.hooks
    .filter(isExamined)
    .map((hook) => handedOver.get(hook.path) ?? subjectOf(hook, again(hook), { all, recheckTrust }));
  return {
    subjects: [...hooks, ...entries],
    skipped: [...hookSet.hooks.flatMap((hook) => testSkipReason(hook) ?? []), ...shadowedEntries(hookSet)],
    warnings: hookSet.warnings,
    notices: hookSet.notices,
  };
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
    ...{ kind: "hook", name, path, again, hook, fault: null, recheckTrust },
    namesakes: namesakes.map((other) => other.path),
  };
}

const shadowedEntries = ({ skipped }: HookSet): readonly NotTestedHook[] =>
  skipped.filter(({ reason }) => reason === "shadowed").map(skippedEntry);

const joined = (parts: readonly SelectionPart[]): Omit<SelectionPart, "handedOver"> => ({
  subjects: parts.flatMap(({ subjects }) => subjects),
  skipped: parts.flatMap(({ skipped }) => skipped),
  warnings: parts.flatMap(({ warnings }) => warnings),
  notices: parts.flatMap(({ notices }) => notices),
  gaps: parts.flatMap(({ gaps }) => gaps),
  found: {
    hooks: parts.flatMap(({ found }) => found.hooks),
    skipped: parts.flatMap(({ found }) => found.skipped),
  },
});

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
