import { type CommandRows, defineCommands } from "../../../src/cli/command-table.ts";
import { DRY_RUN, FAIL_CLOSED, FAIL_OPEN } from "../../../src/cli/common-options.ts";
import { AGENT_NAMES } from "../../../src/protocol/agent-names.ts";

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

const AGENTS = `Agents: ${AGENT_NAMES.join(", ")}`;

const ROWS = {
  init: {
    arguments: "",
    about: "set hookctl up: turn guards on, and connect the agents that you use",
    example: "hookctl init --agents claude,codex --guards git,secrets",
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
      yes: { name: "--yes", kind: "switch", about: "take the defaults, without a prompt" },
      dryRun: DRY_RUN,
    },
  },
  install: {
    arguments: "[agent]",
    values: [[AGENT_NAMES]],
    about: "register hookctl in an agent's settings",
    example: "hookctl install claude --dry-run",
    note: AGENTS,
    options: {
      dryRun: DRY_RUN,
      isPrinted: { name: "--print", kind: "switch", about: "print the settings that it would write to a new file" },
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
    },
  },
  uninstall: {
    arguments: "[agent]",
    values: [[AGENT_NAMES]],
    about: "remove hookctl from an agent's settings, byte for byte, or all that it wrote",
    example: "hookctl uninstall claude",
    note: AGENTS,
    options: {
      isAll: {
        name: "--all",
        kind: "switch",
        about: "undo everything: all agents, hookctl's settings, approvals and logs",
      },
      yes: { name: "--yes", kind: "switch", about: "of --all: without a prompt" },
      dryRun: DRY_RUN,
      scope: INSTALL_SCOPE,
    },
  },
  adopt: {
    arguments: "[agent]",
    values: [["adoptable agent"]],
    about: "migrate an agent's existing hooks to hookctl",
    example: "hookctl adopt claude --dry-run",
    note: async () => `Agents: ${(await import("../../agents/agents.ts")).adoptableAgents().join(", ")}`,
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
    values: [[AGENT_NAMES]],
    about: "check that hooks can block",
    example: "hookctl doctor",
    note: AGENTS,
    options: {},
  },
} as const satisfies CommandRows;

type Rows = typeof ROWS;
declare module "../../../src/cli/command-table.ts" {
  interface CommandTable extends Rows {}
}

export const agentCommands = defineCommands("Agents:", ROWS, {
  init: async () => (await import("./init/init.ts")).init,
  install: async () => (await import("./install.ts")).install,
  uninstall: async () => (await import("./uninstall.ts")).uninstall,
  adopt: async () => (await import("./adopt.ts")).adopt,
  seal: async () => (await import("./seal.ts")).seal,
  restore: async () => (await import("./seal.ts")).restore,
  doctor: async () => (await import("./doctor.ts")).doctor,
});
