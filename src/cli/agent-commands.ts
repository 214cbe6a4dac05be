import { DIALECT_NAMES } from "../protocol/event.ts";
import { SOURCES } from "../protocol/hook.ts";
import type { OptionRows, ValueSource } from "./options.ts";

/** One command: its arguments as help shows them, its own options, and one line for the list of commands. */
export interface CommandRow {
  /** `<name>` is required, `[name]` is optional, and `[names...]` takes any number. */
  readonly arguments: string;
  /** The completions of each argument; the last list serves all further ones. */
  readonly values?: readonly (readonly ValueSource[])[];
  readonly about: string;
  readonly example: string;
  readonly options: OptionRows;
}

/** The options of every command; they may stand before the command, too. */
export const COMMON_OPTIONS = {
  noHooks: {
    name: "--no-hooks",
    kind: "switch",
    about: "run no hooks (also HOOKCTL_NO_HOOKS=1)",
  },
  directory: {
    name: "--directory",
    short: "-C",
    kind: "text",
    placeholder: "DIR",
    values: ["folder"],
    about: "start in this folder",
  },
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
  only: {
    name: "--hook",
    kind: "text",
    placeholder: "GLOB",
    values: ["hook"],
    about: "only hooks whose name matches",
  },
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
  deadlineMs: {
    name: "--deadline",
    kind: "duration",
    placeholder: "DURATION",
    about: "timeout of the whole chain",
  },
  trust: { name: "--trust", kind: "switch", about: "approve project hooks for this call only" },
  useCache: { name: "--no-cache", kind: "negation", about: "ignore the cache: identify every hook again" },
  json: { name: "--json", kind: "switch", about: "print JSON on stdout" },
  quiet: { name: "--quiet", short: "-q", kind: "switch", about: "print only errors on stderr" },
  verbosity: {
    name: "--verbose",
    short: "-v",
    kind: "count",
    about: "show more; twice: also the stderr of hooks",
  },
  color: {
    name: "--color",
    kind: "choice",
    placeholder: "WHEN",
    choices: ["auto", "always", "never"],
    about: "auto, always or never",
  },
} as const satisfies OptionRows;

export const DRY_RUN = { name: "--dry-run", kind: "switch", about: "show what would be done, but do nothing" } as const;
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

/** The commands that agents call. A call of one of them loads no rows of the others. */
export const AGENT_COMMANDS = {
  list: {
    arguments: "",
    about: "list hooks in run order, by event",
    example: "hookctl list --all",
    options: {
      isAll: { name: "--all", kind: "switch", about: "also list skipped files, with the reason" },
      isStrict: STRICT,
      event: ONLY_EVENT,
      source: {
        name: "--source",
        kind: "choice",
        placeholder: "SOURCE",
        choices: SOURCES,
        about: "only hooks of this source: project, user, config, …",
      },
    },
  },
  run: {
    arguments: "<event>",
    values: [["event"]],
    about: "run the hooks of an event: payload on stdin, result on stdout",
    example: "hookctl run before_tool_call < payload.json",
    options: {
      dryRun: DRY_RUN,
      isStrict: STRICT,
      payloadFile: {
        name: "--payload",
        kind: "text",
        placeholder: "FILE",
        values: ["file"],
        about: "read the payload from a file",
      },
      stdinTimeoutMs: {
        name: "--stdin-timeout",
        kind: "duration",
        placeholder: "DURATION",
        about: "timeout for the first byte on stdin",
      },
      as: {
        name: "--as",
        kind: "choice",
        placeholder: "DIALECT",
        choices: DIALECT_NAMES,
        about: `print the result as ${DIALECT_NAMES.join(", ")}`,
      },
      ask: { name: "--ask", kind: "switch", about: "prompt before running hooks that are not approved" },
    },
  },
  bridge: {
    arguments: "[agent]",
    values: [["agent"]],
    about: "run hooks for an agent: its native payload in, its native response out",
    example: "hookctl bridge claude --event PreToolUse < payload.json",
    options: {
      nativeEvent: {
        name: "--event",
        kind: "text",
        placeholder: "EVENT",
        values: ["agent event"],
        about: "the agent's name for the event (default: from the payload)",
      },
      failClosed: FAIL_CLOSED,
      failOpen: FAIL_OPEN,
      proof: { name: "--proof", kind: "switch", about: "end a complete answer with a mark that registrations check" },
    },
  },
  status: {
    arguments: "",
    about: "show hooks and the last block in one line, for an agent's status line",
    example: "hookctl status",
    options: {},
  },
} as const satisfies Readonly<Record<string, CommandRow>>;
