import { readdirSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { isExecutable } from "../../discover/classify.ts";
import { type FoundCandidates, findCandidates, fullHookName, type HookFolder } from "../../discover/find-candidates.ts";
import { findAllCandidates } from "../../engine/hooks/candidates.ts";
import { type HookSet, resolveHooks } from "../../engine/hooks/resolve-hooks.ts";
import { hookFolders, type RunContext } from "../../engine/run-context.ts";
import { pathExists } from "../../fs/paths.ts";
import { GUARD_NAMES } from "../../protocol/guard-settings.ts";
import type { Hook, SkippedFile } from "../../protocol/hook.ts";
import { globMatches } from "../../protocol/match.ts";
import type { UsageProblem } from "../../protocol/problem.ts";
import { fail, ok, type Result } from "../../protocol/result.ts";
import { unknownHook } from "../../protocol/text/nearest.ts";
import { isPathArgument } from "../../protocol/text/shell-quote.ts";
import type { Warning } from "../../protocol/warning.ts";
import type { NotTestedHook } from "../test-report.ts";
import { type ChainGap, gapsAmong, gapsBehind, gapsOf } from "./chain-gaps.ts";
import { hookArgument, type PathArgument, resolvePathArgument } from "./path-argument.ts";
import { checkMissingHook, checkSkippedEntry, skippedEntry, type TestSubject, testSkipReason } from "./test-subject.ts";

/** Who is examined, and who is not and why. */
export interface TestSelection {
  readonly subjects: readonly TestSubject[];
  readonly skipped: readonly NotTestedHook[];
  readonly warnings: readonly Warning[];
  /** For the person alone: that `--trust` approved something. */
  readonly notices: readonly Warning[];
  /** Where the words look, and every name that is there. */
  readonly folders: readonly HookFolder[];
  readonly names: readonly string[];
  /** Every hook that the words mean, those that are not examined too. */
  readonly found: Pick<HookSet, "hooks" | "skipped">;
  /** The built-in guards that arguments name; null: no argument is a name, so cases may be about any. */
  readonly guards: readonly string[] | null;
  /** Hooks of the chain that are not started; null: single hooks are named, so the chain is not tested. */
  readonly chainGaps: readonly ChainGap[] | null;
}

/** Who selects hooks by words. */
export interface TestCaller {
  /** Paths are relative to it. */
  readonly cwd: string;
  /** The words after `hookctl` that examine all again, and those that stand before the name of one hook. */
  readonly again: { readonly all: string; readonly one: string };
  /** Only these of the selected hooks, without the cases of guards and of the whole chain; undefined: everything. */
  readonly isMeant?: (entry: Entry) => boolean;
  /** What was said of the settings files. */
  readonly settingsWarnings: readonly Warning[];
}

/**
 * Words -> hooks. A path is an approval of what lies there, for this call; a name is none, so a hook of the project
 * that nobody approved stays unasked. Without words: every hook that a list shows.
 */
export async function selectTestHooks(
  words: readonly string[],
  context: RunContext,
  { cwd, again: { one: command }, isMeant = () => true, settingsWarnings }: TestCaller,
): Promise<Result<TestSelection, UsageProblem>> {
  const allFound = findAllCandidates(context);
  const names = namesOf(allFound);
  const parts: SelectionPart[] = [];
  const inCommand = (wordsOf: Search["again"]) => (entry: Entry) => `${command} ${wordsOf(entry)}`;
  const wanted: string[] = [];
  const guards: string[] = [];
  let namesOneFile = false;
  for (const word of words) {
    const target = resolvePathArgument(word, context, cwd);
    if (target !== null) {
      namesOneFile ||= target.file !== null;
      parts.push(await selectPath({ ...target, again: inCommand(target.again), isMeant }, allFound, context));
    } else if (names.includes(fullHookName(word, names))) wanted.push(fullHookName(word, names));
    else if (GUARD_NAMES.some((name) => name === word)) guards.push(word);
    else return fail(unknownArgument(word, names, pathExists(resolve(cwd, word))));
  }
  const { only } = context.options;
  const fits =
    only === null || names.length === 0 || [...names, ...GUARD_NAMES].some((name) => globMatches(only, name));
  if (words.length === 0 && only !== null && !fits) return fail(unknownArgument(only, names, false));
  // The folders of this call hold the cases of guards, too.
  if (words.length === 0 || wanted.length + guards.length > 0) {
    const isSelected = (entry: Entry): boolean => (words.length === 0 || wanted.includes(entry.name)) && isMeant(entry);
    const again = inCommand(hookArgument);
    parts.push(await selectFrom({ found: allFound, isSelected, all: allFound, context, again }));
  }
  const namesHooks = wanted.length + guards.length > 0;
  const { gaps, ...selection } = joined(parts);
  const isOfChain = !namesHooks && !namesOneFile;
  const notNamed = allFound.candidates.filter(({ path }) => !parts.some(({ paths }) => paths.has(path)));
  const chainGaps = [
    ...gaps,
    ...gapsOf(notNamed, "not in the folder"),
    ...gapsBehind([...settingsWarnings, ...selection.warnings]),
  ];
  return ok({ ...selection, guards: namesHooks ? guards : null, chainGaps: isOfChain ? chainGaps : null });
}

const namesOf = ({ candidates, skipped }: FoundCandidates): readonly string[] =>
  [...candidates, ...skipped].map(({ name }) => name);

/** Where there is a file at the words of a name, its path may have been meant. */
function unknownArgument(word: string, names: readonly string[], isFile: boolean): UsageProblem {
  if (isPathArgument(word)) return { code: "USAGE_NO_SUCH_PATH", path: word };
  return isFile ? { code: "USAGE_UNKNOWN_HOOK", name: word, nearest: `./${word}` } : unknownHook(word, names);
}

async function selectPath(
  target: PathArgument & { readonly isMeant: (entry: Entry) => boolean },
  allFound: FoundCandidates,
  context: RunContext,
): Promise<SelectionPart> {
  const found = findCandidates([target.folder]);
  const isNamed = ({ path }: Entry): boolean => target.file === null || path === target.file;
  const isSelected = (entry: Entry): boolean => isNamed(entry) && target.isMeant(entry);
  const trusting: RunContext = { ...context, options: { ...context.options, isTrustedForOneCall: true } };
  const lined = await selectFrom({ found, isSelected, all: allFound, context: trusting, again: target.again });
  const named =
    target.file === null ? [] : found.skipped.filter((skip) => isSelected(skip) && checkSkippedEntry(skip) === null);
  // The path itself says that it is approved; the line for `--trust` would say it in the wrong words.
  const skipped = [...lined.skipped, ...named.map(skippedEntry)];
  const notices = target.file === null ? subFolderNotices(found) : [];
  return { ...lined, folders: [target.folder], skipped, notices };
}

type Entry = Pick<SkippedFile, "name" | "path">;

const filterFound = (found: FoundCandidates, isMeant: (entry: Entry) => boolean): FoundCandidates => ({
  ...found,
  candidates: found.candidates.filter(isMeant),
  skipped: found.skipped.filter(isMeant),
});

interface Search {
  readonly found: FoundCandidates;
  /** Which of them the words mean. */
  readonly isSelected: (entry: Entry) => boolean;
  /** The folders of this call, where namesakes are. */
  readonly all: FoundCandidates;
  readonly context: RunContext;
  readonly again: (entry: Entry) => string;
}

/** Hooks that are not meant are taken away before the rest is gathered, because gathering asks them already. */
async function selectFrom({ found, isSelected, all, context, again }: Search): Promise<SelectionPart> {
  const { only, skip } = context.options;
  const isTakenOut = ({ name }: Entry): boolean => skip.some((glob) => globMatches(glob, name));
  const meant = filterFound(found, (entry) => isSelected(entry) && (only === null || globMatches(only, entry.name)));
  const kept = filterFound(meant, (entry) => !isTakenOut(entry));
  const unused = skip.filter((glob) => !all.candidates.some(({ name }) => globMatches(glob, name)));
  // An approval by digest is one of all files together.
  const gathered = context.env.HOOKCTL_TRUST ? found : kept;
  const hookSet = await resolveHooks(gathered, { ...context, options: { ...context.options, skip: unused } }, null);
  // A hook that is required or approved and nowhere to be found is told only where all were looked for.
  const isWhole = found === all && kept.candidates.length === found.candidates.length;
  const isKept = ({ path }: Entry): boolean =>
    isWhole || [...kept.candidates, ...kept.skipped].some((one) => one.path === path);
  const here = { ...hookSet, hooks: hookSet.hooks.filter(isKept), skipped: hookSet.skipped.filter(isKept) };
  const taken = meant.candidates.filter(isTakenOut);
  const selection = selectionFrom(here, all, again);
  const takenOut = taken.map((entry) => skippedEntry({ ...entry, detail: "skipped by --skip" }));
  const folders = hookFolders(context);
  return {
    ...selection,
    ...{ folders, names: namesOf(found), found: here, paths: new Set(found.candidates.map(({ path }) => path)) },
    skipped: [...selection.skipped, ...takenOut],
    gaps: [...gapsAmong({ hooks: here.hooks, paused: hookSet.paused }), ...gapsOf(taken, "skipped by --skip")],
  };
}

interface SelectionPart extends Omit<TestSelection, "guards" | "chainGaps"> {
  readonly gaps: readonly ChainGap[];
  /** Where its candidates lie. */
  readonly paths: ReadonlySet<string>;
}
type HookSelection = Omit<SelectionPart, "folders" | "names" | "found" | "gaps" | "paths">;

function selectionFrom(hookSet: HookSet, allFound: FoundCandidates, again: (entry: Entry) => string): HookSelection {
  const entries = hookSet.skipped.flatMap((skip): TestSubject[] => {
    const fault = checkSkippedEntry(skip);
    return fault === null
      ? []
      : [{ kind: "hook", name: skip.name, path: skip.path, again: again(skip), hook: null, fault }];
  });
  // A built-in guard is hookctl itself: it has no file, and its examples are tests of hookctl.
  const hooks = hookSet.hooks.filter((hook) => hook.kind !== "guard" && testSkipReason(hook) === null);
  return {
    subjects: [...hooks.map((hook) => subjectOf(hook, again(hook), allFound, hookSet)), ...entries],
    skipped: [...hookSet.hooks.flatMap((hook) => testSkipReason(hook) ?? []), ...shadowedEntries(hookSet)],
    warnings: hookSet.warnings,
    notices: hookSet.notices,
  };
}

function subjectOf(hook: Hook, again: string, allFound: FoundCandidates, { recheckTrust }: HookSet): TestSubject {
  const { name, path } = hook;
  const fault = checkMissingHook(hook);
  if (fault !== null) return { kind: "hook", name, path, again, hook: null, fault };
  const namesakes = allFound.candidates.filter((other) => other.name === name && other.path !== path);
  return {
    kind: "hook",
    name,
    path,
    again,
    hook,
    fault: null,
    namesakes: namesakes.map((other) => other.path),
    recheckTrust,
  };
}

const shadowedEntries = ({ skipped }: HookSet): readonly NotTestedHook[] =>
  skipped.filter(({ reason }) => reason === "shadowed").map(skippedEntry);

const joined = (parts: readonly SelectionPart[]): Omit<SelectionPart, "paths"> => ({
  subjects: parts.flatMap(({ subjects }) => subjects),
  skipped: parts.flatMap(({ skipped }) => skipped),
  warnings: parts.flatMap(({ warnings }) => warnings),
  notices: parts.flatMap(({ notices }) => notices),
  folders: parts.flatMap(({ folders }) => folders),
  names: parts.flatMap(({ names }) => names),
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
