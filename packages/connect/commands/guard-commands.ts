import { type CommandRows, defineCommands } from "../../../src/cli/command-table.ts";

const GUARD_SCOPE = {
  name: "--scope",
  kind: "choice",
  placeholder: "SCOPE",
  choices: ["user", "project"],
  about: "user (default): your settings, or project",
} as const;

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
  explain: async () => (await import("./guards/explain.ts")).explainCommand,
});
