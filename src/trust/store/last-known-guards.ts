import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { disk } from "../../fs/disk.ts";
import { writeFileAtomic } from "../../fs/write-file.ts";
import type { ConfigProblem } from "../../protocol/problem.ts";
import type { ScopeSettings } from "../../protocol/settings-file.ts";
import { readTrustFile } from "./trust-store.ts";

/** The guards that were in the user's settings when these could last be loaded. */
export interface LostSettings {
  /** The settings file, with a line number if it is known. */
  readonly place: string;
  readonly cause: string;
  readonly guards: readonly string[];
  /** The file was deleted, which a person may have meant. */
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

/** Beside the approvals, because it needs the same protection. */
const noteFile = (trustFile: string): string => join(dirname(trustFile), "user-settings.json");

/** True if any guards were recorded. Reads no file. */
export const hasRecordedGuards = (trustFile: string): boolean => disk.existsSync(noteFile(trustFile));

/** The guards of one settings file, when it could last be loaded. */
interface RecordedGuards {
  readonly file: string;
  readonly guards: readonly string[];
}

/** True if the file could be loaded and is not empty. */
export const isUsableSettings = ({ problem, isBlank }: UserSettings): boolean => problem === null && !isBlank;

/**
 * Records the guards in the user's settings, so that they are known if the settings cannot be loaded later, or no longer have
 * them. The record of another file stays until this file has all its guards: then somebody moved the settings.
 */
export function recordGuards(plan: UserSettings, trustFile: string, userId: number): void {
  if (plan.file === null) return;
  const file = noteFile(trustFile);
  const before = readNotes(file, userId);
  // A guard that this file had is missing until a person's command accepts that.
  const earlier = before.filter((one) => one.file === plan.file);
  const guards = [...new Set([...guardsIn(plan.data), ...earlier.flatMap((one) => one.guards)])];
  const others = before.filter((one) => one.file !== plan.file && missingIn(one, guards).length > 0);
  const now: readonly RecordedGuards[] = [{ file: plan.file, guards }, ...others];
  if ((guards.length === 0 && before.length === 0) || JSON.stringify(before) === JSON.stringify(now)) return;
  try {
    writeNotes(file, now);
  } catch {
    // Read-only or full: the settings themselves apply all the same.
  }
}

const missingIn = ({ guards }: RecordedGuards, held: readonly string[]): readonly string[] =>
  guards.filter((name) => !held.includes(name));

/** The recorded guards that usable settings of the user no longer have, though no command removed them. */
export function droppedGuards(plan: UserSettings | null, trustFile: string, userId: number): readonly string[] {
  if (plan === null || !isUsableSettings(plan) || (plan.entryProblems?.length ?? 0) > 0) return [];
  const held = guardsIn(plan.data);
  return readNotes(noteFile(trustFile), userId).flatMap((one) => (one.file === plan.file ? missingIn(one, held) : []));
}

/** Forgets guards which a person removed from a settings file. Throws disk errors. */
export function forgetDropped(
  dropped: readonly { readonly file: string; readonly name: string }[],
  trustFile: string,
  userId: number,
): void {
  const before = readNotes(noteFile(trustFile), userId);
  const isKept = (file: string, guard: string): boolean =>
    !dropped.some((one) => one.file === file && one.name === guard);
  const after = before.map((one) => ({ ...one, guards: one.guards.filter((name) => isKept(one.file, name)) }));
  if (JSON.stringify(before) !== JSON.stringify(after)) writeNotes(noteFile(trustFile), after);
}

/** Forgets the guards of deleted settings files, and keeps those of the file in force. True if any were forgotten. */
export function forgetGuards(trustFile: string, userId: number, inForce: string | null): boolean {
  const file = noteFile(trustFile);
  const before = readNotes(file, userId);
  const kept = before.filter((one) => one.file === inForce);
  if (kept.length === before.length) return false;
  if (kept.length === 0) rmSync(file, { force: true });
  else writeNotes(file, kept);
  return true;
}

/** Returns the guards that are lost because the user's settings cannot be loaded, and the cause; null if none are. */
export function findLostSettings(plan: UserSettings | null, trustFile: string, userId: number): LostSettings | null {
  const notes = readNotes(noteFile(trustFile), userId);
  if (plan !== null && isUsableSettings(plan)) return missingBeside(plan, notes);
  const [first] = notes.filter(({ guards }) => guards.length > 0);
  if (first === undefined) return null;
  const guards = [...new Set(notes.flatMap((one) => one.guards))];
  if (plan?.problem) return { ...locationOf(plan.problem), guards, isDeleted: false };
  if (plan !== null) return { place: plan.file ?? first.file, cause: "it is empty", guards, isDeleted: false };
  if (isBrokenLink(first.file)) return { place: first.file, cause: "it is a broken link", guards, isDeleted: false };
  return { place: first.file, cause: "it does not exist", guards, isDeleted: true };
}

/** A deleted file is reported, too, if another settings file replaced it without its guards. */
function missingBeside(plan: UserSettings, notes: readonly RecordedGuards[]): LostSettings | null {
  const held = guardsIn(plan.data);
  const gone = notes.flatMap((one): readonly LostSettings[] => {
    const guards = missingIn(one, held);
    const [unused] = one.file === plan.file ? (plan.entryProblems ?? []) : [];
    if (guards.length > 0 && unused !== undefined) return [{ ...locationOf(unused), guards, isDeleted: false }];
    if (guards.length === 0 || one.file === plan.file || disk.existsSync(one.file)) return [];
    return [{ place: one.file, cause: "it does not exist", guards, isDeleted: true }];
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
  const notes = trustFile === null ? [] : readNotes(noteFile(trustFile), userId);
  const [first] = notes.filter(({ guards }) => guards.length > 0);
  if (first === undefined) return null;
  const cause = `HOME is ${env.HOME ? `"${env.HOME}", which is not a folder` : "not set"}`;
  return { place: first.file, cause, guards: [...new Set(notes.flatMap(({ guards }) => guards))], isDeleted: false };
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
  if (problem.code === "CONFIG_SECOND_FILE") return `${problem.second} exists as well, and only one is allowed`;
  return problem.code === "CONFIG_UNKNOWN_KEY" ? `unknown key "${problem.key}"` : "it is not allowed here";
}

/** The names of the guards in some settings. */
export function guardsIn({ settings, overrides, guards, entries }: ScopeSettings): readonly string[] {
  const declared = entries.filter(({ scheme, fail_open, required }) => {
    return scheme === "block" || scheme === "ask" || fail_open === false || required === true;
  });
  const closed = Object.entries(overrides).filter(([, one]) => one.fail_open === false || one.required === true);
  const named = Object.entries(guards).flatMap(([name, { enabled, observe }]) =>
    enabled === false || observe ? [] : [name],
  );
  // It comes with any other guard, unless the same settings disable it.
  const builtIn = named.length > 0 && guards["self-protection"] === undefined ? [...named, "self-protection"] : named;
  const policy = settings.on_untrusted === "fail" ? ["on_untrusted: fail"] : [];
  const all = new Set([...declared.map(({ name }) => name), ...closed.map(([name]) => name), ...builtIn, ...policy]);
  return [...all].filter((name) => overrides[name]?.enabled !== false);
}

const VERSION = 2;

const writeNotes = (file: string, files: readonly RecordedGuards[]): void =>
  writeFileAtomic(file, JSON.stringify({ version: VERSION, files }));

function readNotes(file: string, userId: number): readonly RecordedGuards[] {
  const text = readTrustFile(file, userId);
  if (!text.ok || text.value === null) return [];
  try {
    const { version, files, ...only } = Object(JSON.parse(text.value));
    // Version 1 had a single file.
    const found: unknown = version === 1 ? [only] : files;
    return Array.isArray(found) && found.every(isNoted) ? found : [];
  } catch {
    return [];
  }
}

function isNoted(value: unknown): value is RecordedGuards {
  const { file, guards } = Object(value);
  return typeof file === "string" && Array.isArray(guards) && guards.every((name) => typeof name === "string");
}
