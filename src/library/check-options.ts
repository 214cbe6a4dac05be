import { findEvent, type NamedEvent, nearestEvent } from "../protocol/event.ts";
import { nearest } from "../protocol/text/nearest.ts";
import { parseDuration } from "../protocol/text/units.ts";
import type { HooksOptions, ListOptions, RunOptions } from "./create-hooks.ts";
import { HookctlError } from "./hookctl-error.ts";
import { isInherited, memberNames } from "./member-names.ts";
import type { FunctionOptions } from "./registry.ts";

/** The type of each option. A `checked` option is validated by the code that reads it. */
type Kind = "string" | "number" | "boolean" | "object" | "list of strings" | "checked";
type KindsOf<Options> = Readonly<Record<keyof Options, Kind>>;

const FUNCTION_OPTIONS: KindsOf<FunctionOptions> = {
  name: "string",
  priority: "number",
  failOpen: "boolean",
  observe: "boolean",
  timeout: "string",
  match: "object",
};

export const RUN_OPTIONS: KindsOf<RunOptions> = {
  timeout: "checked",
  deadline: "checked",
  only: "string",
  skip: "list of strings",
};

export const HOOKS_OPTIONS: KindsOf<HooksOptions> = {
  ...RUN_OPTIONS,
  cwd: "string",
  home: "string",
  env: "object",
  hooksDirs: "list of strings",
  config: "string",
  trust: "boolean",
};

export const LIST_OPTIONS: KindsOf<ListOptions> = { event: "checked", source: "checked" };

/** Rejects unknown options: a JavaScript program with `failopen: false` would otherwise get a fail-open guard. */
export function checkOptions(options: object, kinds: Readonly<Record<string, Kind>>): void {
  if (typeof options !== "object" || options === null) throw badOption("options", "must be an object");
  for (const key of memberNames(options)) {
    const value: unknown = Reflect.get(options, key);
    const kind = Object.hasOwn(kinds, key) ? kinds[key] : undefined;
    // A class instance with the options may also have methods.
    if (kind === undefined && typeof value === "function" && isInherited(options, key)) continue;
    if (kind === undefined) throw badOption(key, `unknown option${didYouMean(key, Object.keys(kinds))}`);
    const isFit = value === undefined || kind === "checked" || kind === kindOf(value);
    if (!isFit) throw badOption(key, `must be of type ${kind}`);
  }
}

const kindOf = (value: unknown): string =>
  Array.isArray(value) && value.every((item) => typeof item === "string") ? "list of strings" : typeof value;

export function checkFunctionOptions(options: FunctionOptions): void {
  checkOptions(options, FUNCTION_OPTIONS);
  const { observe, failOpen, priority, match } = options;
  if (observe === true && failOpen === false) {
    throw badOption("failOpen", "an observer cannot block, so failOpen cannot be false together with observe: true");
  }
  if (priority !== undefined && !Number.isFinite(priority)) throw badOption("priority", "must be a finite number");
  const patterns = Object.values(match ?? {}).map((one) => [one].flat());
  if (match === null || patterns.some((some) => some.length === 0 || some.some((one) => typeof one !== "string"))) {
    throw badOption("match", "must have a string or a non-empty list of strings for each field");
  }
}

/** A set may have other members. One whose name and type are close to an option that the set lacks is an error. */
export function checkSetOptions(set: object): void {
  const missing = Object.entries(FUNCTION_OPTIONS).filter(([name]) => !(name in set));
  const isOther = (key: string): boolean => !Object.hasOwn(FUNCTION_OPTIONS, key);
  for (const key of memberNames(set).filter(isOther)) {
    const close = missing.filter(([name]) => nearest(key, [name]) !== null);
    // Checked before the value is read, so that no unrelated getter is called.
    if (close.length === 0) continue;
    const kind = kindOf(Reflect.get(set, key));
    const near = nearest(
      key,
      close.filter(([, wanted]) => wanted === kind).map(([name]) => name),
    );
    if (near !== null) throw badOption(key, `unknown option. Did you mean ${near}?`);
  }
}

function didYouMean(key: string, known: readonly string[]): string {
  const near = nearest(key, known);
  return near === null ? "" : `. Did you mean ${near}?`;
}

export const badOption = (option: string, detail: string): HookctlError =>
  new HookctlError({ code: "USAGE_BAD_OPTION", option, detail });

/** A number with its unit: `"500ms"`, `"5s"`, `"2m"`, `"1h"`. */
export type Duration = `${number}${"ms" | "s" | "m" | "h"}`;

/** Milliseconds; null without a value. Throws a HookctlError if the text is not a duration. */
export function parseTimeout(option: string, text: Duration | undefined): number | null {
  if (text === undefined) return null;
  const read = parseDuration(String(text));
  if (read.ok) return read.value;
  throw new HookctlError({ code: "USAGE_BAD_OPTION", option, detail: read.error });
}

/** The event with a name in any dialect. JavaScript callers may pass any value. */
export function parseEventName(word: unknown): NamedEvent {
  const name = String(word);
  const named = findEvent(name);
  if (named === null) throw new HookctlError({ code: "USAGE_UNKNOWN_EVENT", name, nearest: nearestEvent(name) });
  return named;
}
