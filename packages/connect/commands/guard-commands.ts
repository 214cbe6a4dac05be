import { type CommandRows, defineCommands } from "../../../src/cli/command-table.ts";
import { DRY_RUN } from "../../../src/cli/common-options.ts";
import type { OptionRows } from "../../../src/cli/options.ts";

const YES = { name: "--yes", kind: "switch", about: "do not prompt" } as const;
const GUARD_SCOPE = {
  name: "--scope",
  kind: "choice",
  placeholder: "SCOPE",
  choices: ["user", "project"],
  about: "in these settings: user (default) or project",
} as const;

/** In which settings a rule is. */
const RULE_PLACES = {
  isGlobal: { name: "--global", kind: "switch", about: "in your settings, for every project" },
  isHere: { name: "--here", kind: "switch", about: "in your settings, for this project only" },
  isProject: { name: "--project", kind: "switch", about: "in the project's settings, which others share" },
} as const satisfies OptionRows;

const RULE_OPTIONS = {
  ...RULE_PLACES,
  reason: { name: "--reason", kind: "text", placeholder: "TEXT", about: "the reason that the agent reads" },
  unless: { name: "--unless", kind: "list", placeholder: "RULE", about: "an exception; may be repeated" },
  forMs: { name: "--for", kind: "duration", placeholder: "DURATION", about: "for this long: 10m, 2h" },
  until: { name: "--until", kind: "time", placeholder: "TIME", about: "until this time: 2026-12-01, 18:00" },
  isOnce: { name: "--once", kind: "switch", about: "for one call only" },
  isCommand: { name: "--command", kind: "switch", about: "RULE is a command" },
  isFile: { name: "--file", kind: "switch", about: "RULE is the path or glob of files" },
  isHost: { name: "--host", kind: "switch", about: "RULE is a host: *.example.org" },
} as const satisfies OptionRows;

const RULE_NOTE = `RULE is a command ('npm publish *'; \` *\` at its end: any further words), files ('infra/**', '~/.aws/*') or a host ('*.example.org', https://example.org).
block and ask apply everywhere, allow only in this project, unless an option says otherwise.`;

const ROWS = {
  guards: {
    arguments: "[names...]",
    values: [["guard"]],
    about: "list the built-in guards, or a guard's rules",
    isPaged: true,
    note: "With -v it shows the commands of each rule, and all examples.",
    options: {},
  },
  enable: {
    arguments: "<names...>",
    values: [["guard", "hook"]],
    about: "turn built-in guards or your hooks on",
    newForm: "on NAMES",
    options: { scope: GUARD_SCOPE },
  },
  disable: {
    arguments: "<names...>",
    values: [["guard", "hook"]],
    about: "turn built-in guards or hooks off for good",
    newForm: "off NAMES --for good",
    options: { scope: GUARD_SCOPE },
  },
  off: {
    arguments: "[names...]",
    values: [["guard", "hook"]],
    about: "pause guards, rules or hooks, or switch them off for good",
    note: `Without names it lists what is off. Without --for it asks on the terminal how long a guard or hook is off, and switches a rule (\`git/discard-changes\`) or the cage off for good.
A pause (--for 10m) applies only to this project, and so does a rule that is off; with --everywhere they apply to all. --for good applies to all projects, with --here only to this one.`,
    options: {
      forMs: {
        name: "--for",
        kind: "duration",
        placeholder: "DURATION",
        endless: "good",
        about: "how long: 10m, 2h (at most 24h), or good: until you switch it on again",
      },
      isHere: { name: "--here", kind: "switch", about: "only in this project" },
      isEverywhere: { name: "--everywhere", kind: "switch", about: "in every project, not only in this one" },
      scope: { ...GUARD_SCOPE, about: "with --for good: in these settings, user (default) or project" },
      yes: YES,
      dryRun: DRY_RUN,
    },
  },
  on: {
    arguments: "<names...>",
    values: [["guard", "hook"]],
    about: "switch guards, rules or hooks on",
    note: "It reverts `off`, and turns on guards that the settings do not name. The name `cage` stands for the cage for shell calls.",
    options: {
      isHere: { name: "--here", kind: "switch", about: "only in this project" },
      isEverywhere: { name: "--everywhere", kind: "switch", about: "also end pauses in other projects" },
      scope: GUARD_SCOPE,
      dryRun: DRY_RUN,
    },
  },
  block: {
    arguments: "<rule...>",
    about: "block a command, files or a host",
    note: RULE_NOTE,
    takesShellCommand: true,
    options: RULE_OPTIONS,
  },
  ask: {
    arguments: "<rule...>",
    about: "require confirmation of a command, files or a host",
    note: RULE_NOTE,
    takesShellCommand: true,
    options: RULE_OPTIONS,
  },
  allow: {
    arguments: "<rule...>",
    values: [["run"]],
    about: "allow a command, files, a host, or a call that was stopped",
    note: `${RULE_NOTE}\nA run id, or \`last\`: the narrowest rule that would have let that call pass.`,
    takesShellCommand: true,
    options: RULE_OPTIONS,
  },
  rules: {
    arguments: "[remove] [rule]",
    about: "list the rules of block, ask and allow, or remove one",
    isPaged: true,
    options: RULE_PLACES,
  },
  cage: {
    arguments: "[words...]",
    values: [[["show", "allow", "remove"]]],
    about: "run a program in the agents' cage, or show or change what it can reach",
    note: `hookctl cage show [PATH]   show what a call inside may reach, and why
hookctl cage allow PATH    let calls write a file or folder, or with --read only read it
hookctl cage allow HOST    let calls connect to a host, if the settings list the allowed hosts
hookctl cage remove WHAT   revoke what \`cage allow\` granted
hookctl cage -- PROGRAM    run a program inside`,
    options: {
      isHere: { name: "--here", kind: "switch", about: "with allow and remove: only in this project" },
      isRead: { name: "--read", kind: "switch", about: "with allow: for reading only" },
      shell: { name: "--shell", kind: "text", placeholder: "FILE", about: "start this shell, as an agent does" },
    },
  },
  explain: {
    arguments: "<command...>",
    about: "show what a shell command starts, and how the guards judge it",
    isPaged: true,
    note: "Nothing is run.",
    takesShellCommand: true,
    options: {},
  },
} as const satisfies CommandRows;

type Rows = typeof ROWS;
declare module "../../../src/cli/command-table.ts" {
  interface CommandTable extends Rows {}
}

export const guardCommands = defineCommands(ROWS, {
  guards: async () => (await import("./guards/guards.ts")).listGuards,
  enable: async () => (await import("./guards/set-switches.ts")).setSwitched,
  disable: async () => (await import("./guards/set-switches.ts")).setSwitched,
  off: async () => (await import("./off.ts")).off,
  on: async () => (await import("./off.ts")).on,
  block: async () => (await import("./rules/add-rule.ts")).addRule,
  ask: async () => (await import("./rules/add-rule.ts")).addRule,
  allow: async () => (await import("./rules/add-rule.ts")).addRule,
  rules: async () => (await import("./rules/list-rules.ts")).rules,
  cage: async () => (await import("./cage/cage.ts")).cage,
  explain: async () => (await import("./guards/explain.ts")).explainCommand,
});
