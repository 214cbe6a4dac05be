import { type CommandRows, defineCommands } from "../../../src/cli/command-table.ts";
import type { OptionRows } from "../../../src/cli/options.ts";

const GUARD_SCOPE = {
  name: "--scope",
  kind: "choice",
  placeholder: "SCOPE",
  choices: ["user", "project"],
  about: "user (default): your settings, or project",
} as const;

/** In which settings a rule is. */
const RULE_PLACES = {
  isGlobal: { name: "--global", kind: "switch", about: "in your settings, for every project" },
  isHere: { name: "--here", kind: "switch", about: "in your settings, for this project only" },
  isProject: { name: "--project", kind: "switch", about: "in the project's settings, which others share" },
} as const satisfies OptionRows;

const RULE_OPTIONS = {
  ...RULE_PLACES,
  reason: { name: "--reason", kind: "text", placeholder: "TEXT", about: "what the agent is told" },
  unless: { name: "--unless", kind: "list", placeholder: "RULE", about: "not for this; may be repeated" },
  forMs: { name: "--for", kind: "duration", placeholder: "DURATION", about: "how long: 10m, 2h" },
  until: { name: "--until", kind: "time", placeholder: "TIME", about: "up to this time: 2026-12-01, 18:00" },
  isOnce: { name: "--once", kind: "switch", about: "of allow: for one call only" },
  isCommand: { name: "--command", kind: "switch", about: "the text is a command" },
  isFile: { name: "--file", kind: "switch", about: "the text is the path or glob of files" },
  isHost: { name: "--host", kind: "switch", about: "the text is a host: *.example.org" },
} as const satisfies OptionRows;

const RULE_NOTE = `RULE is a command ('npm publish *'; \` *\` at its end: any further words),
files ('infra/**', '~/.aws/*') or a host ('*.example.org', https://example.org).
block and ask hold everywhere, allow in this project, unless an option says so.`;

const ROWS = {
  guards: {
    arguments: "[names...]",
    values: [["guard"]],
    about: "list the built-in guards, and which are on; with names the rules of these guards",
    example: "hookctl guards git",
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
    about: "switch hooks, guards or a guard's rules off for a while; without names list what is off",
    example: "hookctl off git --for 10m",
    note: "A rule of a guard (`git/discard-changes`, see `hookctl guards git`) without --for is switched off in your settings.",
    options: {
      forMs: { name: "--for", kind: "duration", placeholder: "DURATION", about: "how long: 10m, 2h, at most 24h" },
      isHere: { name: "--here", kind: "switch", about: "a rule without --for: only in this project" },
      isEverywhere: { name: "--everywhere", kind: "switch", about: "in every project, not only in this one" },
    },
  },
  on: {
    arguments: "<names...>",
    values: [["guard", "hook"]],
    about: "switch hooks, guards or a guard's rules on again",
    example: "hookctl on git",
    options: {},
  },
  block: {
    arguments: "<rule...>",
    about: "block a command, files or a host in every agent",
    example: "hookctl block 'npm publish *' --reason 'ask a person'",
    note: RULE_NOTE,
    takesShellCommand: true,
    options: RULE_OPTIONS,
  },
  ask: {
    arguments: "<rule...>",
    about: "be asked about a command, files or a host in every agent",
    example: "hookctl ask 'terraform apply *'",
    note: RULE_NOTE,
    takesShellCommand: true,
    options: RULE_OPTIONS,
  },
  allow: {
    arguments: "<rule...>",
    values: [["run"]],
    about: "allow one command, files or a host, or what a recorded run was stopped for",
    example: "hookctl allow 'git push --force origin my-branch'",
    note: `${RULE_NOTE}\nA run id, or \`last\`: the narrowest rule that would have let that call pass.`,
    takesShellCommand: true,
    options: RULE_OPTIONS,
  },
  rules: {
    arguments: "[remove] [rule]",
    about: "list the rules of block, ask and allow, or remove one",
    example: "hookctl rules remove 'npm publish *'",
    options: RULE_PLACES,
  },
  cage: {
    arguments: "[words...]",
    values: [[["show", "allow", "remove"]]],
    about: "run a program in the cage of agents, show what that may reach, or allow it more",
    example: "hookctl cage -- npm test",
    note: `hookctl cage show [PATH]   what a call inside may reach, and why
hookctl cage allow PATH    let calls write a file or folder; with --read only read it
hookctl cage allow HOST    let calls connect to a host, where the network has a list
hookctl cage remove WHAT   take back what \`cage allow\` gave
hookctl cage -- PROGRAM    run a program inside`,
    options: {
      isHere: { name: "--here", kind: "switch", about: "of allow and remove: only in this project" },
      isRead: { name: "--read", kind: "switch", about: "of allow: only read" },
      shell: { name: "--shell", kind: "text", placeholder: "FILE", about: "start this shell, as an agent does" },
    },
  },
  explain: {
    arguments: "<command...>",
    about: "show what a shell command starts, and what each guard says of it; nothing is run",
    example: "hookctl explain 'cd /tmp && rm -rf \"$HOME\"'",
    takesShellCommand: true,
    options: {},
  },
} as const satisfies CommandRows;

type Rows = typeof ROWS;
declare module "../../../src/cli/command-table.ts" {
  interface CommandTable extends Rows {}
}

export const guardCommands = defineCommands("Built-in guards:", ROWS, {
  guards: async () => (await import("./guards/guards.ts")).listGuards,
  enable: async () => (await import("./guards/guards.ts")).setSwitched,
  disable: async () => (await import("./guards/guards.ts")).setSwitched,
  off: async () => (await import("./off.ts")).off,
  on: async () => (await import("./off.ts")).on,
  block: async () => (await import("./rules/add-rule.ts")).addRule,
  ask: async () => (await import("./rules/add-rule.ts")).addRule,
  allow: async () => (await import("./rules/add-rule.ts")).addRule,
  rules: async () => (await import("./rules/list-rules.ts")).rules,
  cage: async () => (await import("./cage/cage.ts")).cage,
  explain: async () => (await import("./guards/explain.ts")).explainCommand,
});
