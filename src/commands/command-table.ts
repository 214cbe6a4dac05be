import { AGENT_NAMES } from "../agents/agent.ts";
import { adoptableAgents } from "../agents/agents.ts";
import type { CommandLine, CommandName } from "../cli/option-table.ts";
import type { Host } from "../host.ts";
import { EVENT_NAMES } from "../protocol/event.ts";
import { dispatch } from "./dispatch.ts";

/** What one verb is called with and does. The rare ones load their code when they are called. */
export interface CommandRow {
  readonly usage: string;
  readonly about: string;
  readonly example: string;
  readonly more?: string;
  readonly execute: (line: CommandLine, host: Host) => Promise<number>;
}

const AGENTS_NAMED = `\nAgents: ${AGENT_NAMES.join(", ")}\n`;

export const COMMAND_TABLE: Readonly<Record<CommandName, CommandRow>> = {
  list: {
    usage: "list",
    about: "every hook in run order, by event",
    example: "hookctl list --all",
    execute: (line, host) => dispatch({ ...line, command: "list" }, host),
  },
  run: {
    usage: "run <event>",
    about: "payload on stdin, the chain, the result on stdout",
    example: "hookctl run before_tool_call < payload.json",
    execute: (line, host) => dispatch({ ...line, command: "run" }, host),
  },
  test: {
    usage: "test [names...]",
    about: "contract checks for hooks; a path counts as approval",
    example: "hookctl test ./.kodelet/hooks",
    execute: async (line, host) => (await import("./test.ts")).test(line, host),
  },
  try: {
    usage: "try <name> [values...]",
    about: "a sample payload with these values, one hook, explained",
    example: 'hookctl try deny-dangerous tool_input.command="rm -rf build"',
    execute: async (line, host) => (await import("./run/try.ts")).tryHook(line, host),
  },
  trust: {
    usage: "trust [names...]",
    about: "review and approve the project's hooks",
    example: "hookctl trust --show deny-dangerous",
    execute: async (line, host) => (await import("./trust.ts")).trust(line, host),
  },
  untrust: {
    usage: "untrust [names...]",
    about: "forget approvals, or deny for good",
    example: "hookctl untrust --deny upload-logs",
    execute: async (line, host) => (await import("./untrust.ts")).untrust(line, host),
  },
  edit: {
    usage: "edit <name>",
    about: "open a hook in $EDITOR, then approve the change and check it",
    example: "hookctl edit deny-dangerous",
    execute: async (line, host) => (await import("./edit.ts")).edit(line, host),
  },
  init: {
    usage: "init",
    about: "two hooks, their test cases and a settings file to start with",
    example: "hookctl init",
    execute: async (line, host) => (await import("./scaffold/init.ts")).init(line, host),
  },
  new: {
    usage: "new <name>",
    about: "a hook to start from, in bash, python, node or typescript",
    example: "hookctl new guard --event before_tool_call --lang python",
    execute: async (line, host) => (await import("./scaffold/new.ts")).newHook(line, host),
  },
  payload: {
    usage: "payload <event>",
    about: "a valid sample payload",
    example: 'hookctl payload before_tool_call --set tool_input.command="ls -la"',
    more: `\nEvents (names of other dialects work too):\n  ${EVENT_NAMES.join("\n  ")}\n`,
    execute: async (line, host) => (await import("./payload.ts")).payload(line, host),
  },
  schema: {
    usage: "schema [subject]",
    about: "JSON Schema of an event, of config or of a test case",
    example: "hookctl schema before_tool_call",
    execute: async (line, host) => (await import("./schema.ts")).schema(line, host),
  },
  bridge: {
    usage: "bridge [agent]",
    about: "an agent's own payload in, its own answer out",
    example: "hookctl bridge claude --event PreToolUse < payload.json",
    more: AGENTS_NAMED,
    execute: (line, host) => dispatch({ ...line, command: "bridge" }, host),
  },
  install: {
    usage: "install [agent]",
    about: "register the bridge in an agent's settings",
    example: "hookctl install claude --dry-run",
    more: AGENTS_NAMED,
    execute: async (line, host) => (await import("./install.ts")).install(line, host),
  },
  adopt: {
    usage: "adopt [agent]",
    about: "take over the hooks that an agent has already",
    example: "hookctl adopt claude --dry-run",
    more: `\nAgents: ${adoptableAgents().join(", ")}\n`,
    execute: async (line, host) => (await import("./adopt.ts")).adopt(line, host),
  },
  uninstall: {
    usage: "uninstall [agent]",
    about: "take the bridge out again, byte for byte",
    example: "hookctl uninstall claude",
    more: AGENTS_NAMED,
    execute: async (line, host) => (await import("./uninstall.ts")).uninstall(line, host),
  },
  doctor: {
    usage: "doctor [agent]",
    about: "does all work that must work for a hook to block?",
    example: "hookctl doctor",
    more: AGENTS_NAMED,
    execute: async (line, host) => (await import("./doctor.ts")).doctor(line, host),
  },
  state: {
    usage: "state <action> [key] [value]",
    about: "get, set, incr or unset a value of a session",
    example: "hookctl state incr tool_calls --session 7f3a",
    more: "\nActions: get [KEY], set KEY VALUE, incr KEY [BY], unset KEY. A value is JSON if it parses, else text.\n",
    execute: async (line, host) => (await import("./session/state.ts")).state(line, host),
  },
  inbox: {
    usage: "inbox [action]",
    about: "messages that hooks left for a session; drain takes them out when one of them wakes",
    example: "hookctl inbox drain --session 7f3a",
    execute: async (line, host) => (await import("./session/inbox.ts")).inbox(line, host),
  },
  log: {
    usage: "log",
    about: "what happened: the latest runs, newest last",
    example: "hookctl log --event turn_end --last 5",
    execute: async (line, host) => (await import("./log/log.ts")).log(line, host),
  },
  why: {
    usage: "why [run]",
    about: "why one run ended as it did; by default the last",
    example: "hookctl why",
    execute: async (line, host) => (await import("./log/why.ts")).why(line, host),
  },
};
