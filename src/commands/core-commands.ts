import type { CommandResult } from "../cli/command-result.ts";
import { type CommandLine, type CommandRows, defineCommands } from "../cli/command-table.ts";
import { DRY_RUN, FAIL_CLOSED, FAIL_OPEN, ONLY_EVENT, STRICT } from "../cli/common-options.ts";
import type { Host } from "../engine/host.ts";
import { AGENT_NAMES } from "../protocol/agent-names.ts";
import { DIALECT_NAMES } from "../protocol/event.ts";
import { SOURCES } from "../protocol/hook.ts";
import { ok } from "../protocol/result.ts";
import { run } from "./run/run.ts";
import { readRunOptions } from "./run/run-options.ts";

const ROWS = {
  list: {
    arguments: "",
    about: "list hooks in run order, by event",
    isPaged: true,
    options: {
      isAll: { name: "--all", kind: "switch", about: "also list skipped files, with the reason" },
      isStrict: STRICT,
      event: ONLY_EVENT,
      source: {
        name: "--source",
        kind: "choice",
        placeholder: "SOURCE",
        choices: SOURCES,
        about: "only hooks of this source: project, user, config, …",
      },
    },
  },
  run: {
    arguments: "<event>",
    values: [["event"]],
    about: "run the hooks of an event: payload on stdin, result on stdout",
    options: {
      dryRun: DRY_RUN,
      isStrict: STRICT,
      payloadFile: {
        name: "--payload",
        kind: "text",
        placeholder: "FILE",
        values: ["file"],
        about: "read the payload from a file",
      },
      stdinTimeoutMs: {
        name: "--stdin-timeout",
        kind: "duration",
        placeholder: "DURATION",
        about: "timeout for the first byte on stdin",
      },
      as: {
        name: "--as",
        kind: "choice",
        placeholder: "DIALECT",
        choices: DIALECT_NAMES,
        about: `print the result as ${DIALECT_NAMES.join(", ")}`,
      },
      ask: { name: "--ask", kind: "switch", about: "prompt before running hooks that are not approved" },
    },
  },
  bridge: {
    arguments: "[agent]",
    values: [[AGENT_NAMES]],
    about: "run hooks for an agent: its native payload in, its native response out",
    note: `Agents: ${AGENT_NAMES.join(", ")}`,
    hasProtocol: true,
    options: {
      nativeEvent: {
        name: "--event",
        kind: "text",
        placeholder: "EVENT",
        values: ["agent event"],
        about: "the agent's name for the event (default: from the payload)",
      },
      failClosed: FAIL_CLOSED,
      failOpen: FAIL_OPEN,
      proof: { name: "--proof", kind: "switch", about: "end a complete answer with a mark that registrations check" },
    },
  },
  status: {
    arguments: "",
    about: "show hooks and the last block in one line, for an agent's status line",
    options: {},
  },
} as const satisfies CommandRows;

type Rows = typeof ROWS;
declare module "../cli/command-table.ts" {
  interface CommandTable extends Rows {}
}

/** The commands that agents call: loaded with the program, without the other commands. */
export const coreCommands = defineCommands(ROWS, {
  list: async () => {
    const { list } = await import("./list.ts");
    return ({ options }, host) => list(options, host);
  },
  run: async () => executeRun,
  bridge: async () => {
    const { bridge } = await import("../../packages/connect/commands/bridge.ts");
    return async (line, host) => ok(await bridge(line, host));
  },
  status: async () => {
    const { status } = await import("../../packages/connect/commands/status.ts");
    return ({ options }, host) => status(options, host);
  },
});

/** `run`, which is part of the program: a call of it imports nothing more. */
async function executeRun(line: CommandLine<"run">, host: Host): Promise<CommandResult> {
  const options = readRunOptions(line, host);
  if (!options.ok) return options;
  if (!options.value.dryRun) return run(options.value, host);
  return (await import("./run/dry-run.ts")).dryRun(options.value, host);
}
