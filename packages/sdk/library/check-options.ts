import { findEvent, type NamedEvent, nearestEvent } from "../../../src/protocol/event.ts";
import type { Match, Source } from "../../../src/protocol/hook.ts";
import { didYouMean, nearest } from "../../../src/protocol/text/nearest.ts";
import { parseDuration } from "../../../src/protocol/text/units.ts";
import type { AnyEventName } from "./event-types.ts";
import { HookctlError } from "./hookctl-error.ts";
import { isInherited, memberNames } from "./member-names.ts";

/** A number with its unit: `"500ms"`, `"5s"`, `"2m"`, `"1h"`. */
export type Duration = `${number}${"ms" | "s" | "m" | "h"}`;

/** Where hooks are searched and in which environment they run. Defaults come from the current process. */
export interface HooksOptions extends RunOptions {
  /** The project folder. Hooks run there unless the payload names another folder. */
  readonly cwd?: string;
  /** The user's home, which holds user hooks, approvals and the audit log. */
  readonly home?: string;
  /** The environment for hooks, and for hookctl itself (`HOOKCTL_…`, `XDG_…`). Read once. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Hooks folders instead of the default ones. Their hooks need approval, like those of a project. */
  readonly hooksDirs?: readonly string[];
  /** A settings file instead of the default ones. */
  readonly config?: string;
  /** True: project hooks need no approval. Only for a project that the host itself has written. */
  readonly trust?: boolean;
}

/** Options of one run. */
export interface RunOptions {
  /** The timeout of each hook; overrides the one that the hook declares. */
  readonly timeout?: Duration;
  /** The time limit for all hooks of the run together. */
  readonly deadline?: Duration;
  /** Run only hooks whose name matches this glob. */
  readonly only?: string;
  /** Skip hooks whose name matches one of these globs. */
  readonly skip?: readonly string[];
}

export interface ListOptions {
  readonly event?: AnyEventName;
  readonly source?: Source;
}

export interface FunctionOptions {
  /** Its name in the audit log. Default: the name of the function, or `function#<n>`. */
  readonly name?: string;
  /** Lower runs first. Default 100. */
  readonly priority?: number;
  /** False makes it a fail-closed guard: its failure blocks. Default true. */
  readonly failOpen?: boolean;
  /** True: it runs even after a block, and its response has no effect. */
  readonly observe?: boolean;
  /** Its timeout. Default: 30 s, as for every hook. */
  readonly timeout?: Duration;
  /** Only payloads with these values: `{"tool_name": ["bash", "mcp_*"]}`. */
  readonly match?: Match;
}

/** The type of each option. A `checked` option is validated by the code that reads it. */
type Kind = "string" | "number" | "boolean" | "object" | "list of strings" | "checked";
type KindsOf<Options> = Readonly<Record<keyof Options, Kind>>;

export const FUNCTION_OPTIONS: KindsOf<FunctionOptions> = {
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
    if (kind === undefined) throw badOption(key, `unknown option${didYouMean(nearest(key, Object.keys(kinds)))}`);
    const isFit = value === undefined || kind === "checked" || kind === kindOf(value);
    if (!isFit) throw badOption(key, `must be of type ${kind}`);
  }
}

export const kindOf = (value: unknown): string =>
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

export const badOption = (option: string, detail: string): HookctlError =>
  new HookctlError({ code: "USAGE_BAD_OPTION", option, detail });

/** Milliseconds; null without a value. Throws a HookctlError if the text is not a duration. */
export function parseTimeout(option: string, text: Duration | undefined): number | null {
  if (text === undefined) return null;
  const read = parseDuration(String(text));
  if (read.ok) return read.value;
  throw badOption(option, read.error);
}

/** The event with a name in any dialect. JavaScript callers may pass any value. */
export function parseEventName(word: unknown): NamedEvent {
  const name = String(word);
  const named = findEvent(name);
  if (named === null) throw new HookctlError({ code: "USAGE_UNKNOWN_EVENT", name, nearest: nearestEvent(name) });
  return named;
}
