import { DIALECT_NAMES } from "../protocol/event.ts";
import { SOURCES } from "../protocol/hook.ts";
import type { OptionRow, OptionRows, ValuesOf } from "./options.ts";

/** One command: its arguments as help shows them, its own options, and one line for the list of commands. */
export interface CommandRow {
  /** `<name>` is required, `[name]` is optional, and `[names...]` takes any number. */
  readonly arguments: string;
  readonly about: string;
  readonly example: string;
  readonly options: OptionRows;
}

/** The options of every command; they may stand before the command, too. */
export const COMMON_OPTIONS = {
  noHooks: {
    name: "--no-hooks",
    kind: "switch",
    about: "start nothing; the answer is “no action” (also HOOKCTL_NO_HOOKS=1)",
  },
  directory: {
    name: "--directory",
    short: "-C",
    kind: "text",
    placeholder: "DIR",
    about: "look for the project from here",
  },
  hooksDirs: {
    name: "--hooks-dir",
    kind: "list",
    placeholder: "DIR",
    about: "look for hooks here instead of the default folders",
  },
  config: { name: "--config", kind: "text", placeholder: "FILE", about: "settings file in place of the user's own" },
  only: { name: "--hook", kind: "text", placeholder: "GLOB", about: "only hooks whose name fits" },
  skip: { name: "--skip", kind: "list", placeholder: "NAME", about: "leave this hook out" },
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
  trust: { name: "--trust", kind: "switch", about: "approve the project's hooks for this call only" },
  useCache: { name: "--no-cache", kind: "negation", about: "ask every hook again for its event" },
  json: { name: "--json", kind: "switch", about: "the full record on stdout" },
  quiet: { name: "--quiet", short: "-q", kind: "switch", about: "nothing on stderr but errors" },
  verbosity: {
    name: "--verbose",
    short: "-v",
    kind: "count",
    about: "metadata; twice: what hooks print on stderr",
  },
  color: {
    name: "--color",
    kind: "choice",
    placeholder: "WHEN",
    choices: ["auto", "always", "never"],
    about: "auto, always or never",
  },
} as const satisfies OptionRows;

const DRY_RUN = { name: "--dry-run", kind: "switch", about: "show what would be done, and do nothing" } as const;
const STRICT = {
  name: "--strict",
  kind: "switch",
  about: "exit 1 when a hook would not start, and say why; `run` needs --dry-run with it",
} as const;
const ONLY_EVENT = { name: "--event", kind: "event", placeholder: "EVENT", about: "only this event" } as const;
const SESSION = {
  name: "--session",
  kind: "text",
  placeholder: "ID",
  about: "session id (default: $HOOKCTL_SESSION)",
} as const;
const FAIL_CLOSED = { name: "--fail-closed", kind: "switch", about: "block when hookctl itself fails" } as const;
const FAIL_OPEN = {
  name: "--fail-open",
  kind: "switch",
  about: "allow when hookctl itself fails, even where a hook is fail-closed",
} as const;
const SCOPE = {
  name: "--scope",
  kind: "choice",
  placeholder: "SCOPE",
  choices: ["project", "user", "local"],
  about: "project, user or local",
} as const;

/** Every command. The parser, the types of the options, help, suggestions and the docs come from this table. */
export const COMMANDS = {
  list: {
    arguments: "",
    about: "every hook in run order, by event",
    example: "hookctl list --all",
    options: {
      isAll: { name: "--all", kind: "switch", about: "also what was skipped, and why" },
      isStrict: STRICT,
      event: ONLY_EVENT,
      source: {
        name: "--source",
        kind: "choice",
        placeholder: "SOURCE",
        choices: SOURCES,
        about: "project, user, config and others",
      },
    },
  },
  run: {
    arguments: "<event>",
    about: "payload on stdin, the chain, the result on stdout",
    example: "hookctl run before_tool_call < payload.json",
    options: {
      dryRun: DRY_RUN,
      isStrict: STRICT,
      payloadFile: { name: "--payload", kind: "text", placeholder: "FILE", about: "read the payload from a file" },
      stdinTimeoutMs: {
        name: "--stdin-timeout",
        kind: "duration",
        placeholder: "DURATION",
        about: "wait this long for a first byte",
      },
      as: {
        name: "--as",
        kind: "choice",
        placeholder: "DIALECT",
        choices: DIALECT_NAMES,
        about: "print the result as kodelet, basecoat, reyn, agenthook or claude",
      },
      ask: { name: "--ask", kind: "switch", about: "prompt before running hooks that are not approved" },
    },
  },
  test: {
    arguments: "[names...]",
    about: "contract checks for hooks; a path counts as approval",
    example: "hookctl test ./.kodelet/hooks",
    options: {},
  },
  try: {
    arguments: "<name> [values...]",
    about: "a sample payload with these values, one hook, explained",
    example: 'hookctl try deny-dangerous tool_input.command="rm -rf build"',
    options: {},
  },
  trust: {
    arguments: "[names...]",
    about: "review and approve the project's hooks",
    example: "hookctl trust --show deny-dangerous",
    options: {
      yes: { name: "--yes", kind: "switch", about: "approve everything that waits for approval" },
      list: { name: "--list", kind: "switch", about: "what is approved or denied" },
      show: { name: "--show", kind: "switch", about: "what would be approved, or has changed; approves nothing" },
      digest: { name: "--digest", kind: "switch", about: "one hash of all project hooks, for HOOKCTL_TRUST" },
      prune: { name: "--prune", kind: "switch", about: "forget approved and own hooks that are gone" },
    },
  },
  untrust: {
    arguments: "[names...]",
    about: "forget approvals, or deny for good",
    example: "hookctl untrust --deny upload-logs",
    options: { deny: { name: "--deny", kind: "switch", about: "never run it, whatever else approves it" } },
  },
  edit: {
    arguments: "<name>",
    about: "open a hook in $EDITOR, then approve the change and check it",
    example: "hookctl edit deny-dangerous",
    options: {},
  },
  init: {
    arguments: "",
    about: "two hooks, their test cases and a settings file to start with",
    example: "hookctl init",
    options: {},
  },
  new: {
    arguments: "<name>",
    about: "a hook to start from, in bash, python, node or typescript",
    example: "hookctl new guard --event before_tool_call --lang python",
    options: {
      event: { name: "--event", kind: "event", placeholder: "EVENT", about: "the event that it answers" },
      language: {
        name: "--lang",
        kind: "choice",
        placeholder: "LANG",
        choices: ["bash", "python", "node", "typescript"],
        about: "bash, python, node or typescript",
      },
    },
  },
  payload: {
    arguments: "<event>",
    about: "a valid sample payload",
    example: 'hookctl payload before_tool_call --set tool_input.command="ls -la"',
    options: {
      set: {
        name: "--set",
        kind: "list",
        placeholder: "PATH=VALUE",
        about: "a value in the sample; JSON if it parses",
      },
    },
  },
  schema: {
    arguments: "[subject]",
    about: "JSON Schema of an event, of config or of a test case",
    example: "hookctl schema before_tool_call",
    options: {},
  },
  state: {
    arguments: "<action> [key] [value]",
    about: "get, set, incr or unset a value of a session",
    example: "hookctl state incr tool_calls --session 7f3a",
    options: { session: SESSION },
  },
  inbox: {
    arguments: "[action]",
    about: "messages that hooks left for a session; drain takes them out when one of them wakes",
    example: "hookctl inbox drain --session 7f3a",
    options: {
      isAll: { name: "--all", kind: "switch", about: "drain messages also where none of them wakes" },
      session: SESSION,
    },
  },
  bridge: {
    arguments: "[agent]",
    about: "an agent's own payload in, its own answer out",
    example: "hookctl bridge claude --event PreToolUse < payload.json",
    options: {
      nativeEvent: {
        name: "--event",
        kind: "text",
        placeholder: "EVENT",
        about: "the agent's name of the event; by default the payload's",
      },
      failClosed: FAIL_CLOSED,
      failOpen: FAIL_OPEN,
    },
  },
  install: {
    arguments: "[agent]",
    about: "register the bridge in an agent's settings",
    example: "hookctl install claude --dry-run",
    options: {
      dryRun: DRY_RUN,
      failClosed: FAIL_CLOSED,
      failOpen: FAIL_OPEN,
      scope: SCOPE,
      events: {
        name: "--events",
        kind: "list",
        placeholder: "EVENTS",
        about: "these events of the agent, with commas, or all; default: those that hooks handle",
      },
    },
  },
  uninstall: {
    arguments: "[agent]",
    about: "take the bridge out again, byte for byte",
    example: "hookctl uninstall claude",
    options: { dryRun: DRY_RUN, scope: SCOPE },
  },
  adopt: {
    arguments: "[agent]",
    about: "take over the hooks that an agent has already",
    example: "hookctl adopt claude --dry-run",
    options: {
      dryRun: DRY_RUN,
      scope: SCOPE,
      undo: { name: "--undo", kind: "switch", about: "give back what was taken over, byte for byte" },
    },
  },
  doctor: {
    arguments: "[agent]",
    about: "check that hooks can block",
    example: "hookctl doctor",
    options: {},
  },
  log: {
    arguments: "",
    about: "what happened: the latest runs, newest last",
    example: "hookctl log --event turn_end --last 5",
    options: {
      event: ONLY_EVENT,
      session: SESSION,
      last: { name: "--last", kind: "text", placeholder: "N", about: "show the last N runs (default 20)" },
    },
  },
  why: {
    arguments: "[run]",
    about: "why one run ended as it did; by default the last",
    example: "hookctl why",
    options: {},
  },
} as const satisfies Readonly<Record<string, CommandRow>>;

export type CommandName = keyof typeof COMMANDS;
export const COMMAND_NAMES = Object.keys(COMMANDS) as readonly CommandName[];
export const isCommandName = (word: string): word is CommandName => Object.hasOwn(COMMANDS, word);

export type CommonOptions = ValuesOf<typeof COMMON_OPTIONS>;
/** The options of one command, the common ones included. */
export type OptionsOf<Name extends CommandName> = CommonOptions & ValuesOf<(typeof COMMANDS)[Name]["options"]>;

/** A parsed command line; a command that takes several kinds names them all. */
export interface CommandLine<Name extends CommandName = CommandName> {
  readonly command: Name;
  readonly args: readonly string[];
  readonly options: OptionsOf<Name>;
}

export const optionRowsOf = (command: CommandName): OptionRows => ({ ...COMMON_OPTIONS, ...COMMANDS[command].options });

/** Every option once, with the commands that know it; null: all of them. */
export function allOptions(): readonly { readonly row: OptionRow; readonly commands: readonly CommandName[] | null }[] {
  const own = new Map<OptionRow, CommandName[]>();
  for (const command of COMMAND_NAMES)
    for (const row of Object.values<OptionRow>(COMMANDS[command].options))
      own.set(row, [...(own.get(row) ?? []), command]);
  const common = Object.values(COMMON_OPTIONS).map((row) => ({ row, commands: null }));
  return [...common, ...[...own].map(([row, commands]) => ({ row, commands }))];
}
