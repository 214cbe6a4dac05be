import { join } from "node:path";
import { disk } from "../../fs/disk.ts";
import { objectOr } from "../../protocol/json/read.ts";
import type { ConfigProblem } from "../../protocol/problem.ts";
import { hasStoppingRules } from "../../protocol/rule-settings.ts";
import type { ScopeSettings, SettingsFile } from "../../protocol/settings-file.ts";
import { recordFile } from "./earlier-calls.ts";

/*
 * Guards of the user that were recorded and are missing now:
 *
 * 1. The settings file cannot be used (broken, empty, a broken link): the guards are lost, and calls are blocked.
 * 2. The settings file was deleted: the guards are lost too, but a call only warns, because a person may have done it.
 * 3. The file can be used, but lacks a guard: the guard is "dropped", which doctor, status and the seal check report.
 */

/** The guards that were in the user's settings when these could last be loaded. */
export interface LostSettings {
  /** The settings file, with a line number if it is known. */
  readonly place: string;
  readonly cause: string;
  readonly guards: readonly string[];
  /** The file was deleted, which a person may have done on purpose. */
  readonly isDeleted: boolean;
}

/** The user's settings file as this call found it. */
export interface UserSettings {
  readonly file: string | null;
  readonly isBlank: boolean;
  readonly data: ScopeSettings;
  readonly problem: ConfigProblem | null;
  readonly entryProblems?: readonly ConfigProblem[];
}

const FILE = recordFile("user-settings.json", 2, [1]);

/** True if any guards were recorded. Reads no file. */
export const hasRecordedGuards = FILE.exists;

/** The guards of one settings file, when it could last be loaded. */
interface RecordedGuards {
  readonly file: string;
  readonly guards: readonly string[];
}

/** True if the file could be loaded and is not empty. */
export const isUsableSettings = ({ problem, isBlank }: UserSettings): boolean => problem === null && !isBlank;

/**
 * Records the guards in the user's settings, so that they are known if the settings cannot be loaded later, or no longer
 * contain them. The record of another settings file stays until this file has all guards of the other: then somebody moved the settings.
 */
export function recordGuards(user: UserSettings, trustFile: string, userId: number): void {
  if (user.file === null) return;
  const before = readRecords(trustFile, userId);
  // A guard that this file had is missing until a person's command accepts that.
  const earlier = before.filter(({ file }) => file === user.file);
  const guards = [...new Set([...guardsIn(user.data), ...earlier.flatMap((record) => record.guards)])];
  const others = before.filter((record) => record.file !== user.file && missingIn(record, guards).length > 0);
  const now: readonly RecordedGuards[] = [{ file: user.file, guards }, ...others];
  if ((guards.length === 0 && before.length === 0) || JSON.stringify(before) === JSON.stringify(now)) return;
  FILE.tryWrite(trustFile, { files: now });
}

const missingIn = ({ guards }: RecordedGuards, held: readonly string[]): readonly string[] =>
  guards.filter((name) => !held.includes(name));

/** The recorded guards that usable settings of the user no longer have, though no command removed them. */
export function droppedGuards(user: UserSettings | null, trustFile: string, userId: number): readonly string[] {
  if (user === null || !isUsableSettings(user) || (user.entryProblems?.length ?? 0) > 0) return [];
  const held = guardsIn(user.data);
  const records = readRecords(trustFile, userId).filter(({ file }) => file === user.file);
  return records.flatMap((record) => missingIn(record, held));
}

/** Forgets guards which a person removed from a settings file. Throws disk errors. */
export function forgetDropped(
  dropped: readonly { readonly file: string; readonly name: string }[],
  trustFile: string,
  userId: number,
): void {
  const before = readRecords(trustFile, userId);
  const after = before.map(({ file, guards }) => {
    const isDropped = (guard: string): boolean => dropped.some((drop) => drop.file === file && drop.name === guard);
    return { file, guards: guards.filter((guard) => !isDropped(guard)) };
  });
  if (JSON.stringify(before) !== JSON.stringify(after)) FILE.write(trustFile, { files: after });
}

/** Forgets the guards of deleted settings files, but not those of the file in force. True if any were forgotten. */
export function forgetGuards(trustFile: string, userId: number, inForce: string | null): boolean {
  const before = readRecords(trustFile, userId);
  const files = before.filter(({ file }) => file === inForce);
  if (files.length === before.length) return false;
  if (files.length === 0) FILE.remove(trustFile);
  else FILE.write(trustFile, { files });
  return true;
}

/** Returns the guards that are lost because the user's settings cannot be loaded, and the cause; null if none are. */
export function findLostSettings(user: UserSettings | null, trustFile: string, userId: number): LostSettings | null {
  const records = readRecords(trustFile, userId);
  if (user !== null && isUsableSettings(user)) return missingBeside(user, records);
  const lost = lostGuardsIn(records);
  if (lost === null) return null;
  const { first, guards } = lost;
  if (user?.problem) return { ...locationOf(user.problem), guards, isDeleted: false };
  if (user !== null) return { place: user.file ?? first, cause: "it is empty", guards, isDeleted: false };
  if (isBrokenLink(first)) return { place: first, cause: "it is a broken link", guards, isDeleted: false };
  return { place: first, cause: "it does not exist", guards, isDeleted: true };
}

/** All recorded guards, and the first file that has any; null if there are none. */
function lostGuardsIn(records: readonly RecordedGuards[]) {
  const first = records.find(({ guards }) => guards.length > 0)?.file;
  return first === undefined ? null : { first, guards: [...new Set(records.flatMap(({ guards }) => guards))] };
}

/**
 * The guards that usable settings lack: because an entry with a fault is not used, or because another file was deleted
 * and these settings replaced it without its guards.
 */
function missingBeside(user: UserSettings, records: readonly RecordedGuards[]): LostSettings | null {
  const held = guardsIn(user.data);
  const gone = records.flatMap((record): readonly LostSettings[] => {
    const { file } = record;
    const guards = missingIn(record, held);
    const [unused] = file === user.file ? (user.entryProblems ?? []) : [];
    if (guards.length > 0 && unused !== undefined) return [{ ...locationOf(unused), guards, isDeleted: false }];
    if (guards.length === 0 || file === user.file || disk.existsSync(file)) return [];
    return [{ place: file, cause: "it does not exist", guards, isDeleted: true }];
  });
  return gone[0] ?? null;
}

/** A dangling link means that a folder is not mounted, and not that the file was deleted. */
const isBrokenLink = (file: string): boolean =>
  !disk.existsSync(file) && disk.lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true;

/** The same without a usable HOME: the home directory comes from the system's user database. */
export function lostSettingsWithoutHome(env: Readonly<Record<string, string | undefined>>, userId: number) {
  const stateHome = env.XDG_STATE_HOME ?? stateHomeOfSystem();
  const trustFile = env.HOOKCTL_TRUST_STORE ?? (stateHome === null ? null : join(stateHome, "hookctl", "trust.json"));
  const lost = trustFile === null ? null : lostGuardsIn(readRecords(trustFile, userId));
  if (lost === null) return null;
  const cause = `HOME is ${env.HOME ? `"${env.HOME}", which is not a folder` : "not set"}`;
  return { place: lost.first, cause, guards: lost.guards, isDeleted: false };
}

function stateHomeOfSystem(): string | null {
  try {
    return join(process.getBuiltinModule("node:os").userInfo().homedir, ".local", "state");
  } catch {
    return null;
  }
}

function locationOf(problem: ConfigProblem): Pick<LostSettings, "place" | "cause"> {
  const cause = configCause(problem);
  const line = /^line (\d+): /.exec(cause);
  const entry = "entry" in problem ? `${problem.entry}: ` : "";
  if (line === null) return { place: problem.file, cause: entry + cause };
  return { place: `${problem.file}:${line[1]}`, cause: cause.slice(line[0].length) };
}

function configCause(problem: ConfigProblem): string {
  if ("cause" in problem) return problem.cause;
  if ("detail" in problem) return problem.detail;
  if (problem.code === "CONFIG_SECOND_FILE") return `${problem.second} exists as well, but only one is allowed`;
  return problem.code === "CONFIG_UNKNOWN_KEY" ? `unknown key "${problem.key}"` : "it is not allowed here";
}

/** The names of the guards in some settings. */
export function guardsIn({
  settings,
  overrides,
  guards,
  rules,
  projects = {},
  entries,
}: Omit<ScopeSettings, "entries"> & { readonly entries: SettingsFile["hooks"] }): readonly string[] {
  const declared = entries.filter(({ scheme, fail_open, required }) => {
    return scheme === "block" || scheme === "ask" || fail_open === false || required === true;
  });
  const closed = Object.entries(overrides).filter(([, one]) => one.fail_open === false || one.required === true);
  const named = Object.entries(guards).flatMap(([name, { enabled, observe }]) =>
    enabled === false || observe ? [] : [name],
  );
  // A rule for one project is a guard, too.
  const hasRules = [rules ?? {}, ...Object.values(projects)].some(hasStoppingRules) && guards.rules === undefined;
  const switched = hasRules ? [...named, "rules"] : named;
  // It comes with any other guard, unless the same settings disable it.
  const builtIn =
    switched.length > 0 && guards["self-protection"] === undefined ? [...switched, "self-protection"] : switched;
  const policy = settings.on_untrusted === "fail" ? ["on_untrusted: fail"] : [];
  const all = new Set([...declared.map(({ name }) => name), ...closed.map(([name]) => name), ...builtIn, ...policy]);
  return [...all].filter((name) => overrides[name]?.enabled !== false);
}

function readRecords(trustFile: string, userId: number): readonly RecordedGuards[] {
  const { version, files, ...only } = FILE.read({ trustFile, userId });
  // Version 1 had a single file.
  const found = version === 1 ? [only] : files;
  return Array.isArray(found) && found.every(isRecord) ? found : [];
}

function isRecord(value: unknown): value is RecordedGuards {
  const { file, guards } = objectOr(value);
  return typeof file === "string" && Array.isArray(guards) && guards.every((name) => typeof name === "string");
}
