import type { OptionRows } from "./options.ts";

/** Options that act on commands which find or run hooks. Every command accepts them, so that a script can set them for all. */
export const HOOK_OPTIONS = {
  noHooks: { name: "--no-hooks", kind: "switch", about: "run no hooks (also HOOKCTL_NO_HOOKS=1)" },
  hooksDirs: {
    name: "--hooks-dir",
    kind: "list",
    placeholder: "DIR",
    values: ["folder"],
    about: "search for hooks here, not in the default folders",
  },
  config: {
    name: "--config",
    kind: "text",
    placeholder: "FILE",
    values: ["file"],
    about: "settings file to use instead of the user's",
  },
  only: { name: "--hook", kind: "text", placeholder: "GLOB", values: ["hook"], about: "only hooks whose name matches" },
  skip: {
    name: "--skip",
    kind: "list",
    placeholder: "NAME",
    values: ["hook"],
    about: "skip this hook (also HOOKCTL_SKIP=NAME,NAME)",
  },
  timeoutMs: {
    name: "--timeout",
    kind: "duration",
    placeholder: "DURATION",
    about: "timeout of each hook: 500ms, 5s, 2m",
  },
  deadlineMs: { name: "--deadline", kind: "duration", placeholder: "DURATION", about: "timeout of the whole chain" },
  trust: { name: "--trust", kind: "switch", about: "approve project hooks for this call only" },
  useCache: { name: "--no-cache", kind: "negation", about: "ignore the cache: identify every hook again" },
} as const satisfies OptionRows;

export const GLOBAL_OPTIONS = {
  directory: {
    name: "--directory",
    short: "-C",
    kind: "text",
    placeholder: "DIR",
    values: ["folder"],
    about: "start in this folder",
  },
  json: { name: "--json", kind: "switch", about: "print JSON on stdout" },
  quiet: { name: "--quiet", short: "-q", kind: "switch", about: "print only errors on stderr" },
  verbosity: { name: "--verbose", short: "-v", kind: "count", about: "show more; twice: also the stderr of hooks" },
  color: {
    name: "--color",
    kind: "choice",
    placeholder: "WHEN",
    choices: ["auto", "always", "never"],
    about: "auto, always or never",
  },
} as const satisfies OptionRows;

/** The options of every command; they may stand before the command, too. */
export const COMMON_OPTIONS = { ...HOOK_OPTIONS, ...GLOBAL_OPTIONS };

export const DRY_RUN = {
  name: "--dry-run",
  short: "-n",
  kind: "switch",
  about: "show what would be done, but do nothing",
} as const;
export const STRICT = {
  name: "--strict",
  kind: "switch",
  about: "exit 1 if a hook would not start, 77 if HOOKCTL_TRUST approves nothing",
} as const;
export const ONLY_EVENT = { name: "--event", kind: "event", placeholder: "EVENT", about: "only this event" } as const;
export const FAIL_CLOSED = { name: "--fail-closed", kind: "switch", about: "block when hookctl itself fails" } as const;
export const FAIL_OPEN = {
  name: "--fail-open",
  kind: "switch",
  about: "allow when hookctl itself fails, even where a hook is fail-closed",
} as const;
