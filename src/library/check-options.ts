import { nearest } from "../contract/nearest.ts";
import type { HooksOptions, ListOptions, RunOptions } from "./create-hooks.ts";
import { HookctlError } from "./hookctl-error.ts";
import type { FunctionOptions } from "./registry.ts";

/** Of which type an option is; one that is `checked` is looked at where it is read. */
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

/** A program without types may say `failopen: false`, and its guard would stand open unseen. */
export function checkOptions(options: object, kinds: Readonly<Record<string, Kind>>): void {
  if (typeof options !== "object" || options === null) throw badOption("options", "must be an object");
  for (const [key, value] of Object.entries(options)) {
    const kind = Object.hasOwn(kinds, key) ? kinds[key] : undefined;
    if (kind === undefined) throw badOption(key, `is no option${didYouMean(key, Object.keys(kinds))}`);
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
    throw badOption("failOpen", "an observer decides nothing, so it cannot be false together with observe: true");
  }
  if (priority !== undefined && !Number.isFinite(priority)) throw badOption("priority", "must be a finite number");
  const patterns = Object.values(match ?? {}).flat();
  if (match === null || patterns.some((pattern) => typeof pattern !== "string")) {
    throw badOption("match", "must hold a text or a list of texts for each field");
  }
}

/** A set may have members of its own. One that reads like an option which it does not give, and fits it, is a slip. */
export function checkSetMembers(set: object): void {
  const missing = Object.entries(FUNCTION_OPTIONS).filter(([name]) => !(name in set));
  for (const [key, value] of Object.entries(set)) {
    const fitting = missing.filter(([, kind]) => kind === kindOf(value)).map(([name]) => name);
    const near = Object.hasOwn(FUNCTION_OPTIONS, key) ? null : nearest(key, fitting);
    if (near !== null) throw badOption(key, `is no option. Did you mean ${near}?`);
  }
}

function didYouMean(key: string, known: readonly string[]): string {
  const near = nearest(key, known);
  return near === null ? "" : `. Did you mean ${near}?`;
}

export const badOption = (option: string, detail: string): HookctlError =>
  new HookctlError({ code: "USAGE_BAD_OPTION", option, detail });
