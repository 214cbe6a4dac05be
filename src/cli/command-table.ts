import { AGENT_NAMES } from "../protocol/agent-names.ts";
import { TEST_REPORTER_NAMES } from "../protocol/reporter-names.ts";
import {
  AGENT_COMMANDS,
  COMMON_OPTIONS,
  type CommandRow,
  DRY_RUN,
  FAIL_CLOSED,
  FAIL_OPEN,
  ONLY_EVENT,
  STRICT,
} from "./agent-commands.ts";
import type { OptionRow, OptionRows, ValuesOf } from "./options.ts";

const SESSION = {
  name: "--session",
  kind: "text",
  placeholder: "ID",
  values: ["session"],
  about: "session id (default: $HOOKCTL_SESSION)",
} as const;
const ONLY_SESSION = {
  name: "--session",
  kind: "text",
  placeholder: "ID",
  values: ["session"],
  about: "only this session",
} as const;
/** Which runs of the audit log. */
const LOGGED = {
  since: {
    name: "--since",
    kind: "time",
    placeholder: "TIME",
    about: "from this time on: 30m, 2d, today, 2026-11-20, 14:03",
  },
  project: {
    name: "--project",
    kind: "text",
    placeholder: "DIR",
    values: ["folder"],
    about: "only the project of this folder",
  },
} as const satisfies OptionRows;
const UNTIL = { name: "--until", kind: "time", placeholder: "TIME", about: "up to this time" } as const;
const GUARD_SCOPE = {
  name: "--scope",
  kind: "choice",
  placeholder: "SCOPE",
  choices: ["user", "project"],
  about: "user (default): your settings, or project",
} as const;
const SCOPE = {
  name: "--scope",
  kind: "choice",
  placeholder: "SCOPE",
  choices: ["project", "user", "local"],
  about: "project, user or local",
} as const;
const INSTALL_SCOPE = {
  ...SCOPE,
  choices: ["project", "user", "local", "machine"],
  about: "project, user, local, or machine: for everybody, as root",
} as const;
const PACK_SCOPE = {
  name: "--scope",
  kind: "choice",
  placeholder: "SCOPE",
  choices: ["project", "user"],
  about: "project (default): its packs, or user: your own",
} as const;
const PACK_YES = { name: "--yes", kind: "switch", about: "approve the fetched hooks without a prompt" } as const;
const PACK_FORCE = { name: "--force", kind: "switch", about: "discard local changes of the pack" } as const;

const REPORTS = {
  reporter: {
    name: "--reporter",
    kind: "choice",
    placeholder: "NAME",
    choices: TEST_REPORTER_NAMES,
    about: `format of the report on stdout: ${TEST_REPORTER_NAMES.join(", ")}`,
  },
  outputs: {
    name: "--output",
    kind: "list",
    placeholder: "NAME=FILE",
    values: ["report"],
    about: "also write the report to a file, in this format; repeatable",
  },
} as const satisfies OptionRows;

/** How hooks are tested, and how that is reported. */
const TEST_RUN = {
  ...REPORTS,
  jobs: {
    name: "--jobs",
    short: "-j",
    kind: "number",
    placeholder: "N",
    most: 256,
    about: "number of hooks and cases tested at the same time (default: one per processor)",
  },
  onlyNamed: {
    name: "--only",
    kind: "text",
    placeholder: "GLOB",
    values: ["hook"],
    about: "only test cases, or hooks, whose name matches",
  },
  isUpdating: {
    name: "--update",
    kind: "switch",
    about: "write the snapshots of test cases that expect nothing else",
  },
  isCovered: {
    name: "--coverage",
    kind: "switch",
    about: "show which lines of a hook, or rules of a guard, no test case reached",
  },
  isBailing: { name: "--bail", kind: "switch", about: "start nothing after the first failure" },
  shard: {
    name: "--shard",
    kind: "text",
    placeholder: "I/N",
    about: "test only part I of N, for several machines",
  },
  isMutating: {
    name: "--mutate",
    kind: "switch",
    about: "respell the commands of test cases in up to 200 ways, and list those that change the decision",
  },
  failUnder: {
    name: "--fail-under",
    kind: "number",
    placeholder: "PERCENT",
    most: 100,
    about: "with --mutate: exit 1 if fewer respellings keep the decision",
  },
} as const satisfies OptionRows;

/**
 * Every command, in the order of the help. One table above 300 lines, because the parser, the types of the options, help,
 * completion and the docs all come from it.
 */
export const COMMANDS = {
  list: AGENT_COMMANDS.list,
  run: AGENT_COMMANDS.run,
  test: {
    arguments: "[names...]",
    values: [["hook"]],
    about: "check that hooks follow the protocol, and run their test cases; a path counts as approval",
    example: "hookctl test ./.kodelet/hooks",
    options: {
      ...TEST_RUN,
      isStrict: { ...STRICT, about: "exit 77 if HOOKCTL_TRUST approves nothing" },
      isWatching: { name: "--watch", kind: "switch", about: "test again what a saved file affects, until Ctrl-C" },
    },
  },
  check: {
    arguments: "[dir]",
    values: [["folder"]],
    about: "run all checks of a project, for CI; a folder starts its hooks, approved or not, and approves none of them",
    example: "hookctl check . --reporter github",
    options: TEST_RUN,
  },
  try: {
    arguments: "<name> [values...]",
    values: [["hook"]],
    about: "run one hook with a sample payload and explain the result",
    example: "hookctl try guard tool_input=forbidden",
    options: {},
  },
  trust: {
    arguments: "[names...]",
    values: [["hook"]],
    about: "review and approve project hooks",
    example: "hookctl trust --show guard",
    options: {
      yes: { name: "--yes", kind: "switch", about: "approve all hooks that are not approved" },
      list: { name: "--list", kind: "switch", about: "list approved and denied hooks" },
      show: { name: "--show", kind: "switch", about: "show what is not approved or has changed; approve nothing" },
      digest: { name: "--digest", kind: "switch", about: "print one hash of all project hooks, for HOOKCTL_TRUST" },
      prune: { name: "--prune", kind: "switch", about: "remove approvals of hooks that no longer exist" },
    },
  },
  untrust: {
    arguments: "[names...]",
    values: [["hook"]],
    about: "remove approvals (without names: all in this project), or deny hooks permanently",
    example: "hookctl untrust --deny upload-logs",
    options: { deny: { name: "--deny", kind: "switch", about: "never run it, even if it is approved elsewhere" } },
  },
  edit: {
    arguments: "<name>",
    values: [["hook"]],
    about: "edit a hook and its test cases in $EDITOR, approve the change and test it",
    example: "hookctl edit guard",
    options: {},
  },
  add: {
    arguments: "[source]",
    values: [["folder"]],
    about: "add hooks of others, pinned in .kodelet/hooks.lock; without a source restore those in it",
    example: "hookctl add owner/repo@v1.2.0",
    options: {
      yes: PACK_YES,
      scope: PACK_SCOPE,
      name: { name: "--name", kind: "text", placeholder: "NAME", about: "name of the pack (default: from its source)" },
      force: PACK_FORCE,
    },
  },
  update: {
    arguments: "[packs...]",
    values: [["pack"]],
    about: "fetch added hooks again, show what changed and approve it",
    example: "hookctl update owner/repo",
    options: { yes: PACK_YES, scope: PACK_SCOPE, force: PACK_FORCE },
  },
  remove: {
    arguments: "<pack>",
    values: [["pack"]],
    about: "remove added hooks, with their approvals",
    example: "hookctl remove owner/repo",
    options: { scope: PACK_SCOPE, force: PACK_FORCE },
  },
  guards: {
    arguments: "",
    about: "list the built-in guards, and which are on",
    example: "hookctl guards",
    options: {},
  },
  enable: {
    arguments: "<names...>",
    values: [["guard", "hook"]],
    about: "turn built-in guards or your hooks on",
    example: "hookctl enable filesystem git secrets",
    options: { scope: GUARD_SCOPE },
  },
  disable: {
    arguments: "<names...>",
    values: [["guard", "hook"]],
    about: "turn built-in guards or hooks off for good",
    example: "hookctl disable cloud",
    options: { scope: GUARD_SCOPE },
  },
  off: {
    arguments: "[names...]",
    values: [["guard", "hook"]],
    about: "switch hooks or guards off for a while; without names list what is off",
    example: "hookctl off git --for 10m",
    options: {
      forMs: { name: "--for", kind: "duration", placeholder: "DURATION", about: "how long: 10m, 2h, at most 24h" },
      isEverywhere: { name: "--everywhere", kind: "switch", about: "in every project, not only in this one" },
    },
  },
  on: {
    arguments: "<names...>",
    values: [["guard", "hook"]],
    about: "switch hooks or guards on again before the time of `off` ends",
    example: "hookctl on git",
    options: {},
  },
  explain: {
    arguments: "<command...>",
    about: "show what a shell command starts, and what each guard says of it; nothing is run",
    example: "hookctl explain 'cd /tmp && rm -rf \"$HOME\"'",
    options: {},
  },
  init: {
    arguments: "",
    about: "set hookctl up: turn guards on, and connect the agents that you use",
    example: "hookctl init --agents claude,codex --guards git,secrets",
    options: {
      agents: {
        name: "--agents",
        kind: "list",
        placeholder: "AGENTS",
        values: ["agent", ["none"]],
        isCommaSeparated: true,
        about: "comma-separated agents to connect, or none (default: those that are found)",
      },
      guards: {
        name: "--guards",
        kind: "list",
        placeholder: "GUARDS",
        values: ["guard", ["none"]],
        isCommaSeparated: true,
        about: "comma-separated guards to turn on, or none (default: filesystem,git,secrets,self-protection)",
      },
      yes: { name: "--yes", kind: "switch", about: "take the defaults, without a prompt" },
      dryRun: DRY_RUN,
    },
  },
  new: {
    arguments: "<name>",
    about: "create a hook from a template, in bash, python, node or typescript",
    example: "hookctl new guard --event before_tool_call --lang python",
    options: {
      event: { name: "--event", kind: "event", placeholder: "EVENT", about: "the event that the hook handles" },
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
    arguments: "<event> [values...]",
    values: [["event"], ["field"]],
    about: "print a sample payload, or what an agent sends",
    example: 'hookctl payload before_tool_call tool_input.command="ls -la"',
    options: {
      set: {
        name: "--set",
        kind: "list",
        placeholder: "PATH=VALUE",
        values: ["field"],
        about: "the same as the argument PATH=VALUE",
      },
    },
  },
  schema: {
    arguments: "[subject]",
    values: [[["config", "case", "lock"], "event"]],
    about: "print the JSON Schema of an event, the settings, a test case or the lock file",
    example: "hookctl schema before_tool_call",
    options: {},
  },
  state: {
    arguments: "<action> [key] [value]",
    values: [[["get", "set", "incr", "unset"]]],
    about: "read or change the values of a session",
    example: "hookctl state incr tool_calls --session 7f3a",
    options: { session: SESSION },
  },
  inbox: {
    arguments: "[action]",
    values: [[["show", "drain"]]],
    about: "show messages that hooks sent to a session; drain removes them when one of them wakes the agent",
    example: "hookctl inbox drain --session 7f3a",
    options: {
      isAll: { name: "--all", kind: "switch", about: "drain messages even if none of them wakes the agent" },
      session: SESSION,
    },
  },
  bridge: AGENT_COMMANDS.bridge,
  serve: {
    arguments: "",
    about:
      "answer requests of other programs: JSON-RPC on stdin and stdout or on a socket, and Claude Code's over HTTP",
    example: "hookctl serve --socket ~/.hookctl/serve.sock",
    options: {
      socket: { name: "--socket", kind: "text", placeholder: "PATH", about: "listen on this socket, for you alone" },
      port: {
        name: "--http",
        kind: "number",
        placeholder: "PORT",
        most: 65_535,
        about: "answer Claude Code's http hooks on this port of the loopback",
      },
      tokenFile: {
        name: "--token-file",
        kind: "text",
        placeholder: "FILE",
        about: "file with the token for --http, made if it is missing (default: $XDG_RUNTIME_DIR/hookctl-token)",
      },
      mostChains: {
        name: "--max-concurrent",
        kind: "number",
        placeholder: "N",
        most: 1000,
        about: "run at most N chains of hooks at a time (default: 16)",
      },
      variables: {
        name: "--env",
        kind: "list",
        placeholder: "NAME",
        about: "a variable that requests may set, too; repeatable",
      },
    },
  },
  install: {
    arguments: "[agent]",
    values: [["agent"]],
    about: "register hookctl in an agent's settings",
    example: "hookctl install claude --dry-run",
    options: {
      dryRun: DRY_RUN,
      isPrinted: { name: "--print", kind: "switch", about: "print the settings that it would write to a new file" },
      failClosed: FAIL_CLOSED,
      failOpen: FAIL_OPEN,
      httpPort: {
        name: "--http",
        kind: "number",
        placeholder: "PORT",
        most: 65_535,
        about: "ask `hookctl serve --http PORT` at events that cannot block; with --fail-open, at all events",
      },
      scope: INSTALL_SCOPE,
      events: {
        name: "--events",
        kind: "list",
        placeholder: "EVENTS",
        values: ["agent event", ["all"]],
        isCommaSeparated: true,
        about: "comma-separated events of the agent, or all (default: events that hooks handle)",
      },
    },
  },
  uninstall: {
    arguments: "[agent]",
    values: [["agent"]],
    about: "remove hookctl from an agent's settings, byte for byte",
    example: "hookctl uninstall claude",
    options: { dryRun: DRY_RUN, scope: INSTALL_SCOPE },
  },
  adopt: {
    arguments: "[agent]",
    values: [["adoptable agent"]],
    about: "migrate an agent's existing hooks to hookctl",
    example: "hookctl adopt claude --dry-run",
    options: {
      dryRun: DRY_RUN,
      scope: SCOPE,
      undo: { name: "--undo", kind: "switch", about: "restore the original settings, byte for byte" },
    },
  },
  seal: {
    arguments: "",
    about: "accept the agents' settings as they are; later calls report what they lost",
    example: "hookctl seal",
    options: {},
  },
  restore: {
    arguments: "",
    about: "put back what agents' settings lost since they were sealed",
    example: "hookctl restore",
    options: {},
  },
  doctor: {
    arguments: "[agent]",
    values: [["agent"]],
    about: "check that hooks can block",
    example: "hookctl doctor",
    options: {},
  },
  log: {
    arguments: "",
    about: "show recent runs, newest last",
    example: "hookctl log --since 2d --decision block",
    options: {
      isFollowing: { name: "--follow", short: "-f", kind: "switch", about: "also show new runs, until Ctrl-C" },
      ...LOGGED,
      until: UNTIL,
      event: ONLY_EVENT,
      decision: {
        name: "--decision",
        kind: "choice",
        placeholder: "DECISION",
        choices: ["allow", "block", "ask", "halt"],
        about: "only this decision: allow, block, ask or halt",
      },
      session: ONLY_SESSION,
      grep: {
        name: "--grep",
        kind: "text",
        placeholder: "TEXT",
        about: "only runs that contain TEXT, or match /TEXT/",
      },
      last: {
        name: "--last",
        short: "-n",
        kind: "number",
        placeholder: "N",
        most: 10_000,
        about: "the last N runs (default: 20, or all since a time)",
      },
      caseOf: {
        name: "--case",
        kind: "text",
        placeholder: "RUN",
        values: ["run"],
        about: "print a test case from the recorded payload of this run",
      },
      isPurge: { name: "--purge", kind: "switch", about: "remove old runs from the logs, after a prompt" },
      before: { name: "--before", kind: "time", placeholder: "TIME", about: "with --purge: runs before this time" },
      isAll: { name: "--all", kind: "switch", about: "with --purge: all runs" },
      isPayloads: { name: "--payloads", kind: "switch", about: "with --purge: only the recorded payloads" },
      yes: { name: "--yes", kind: "switch", about: "with --purge: without the prompt" },
    },
  },
  report: {
    arguments: "",
    about: "write a page about the recorded runs: decisions, latency, blocks, failing hooks",
    example: "hookctl report --since 7d --output report.html",
    options: {
      output: {
        name: "--output",
        kind: "text",
        placeholder: "FILE",
        values: ["file"],
        about: "write the page to this file (-: stdout)",
      },
      ...LOGGED,
      until: UNTIL,
    },
  },
  why: {
    arguments: "[run]",
    values: [["run"]],
    about: "explain one run (default: the last)",
    example: "hookctl why",
    options: { session: { ...ONLY_SESSION, about: "the last run of this session" } },
  },
  export: {
    arguments: "",
    about: "send recorded runs to an OpenTelemetry collector; runs that it does not accept stay in the audit log",
    example: "OTEL_EXPORTER_OTLP_ENDPOINT=http://localhost:4318 hookctl export",
    options: {
      isFollowing: {
        name: "--follow",
        kind: "switch",
        about: "also send runs that are recorded later, until it is stopped",
      },
      output: {
        name: "--output",
        kind: "text",
        placeholder: "DIR",
        values: ["folder"],
        about: "write the whole log to traces.jsonl, metrics.jsonl and logs.jsonl there, and send nothing",
      },
    },
  },
  stats: {
    arguments: "",
    about: "show how often each hook ran, blocked and failed, and how long it took",
    example: "hookctl stats --since 7d",
    options: LOGGED,
  },
  status: AGENT_COMMANDS.status,
  replay: {
    arguments: "[runs...]",
    values: [["run"]],
    about: "run today's hooks on recorded payloads, and show which decisions changed",
    example: "hookctl replay --since 2d",
    options: { ...LOGGED, until: UNTIL },
  },
  backtest: {
    arguments: "[files...]",
    values: [["file"]],
    about: "run today's hooks on calls that agents have recorded, and show what they would decide",
    example: "hookctl backtest --agent claude --since 30d",
    options: {
      agent: {
        name: "--agent",
        kind: "choice",
        placeholder: "AGENT",
        choices: AGENT_NAMES,
        about: `only sessions of this agent: ${AGENT_NAMES.join(", ")}`,
      },
      ...LOGGED,
      until: UNTIL,
      exportFile: {
        name: "--export",
        kind: "text",
        placeholder: "FILE",
        values: ["file"],
        about: "also write the calls, without secrets, to a file for backtest in CI",
      },
      failOnChange: {
        name: "--fail-on-change",
        kind: "text",
        placeholder: "BASE",
        values: ["folder"],
        about: "compare with the hooks of a git revision or folder; exit 1 if a decision differs",
      },
    },
  },
  completion: {
    arguments: "<shell> [words...]",
    values: [[["bash", "zsh", "fish"]], []],
    about: "print a script that completes hookctl commands in bash, zsh or fish",
    example: "source <(hookctl completion bash)",
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

/** Every option once, with the commands that know it; null: all of them. */
export function allOptions(): readonly { readonly row: OptionRow; readonly commands: readonly CommandName[] | null }[] {
  const own = new Map<OptionRow, CommandName[]>();
  for (const command of COMMAND_NAMES)
    for (const row of Object.values<OptionRow>(COMMANDS[command].options))
      own.set(row, [...(own.get(row) ?? []), command]);
  const common = Object.values(COMMON_OPTIONS).map((row) => ({ row, commands: null }));
  return [...common, ...[...own].map(([row, commands]) => ({ row, commands }))];
}
