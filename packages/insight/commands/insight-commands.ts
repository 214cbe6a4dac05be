import { type CommandRows, defineCommands } from "../../../src/cli/command-table.ts";
import { ONLY_EVENT } from "../../../src/cli/common-options.ts";
import type { OptionRows } from "../../../src/cli/options.ts";
import { AGENT_NAMES } from "../../../src/protocol/agent-names.ts";

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
    about: "from this time on: 30m, 2d, today, yesterday, 2026-11-20, 14:03",
  },
  project: {
    name: "--project",
    kind: "text",
    placeholder: "DIR",
    values: ["folder"],
    about: "only the project of this folder",
  },
} as const satisfies OptionRows;
const UNTIL = {
  name: "--until",
  kind: "time",
  placeholder: "TIME",
  about: "until this time, or the end of this day",
} as const;

const AGENT_CALLS = {
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
    about: "also write the agents' calls, without secrets, to a file for CI",
  },
  failOnChange: {
    name: "--fail-on-change",
    kind: "text",
    placeholder: "BASE",
    values: ["folder"],
    about: "compare with the hooks of a git revision or folder; exit 1 if a decision differs",
  },
} as const satisfies OptionRows;

const ROWS = {
  log: {
    arguments: "",
    about: "show recent runs, newest last",
    isPaged: true,
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
        about: "the last N runs (default: 20; with --since, all)",
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
      yes: { name: "--yes", kind: "switch", about: "with --purge: do not prompt" },
    },
  },
  report: {
    arguments: "",
    about: "show what each hook did, or write a page about it",
    isPaged: true,
    note: "`--json` prints the data of the page.",
    options: {
      output: {
        name: "--output",
        kind: "text",
        placeholder: "FILE",
        values: ["file"],
        about: "write an HTML page to this file (-: stdout)",
      },
      ...LOGGED,
      until: UNTIL,
    },
  },
  why: {
    arguments: "[run]",
    values: [["run"]],
    about: "explain one run (default: the last that was stopped)",
    isPaged: true,
    options: { session: { ...ONLY_SESSION, about: "the last run of this session" } },
  },
  export: {
    arguments: "",
    about: "send recorded runs to an OpenTelemetry collector; runs that it does not accept stay in the audit log",
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
    isPaged: true,
    newForm: "report",
    options: LOGGED,
  },
  replay: {
    arguments: "[runs...]",
    values: [["run", "file"]],
    about: "run current hooks on recorded payloads or agents' calls, and show which decisions changed",
    isPaged: true,
    note: "With --agents, --agent, --export or --fail-on-change: what current hooks would decide about the calls that agents have recorded, in their own session files or in the files that are named.",
    options: {
      isAgents: { name: "--agents", kind: "switch", about: "judge the calls in the session files of agents" },
      ...AGENT_CALLS,
    },
  },
  backtest: {
    arguments: "[files...]",
    values: [["file"]],
    about: "run current hooks on calls that agents have recorded, and show what they would decide",
    isPaged: true,
    newForm: "replay --agents",
    options: AGENT_CALLS,
  },
} as const satisfies CommandRows;

type Rows = typeof ROWS;
declare module "../../../src/cli/command-table.ts" {
  interface CommandTable extends Rows {}
}

export const insightCommands = defineCommands(ROWS, {
  log: async () => (await import("./log/log.ts")).log,
  report: async () => (await import("./report.ts")).report,
  why: async () => (await import("./log/why.ts")).why,
  export: async () => (await import("./log/export.ts")).exportRecorded,
  stats: async () => (await import("./log/stats.ts")).stats,
  replay: async () => (await import("./backtest/replay.ts")).replay,
  backtest: async () => (await import("./backtest/backtest.ts")).backtest,
});
