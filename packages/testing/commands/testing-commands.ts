import { type CommandRows, defineCommands } from "../../../src/cli/command-table.ts";
import { STRICT } from "../../../src/cli/common-options.ts";
import type { OptionRows } from "../../../src/cli/options.ts";
import { TEST_REPORTER_NAMES } from "../../../src/protocol/reporter-names.ts";

/** How hooks are tested, and how that is reported. */
const TEST_RUN = {
  reporter: {
    name: "--reporter",
    kind: "choice",
    placeholder: "NAME",
    choices: TEST_REPORTER_NAMES,
    about: `format of the report on stdout: ${TEST_REPORTER_NAMES.join(", ")}`,
  },
  outputs: {
    name: "--output",
    kind: "list",
    placeholder: "NAME=FILE",
    values: ["report"],
    about: "also write the report to a file, in this format; repeatable",
  },
  jobs: {
    name: "--jobs",
    short: "-j",
    kind: "number",
    placeholder: "N",
    most: 256,
    about: "number of hooks and cases tested at the same time (default: one per processor)",
  },
  onlyNamed: {
    name: "--only",
    kind: "text",
    placeholder: "GLOB",
    values: ["hook"],
    about: "only test cases, or hooks, whose name matches",
  },
  isUpdating: {
    name: "--update",
    kind: "switch",
    about: "write snapshots for test cases without `expect`",
  },
  isCovered: {
    name: "--coverage",
    kind: "switch",
    about: "show which lines of a hook, or rules of a guard, no test case reached",
  },
  isBailing: { name: "--bail", kind: "switch", about: "start nothing after the first failure" },
  shard: {
    name: "--shard",
    kind: "text",
    placeholder: "I/N",
    about: "test only part I of N, for several machines",
  },
  isMutating: {
    name: "--mutate",
    kind: "switch",
    about: "respell the commands of test cases in up to 200 ways, and list those that change the decision",
  },
  failUnder: {
    name: "--fail-under",
    kind: "number",
    placeholder: "PERCENT",
    most: 100,
    about: "with --mutate: exit 1 if fewer respellings keep the decision",
  },
} as const satisfies OptionRows;

/** The options of `test`. */
export const TEST_OPTIONS = {
  ...TEST_RUN,
  isStrict: { ...STRICT, about: "exit 77 if HOOKCTL_TRUST approves nothing" },
  isWatching: { name: "--watch", kind: "switch", about: "test again what a saved file affects, until Ctrl-C" },
} as const satisfies OptionRows;

const ROWS = {
  test: {
    arguments: "[names...]",
    values: [["hook"]],
    about: "check that hooks follow the protocol, and run their cases",
    note: "Naming a path approves its hooks for this call: `hookctl test ./.kodelet/hooks`.",
    options: TEST_OPTIONS,
  },
  check: {
    arguments: "[dir]",
    values: [["folder"]],
    about: "run all checks of a project, for CI",
    note: "Naming a folder starts its hooks, approved or not, and approves none of them.",
    options: TEST_RUN,
  },
  try: {
    arguments: "<name> [values...]",
    values: [["hook"]],
    about: "run one hook with a sample payload and explain the result",
    options: {},
  },
} as const satisfies CommandRows;

type Rows = typeof ROWS;
declare module "../../../src/cli/command-table.ts" {
  interface CommandTable extends Rows {}
}

export const testingCommands = defineCommands(ROWS, {
  test: async () => (await import("./test.ts")).test,
  check: async () => (await import("../../connect/commands/check.ts")).check,
  try: async () => (await import("../../authoring/commands/try.ts")).tryHook,
});
