import { type CommandRows, defineCommands } from "../../../src/cli/command-table.ts";
import { DRY_RUN, FAIL_CLOSED, FAIL_OPEN } from "../../../src/cli/common-options.ts";
import type { OptionRows } from "../../../src/cli/options.ts";
import { AGENT_NAMES } from "../../../src/protocol/agent-names.ts";
import { SETTING_ROWS } from "../../../src/protocol/setting-rows.ts";

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

/** How an agent is connected. */
const REGISTRATION = {
  dryRun: DRY_RUN,
  isPrinted: { name: "--print", kind: "switch", about: "print the settings for a new file, and write nothing" },
  failClosed: FAIL_CLOSED,
  failOpen: FAIL_OPEN,
  scope: INSTALL_SCOPE,
  events: {
    name: "--events",
    kind: "list",
    placeholder: "EVENTS",
    values: ["agent event", ["all"]],
    isCommaSeparated: true,
    about: "comma-separated events of the agent, or all (default: events that hooks handle)",
  },
} as const satisfies OptionRows;

const AGENTS = `Agents: ${AGENT_NAMES.join(", ")}`;

const ROWS = {
  overview: {
    arguments: "",
    about: "show what is on, connected and stopped, like `hookctl` alone",
    note: "Nothing is started.",
    options: {},
  },
  init: {
    arguments: "[agents...]",
    values: [[AGENT_NAMES]],
    about: "turn guards on, and connect the agents that you use",
    note: `${AGENTS}
It asks first, unless you give --yes or name both guards and agents. If it has to ask and there is no terminal, it changes nothing.
With --scope, --events, --print, --fail-closed or --fail-open it connects the named agents (by default in your own settings) and leaves the guards as they are. \`--scope machine --guards git\` also turns guards on, for every user; root needs its own installation of hookctl.`,
    options: {
      agents: {
        name: "--agents",
        kind: "list",
        placeholder: "AGENTS",
        values: [AGENT_NAMES, ["none"]],
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
      yes: { name: "--yes", kind: "switch", about: "do not prompt; use the defaults for what is not named" },
      ...REGISTRATION,
    },
  },
  install: {
    arguments: "[agent]",
    values: [[AGENT_NAMES]],
    about: "register hookctl in an agent's settings",
    newForm: "init AGENT --scope project",
    note: AGENTS,
    options: REGISTRATION,
  },
  uninstall: {
    arguments: "[agent]",
    values: [[AGENT_NAMES]],
    about: "remove hookctl from an agent, or everything that it wrote",
    note: AGENTS,
    options: {
      isAll: {
        name: "--all",
        kind: "switch",
        about: "undo everything: all agents, hookctl's settings, approvals and logs",
      },
      yes: { name: "--yes", kind: "switch", about: "with --all: do not prompt" },
      dryRun: DRY_RUN,
      scope: INSTALL_SCOPE,
    },
  },
  adopt: {
    arguments: "[agent]",
    values: [["adoptable agent"]],
    about: "migrate an agent's existing hooks to hookctl",
    note: async () => `Agents: ${(await import("../../agents/agents.ts")).adoptableAgents().join(", ")}`,
    options: {
      dryRun: DRY_RUN,
      scope: SCOPE,
      yes: { name: "--yes", kind: "switch", about: "do not prompt" },
      undo: { name: "--undo", kind: "switch", about: "restore the original settings, byte for byte" },
    },
  },
  seal: {
    arguments: "",
    about: "accept the agents' current settings; later calls report what they lose",
    options: {},
  },
  restore: {
    arguments: "",
    about: "restore hookctl's entries that were removed from agents' settings",
    note: `\`init\` and \`seal\` record (seal) these entries; calls and \`doctor\` report what is missing since then.`,
    options: {},
  },
  doctor: {
    arguments: "[agents...]",
    values: [[AGENT_NAMES]],
    about: "check that hooks can block",
    note: AGENTS,
    options: {},
  },
  config: {
    arguments: "[action] [key] [value]",
    values: [[["show", "set", "unset"]], [Object.keys(SETTING_ROWS)]],
    about: "show the effective settings and where each comes from, or set one",
    isPaged: true,
    note: `KEY is a path as in a settings file: timeout, guards.git.decision, overrides.lint.fail_open.
VALUE is JSON or a text.`,
    options: {
      hasOrigin: { name: "--origin", kind: "switch", about: "with show: also show where each value comes from" },
      isHere: { name: "--here", kind: "switch", about: "with set and unset: in your settings, for this project only" },
      isProject: {
        name: "--project",
        kind: "switch",
        about: "with set and unset: in the settings that the project shares",
      },
    },
  },
} as const satisfies CommandRows;

type Rows = typeof ROWS;
declare module "../../../src/cli/command-table.ts" {
  interface CommandTable extends Rows {}
}

export const agentCommands = defineCommands(ROWS, {
  overview: async () => (await import("./overview.ts")).overview,
  init: async () => (await import("./init/init.ts")).init,
  install: async () => (await import("./install.ts")).install,
  uninstall: async () => (await import("./uninstall.ts")).uninstall,
  adopt: async () => (await import("./adopt.ts")).adopt,
  seal: async () => (await import("./seal.ts")).seal,
  restore: async () => (await import("./seal.ts")).restore,
  config: async () => (await import("./config/config.ts")).config,
  doctor: async () => (await import("./doctor.ts")).doctor,
});
