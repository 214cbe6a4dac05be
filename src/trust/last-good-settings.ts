import { existsSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ConfigProblem } from "../contract/problem.ts";
import type { ScopeSettings } from "../contract/scope-settings.ts";
import { replaceFile } from "../disk/replace-file.ts";
import { readStore } from "./store.ts";

/** Guards that the user's settings held when they could last be loaded. */
export interface LostSettings {
  /** The settings file, with its line where that is known. */
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
}

/** Beside the approvals, because it must be as hard to change. */
const noteFile = (trustFile: string): string => join(dirname(trustFile), "user-settings.json");

/** Was anything noted? Costs one look at the disk. */
export const hasNote = (trustFile: string): boolean => existsSync(noteFile(trustFile));

interface LastGood {
  readonly file: string;
  readonly guards: readonly string[];
}

/** Notes which guards the user's settings hold, for the day when they cannot be loaded. */
export function noteSettings(plan: UserSettings, trustFile: string, userId: number): void {
  const guards = guardsIn(plan.data);
  const file = noteFile(trustFile);
  const last = readLastGood(file, userId);
  if (plan.isBlank || (guards.length === 0 && last === null)) return;
  if (last !== null && last.file === plan.file && JSON.stringify(last.guards) === JSON.stringify(guards)) return;
  try {
    replaceFile(file, JSON.stringify({ version: VERSION, file: plan.file, guards }));
  } catch {
    // Read-only or full: the settings themselves apply all the same.
  }
}

const VERSION = 1;

/** The user deleted the settings on purpose. True if there was something to forget. */
export function forgetSettings(trustFile: string, userId: number): boolean {
  const file = noteFile(trustFile);
  if (readLastGood(file, userId) === null) return false;
  rmSync(file, { force: true });
  return true;
}

/** What the user's settings held when they could last be loaded, and why they cannot be now; null: nothing is lost. */
export function lostSettings(plan: UserSettings | null, trustFile: string | null, userId: number): LostSettings | null {
  if (plan !== null && plan.problem === null && !plan.isBlank) return null;
  const last = readLastGood(trustFile === null ? null : noteFile(trustFile), userId);
  if (last === null || last.guards.length === 0) return null;
  const { guards } = last;
  if (plan?.problem) return { ...placeOf(plan.problem), guards, isDeleted: false };
  if (plan !== null) return { place: plan.file ?? last.file, cause: "it is empty", guards, isDeleted: false };
  return { place: last.file, cause: "it is gone", guards, isDeleted: true };
}

/** The same where HOME leads nowhere: the system knows where the user's home is. */
export function settingsWithoutHome(env: Readonly<Record<string, string | undefined>>, userId: number) {
  const stateHome = env.XDG_STATE_HOME ?? stateHomeOfSystem();
  const trustFile = env.HOOKCTL_TRUST_STORE ?? (stateHome === null ? null : join(stateHome, "hookctl", "trust.json"));
  const last = readLastGood(trustFile === null ? null : noteFile(trustFile), userId);
  if (last === null || last.guards.length === 0) return null;
  const cause = `HOME is ${env.HOME ? `"${env.HOME}", which is not a folder` : "not set"}`;
  return { place: last.file, cause, guards: last.guards, isDeleted: false };
}

function stateHomeOfSystem(): string | null {
  try {
    return join(process.getBuiltinModule("node:os").userInfo().homedir, ".local", "state");
  } catch {
    return null;
  }
}

function placeOf(problem: ConfigProblem): Pick<LostSettings, "place" | "cause"> {
  const cause = causeOf(problem);
  const line = /^line (\d+): /.exec(cause);
  const entry = "entry" in problem ? `${problem.entry}: ` : "";
  if (line === null) return { place: problem.file, cause: entry + cause };
  return { place: `${problem.file}:${line[1]}`, cause: cause.slice(line[0].length) };
}

function causeOf(problem: ConfigProblem): string {
  if ("cause" in problem) return problem.cause;
  if ("detail" in problem) return problem.detail;
  if (problem.code === "CONFIG_SECOND_FILE")
    return `${problem.second} stands beside it, and only one of them can count`;
  return problem.code === "CONFIG_UNKNOWN_KEY" ? `unknown key "${problem.key}"` : "it may only stand elsewhere";
}

/** The names of what may block in some settings. */
function guardsIn({ settings, overrides, entries }: ScopeSettings): readonly string[] {
  const declared = entries.filter(({ scheme, fail_open, required }) => {
    return scheme === "block" || scheme === "ask" || fail_open === false || required === true;
  });
  const closed = Object.entries(overrides).filter(([, one]) => one.fail_open === false || one.required === true);
  const policy = settings.on_untrusted === "fail" ? ["on_untrusted: fail"] : [];
  return [...new Set([...declared.map(({ name }) => name), ...closed.map(([name]) => name), ...policy])];
}

function readLastGood(file: string | null, userId: number): LastGood | null {
  if (file === null) return null;
  const text = readStore(file, userId);
  if (!text.ok || text.value === null) return null;
  try {
    const found: unknown = JSON.parse(text.value);
    return isLastGood(found) ? found : null;
  } catch {
    return null;
  }
}

function isLastGood(value: unknown): value is LastGood {
  const { version, file, guards } = Object(value);
  return (
    version === VERSION &&
    typeof file === "string" &&
    Array.isArray(guards) &&
    guards.every((name) => typeof name === "string")
  );
}
