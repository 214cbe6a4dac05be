import { ADOPTABLE_AGENTS, AGENT_NAMES } from "../agents/agent.ts";
import { EVENT_NAMES } from "../protocol/event.ts";
import type { World } from "../world.ts";
import { dispatch } from "./dispatch.ts";
import type { RawLine, Verb } from "./flag-table.ts";

/** What one verb is called with and does. The rare ones load their code when they are called. */
export interface VerbRow {
  readonly words: string;
  readonly about: string;
  readonly example: string;
  readonly more?: string;
  readonly carryOut: (line: RawLine, world: World) => Promise<number>;
}

const AGENTS_NAMED = `\nAgents: ${AGENT_NAMES.join(", ")}\n`;

export const VERB_ROWS: Readonly<Record<Verb, VerbRow>> = {
  list: {
    words: "list",
    about: "every hook in run order, by event",
    example: "hookctl list --all",
    carryOut: (line, world) => dispatch({ ...line, verb: "list" }, world),
  },
  run: {
    words: "run <event>",
    about: "payload on stdin, the chain, the result on stdout",
    example: "hookctl run before_tool_call < payload.json",
    carryOut: (line, world) => dispatch({ ...line, verb: "run" }, world),
  },
  test: {
    words: "test [names...]",
    about: "contract checks for hooks; a path counts as approval",
    example: "hookctl test ./.kodelet/hooks",
    carryOut: async (line, world) => (await import("./test.ts")).test(line, world),
  },
  try: {
    words: "try <name> [values...]",
    about: "a sample payload with these values, one hook, explained",
    example: 'hookctl try deny-dangerous tool_input.command="rm -rf build"',
    carryOut: async (line, world) => (await import("./try.ts")).tryHook(line, world),
  },
  trust: {
    words: "trust [names...]",
    about: "review and approve the project's hooks",
    example: "hookctl trust --show deny-dangerous",
    carryOut: async (line, world) => (await import("./trust.ts")).trust(line, world),
  },
  untrust: {
    words: "untrust [names...]",
    about: "forget approvals, or deny for good",
    example: "hookctl untrust --deny upload-logs",
    carryOut: async (line, world) => (await import("./untrust.ts")).untrust(line, world),
  },
  edit: {
    words: "edit <name>",
    about: "open a hook in $EDITOR, then approve the change and check it",
    example: "hookctl edit deny-dangerous",
    carryOut: async (line, world) => (await import("./edit.ts")).edit(line, world),
  },
  init: {
    words: "init",
    about: "two hooks, their test cases and a settings file to start with",
    example: "hookctl init",
    carryOut: async (line, world) => (await import("./init.ts")).init(line, world),
  },
  new: {
    words: "new <name>",
    about: "a hook to start from, in bash, python, node or typescript",
    example: "hookctl new guard --event before_tool_call --lang python",
    carryOut: async (line, world) => (await import("./new.ts")).newHook(line, world),
  },
  payload: {
    words: "payload <event>",
    about: "a valid sample payload",
    example: 'hookctl payload before_tool_call --set tool_input.command="ls -la"',
    more: `\nEvents (names of other dialects work too):\n  ${EVENT_NAMES.join("\n  ")}\n`,
    carryOut: async (line, world) => (await import("./payload.ts")).payload(line, world),
  },
  schema: {
    words: "schema [subject]",
    about: "JSON Schema of an event, of config or of a test case",
    example: "hookctl schema before_tool_call",
    carryOut: async (line, world) => (await import("./schema.ts")).schema(line, world),
  },
  bridge: {
    words: "bridge [agent]",
    about: "an agent's own payload in, its own answer out",
    example: "hookctl bridge claude --event PreToolUse < payload.json",
    more: AGENTS_NAMED,
    carryOut: (line, world) => dispatch({ ...line, verb: "bridge" }, world),
  },
  install: {
    words: "install [agent]",
    about: "register the bridge in an agent's settings",
    example: "hookctl install claude --dry-run",
    more: AGENTS_NAMED,
    carryOut: async (line, world) => (await import("./install.ts")).install(line, world),
  },
  adopt: {
    words: "adopt [agent]",
    about: "take over the hooks that an agent has already",
    example: "hookctl adopt claude --dry-run",
    more: `\nAgents: ${ADOPTABLE_AGENTS.join(", ")}\n`,
    carryOut: async (line, world) => (await import("./adopt.ts")).adopt(line, world),
  },
  uninstall: {
    words: "uninstall [agent]",
    about: "take the bridge out again, byte for byte",
    example: "hookctl uninstall claude",
    more: AGENTS_NAMED,
    carryOut: async (line, world) => (await import("./uninstall.ts")).uninstall(line, world),
  },
  doctor: {
    words: "doctor [agent]",
    about: "does all work that must work for a hook to block?",
    example: "hookctl doctor",
    more: AGENTS_NAMED,
    carryOut: async (line, world) => (await import("./doctor.ts")).doctor(line, world),
  },
  state: {
    words: "state <action> [key] [value]",
    about: "get, set, incr or unset a value of a session",
    example: "hookctl state incr tool_calls --session 7f3a",
    more: "\nActions: get [KEY], set KEY VALUE, incr KEY [BY], unset KEY. A value is JSON if it parses, else text.\n",
    carryOut: async (line, world) => (await import("./state.ts")).state(line, world),
  },
  inbox: {
    words: "inbox [action]",
    about: "messages that hooks left for a session; drain takes them out when one of them wakes",
    example: "hookctl inbox drain --session 7f3a",
    carryOut: async (line, world) => (await import("./inbox.ts")).inbox(line, world),
  },
  log: {
    words: "log",
    about: "what happened: the latest runs, newest last",
    example: "hookctl log --event turn_end --last 5",
    carryOut: async (line, world) => (await import("./log.ts")).log(line, world),
  },
  why: {
    words: "why [run]",
    about: "why one run ended as it did; by default the last",
    example: "hookctl why",
    carryOut: async (line, world) => (await import("./why.ts")).why(line, world),
  },
};
