/** One flag of the command line. Both parsers are built from these rows, so they cannot drift apart. */
export interface OptionRow {
  readonly name: `--${string}`;
  readonly short?: `-${string}`;
  /** `switch`: no value; `count`: may be repeated to say more; `value`: the last one counts; `list`: each one counts. */
  readonly kind: "switch" | "count" | "value" | "list";
  readonly placeholder?: string;
  readonly about: string;
  /** Verbs that know it; absent: every verb, before or after it. */
  readonly commands?: readonly CommandName[];
}

export const COMMAND_NAMES = [
  "list",
  "run",
  "test",
  "try",
  "trust",
  "untrust",
  "edit",
  "init",
  "new",
  "payload",
  "schema",
  "state",
  "inbox",
  "bridge",
  "install",
  "uninstall",
  "adopt",
  "doctor",
  "log",
  "why",
] as const;
export type CommandName = (typeof COMMAND_NAMES)[number];

export const OPTION_TABLE: readonly OptionRow[] = [
  { name: "--no-hooks", kind: "switch", about: "start nothing; the answer is “no action” (also HOOKCTL_NO_HOOKS=1)" },
  { name: "--directory", short: "-C", kind: "value", placeholder: "DIR", about: "look for the project from here" },
  {
    name: "--hooks-dir",
    kind: "list",
    placeholder: "DIR",
    about: "look for hooks here instead of the default folders",
  },
  { name: "--config", kind: "value", placeholder: "FILE", about: "settings file in place of the user's own" },
  { name: "--hook", kind: "value", placeholder: "GLOB", about: "only hooks whose name fits" },
  { name: "--skip", kind: "list", placeholder: "NAME", about: "leave this hook out" },
  { name: "--timeout", kind: "value", placeholder: "DURATION", about: "limit of each hook: 500ms, 5s, 2m" },
  { name: "--deadline", kind: "value", placeholder: "DURATION", about: "limit of the whole chain" },
  { name: "--trust", kind: "switch", about: "approve the project's hooks for this call only" },
  { name: "--no-cache", kind: "switch", about: "ask every hook again for its event" },
  { name: "--json", kind: "switch", about: "the full record on stdout" },
  { name: "--quiet", short: "-q", kind: "switch", about: "nothing on stderr but errors" },
  { name: "--verbose", short: "-v", kind: "count", about: "metadata; twice: what hooks print on stderr" },
  { name: "--color", kind: "value", placeholder: "WHEN", about: "auto, always or never" },
  {
    name: "--dry-run",
    kind: "switch",
    about: "show what would be done, and do nothing",
    commands: ["run", "install", "uninstall", "adopt"],
  },
  {
    name: "--strict",
    kind: "switch",
    about: "exit 1 when a hook would not start, and say why; `run` needs --dry-run with it",
    commands: ["run", "list"],
  },
  { name: "--payload", kind: "value", placeholder: "FILE", about: "read the payload from a file", commands: ["run"] },
  {
    name: "--stdin-timeout",
    kind: "value",
    placeholder: "DURATION",
    about: "wait this long for a first byte",
    commands: ["run"],
  },
  {
    name: "--as",
    kind: "value",
    placeholder: "DIALECT",
    about: "print the result as kodelet, basecoat, reyn, agenthook or claude",
    commands: ["run"],
  },
  { name: "--ask", kind: "switch", about: "ask on the terminal what nobody has approved", commands: ["run"] },
  { name: "--all", kind: "switch", about: "also what was skipped, and why", commands: ["list"] },
  { name: "--all", kind: "switch", about: "drain messages also where none of them wakes", commands: ["inbox"] },
  {
    name: "--event",
    kind: "value",
    placeholder: "EVENT",
    about: "only this event",
    commands: ["list", "log"],
  },
  { name: "--event", kind: "value", placeholder: "EVENT", about: "the event that it answers", commands: ["new"] },
  {
    name: "--event",
    kind: "value",
    placeholder: "EVENT",
    about: "the agent's name of the event; by default the payload's",
    commands: ["bridge"],
  },
  {
    name: "--source",
    kind: "value",
    placeholder: "SOURCE",
    about: "project, user, config and others",
    commands: ["list"],
  },
  {
    name: "--set",
    kind: "list",
    placeholder: "PATH=VALUE",
    about: "a value in the sample; JSON if it parses",
    commands: ["payload"],
  },
  { name: "--yes", kind: "switch", about: "approve everything that waits for approval", commands: ["trust"] },
  { name: "--list", kind: "switch", about: "what is approved or denied", commands: ["trust"] },
  {
    name: "--show",
    kind: "switch",
    about: "what would be approved, or has changed; approves nothing",
    commands: ["trust"],
  },
  { name: "--digest", kind: "switch", about: "one hash of all project hooks, for HOOKCTL_TRUST", commands: ["trust"] },
  { name: "--prune", kind: "switch", about: "forget approved and own hooks that are gone", commands: ["trust"] },
  { name: "--deny", kind: "switch", about: "never run it, whatever else approves it", commands: ["untrust"] },
  {
    name: "--session",
    kind: "value",
    placeholder: "ID",
    about: "which session; inside a hook its own",
    commands: ["state", "inbox", "log"],
  },
  { name: "--fail-closed", kind: "switch", about: "block when hookctl cannot answer", commands: ["bridge", "install"] },
  {
    name: "--fail-open",
    kind: "switch",
    about: "allow when hookctl cannot answer, even where a hook is fail-closed",
    commands: ["bridge", "install"],
  },
  {
    name: "--scope",
    kind: "value",
    placeholder: "SCOPE",
    about: "project, user or local",
    commands: ["install", "uninstall", "adopt"],
  },
  { name: "--undo", kind: "switch", about: "give back what was taken over, byte for byte", commands: ["adopt"] },
  {
    name: "--events",
    kind: "list",
    placeholder: "EVENTS",
    about: "these events of the agent, with commas, or all; default: those that hooks handle",
    commands: ["install"],
  },
  { name: "--last", kind: "value", placeholder: "N", about: "so many runs; default 20", commands: ["log"] },
  { name: "--lang", kind: "value", placeholder: "LANG", about: "bash, python, node or typescript", commands: ["new"] },
];

/** A command line taken apart but not yet understood. */
export interface CommandLine {
  readonly command: CommandName;
  readonly args: readonly string[];
  /** Flag name -> true, how often, the value, or all values. */
  readonly options: Readonly<Record<string, OptionValue>>;
}
export type OptionValue = true | number | string | readonly string[];

export const optionsOf = (verb: CommandName): readonly OptionRow[] =>
  OPTION_TABLE.filter((row) => row.commands === undefined || row.commands.includes(verb));
