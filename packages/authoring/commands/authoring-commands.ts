import { type CommandRows, defineCommands } from "../../../src/cli/command-table.ts";
import { EVENT_NAMES } from "../../../src/protocol/event.ts";

const ROWS = {
  new: {
    arguments: "[name]",
    about: "create a hook from a template, in bash, python, node or typescript",
    options: {
      event: { name: "--event", kind: "event", placeholder: "EVENT", about: "its event (default: before_tool_call)" },
      language: {
        name: "--lang",
        kind: "choice",
        placeholder: "LANG",
        choices: ["bash", "python", "node", "typescript", "sh", "py", "js", "javascript", "ts"],
        about: "bash (default), python, node or typescript; or sh, py, js, ts",
      },
      yes: { name: "--yes", kind: "switch", about: "use the defaults without asking" },
    },
  },
  edit: {
    arguments: "<name>",
    values: [["hook"]],
    about: "edit a hook and its cases in $EDITOR, then approve and test it",
    options: {},
  },
  payload: {
    arguments: "<event> [values...]",
    values: [["event"], ["field"]],
    about: "print a sample payload, or what an agent sends",
    note: `Events (names of other dialects work too):\n  ${EVENT_NAMES.join("\n  ")}`,
    options: {
      set: {
        name: "--set",
        kind: "list",
        placeholder: "PATH=VALUE",
        values: ["field"],
        about: "the same as the argument PATH=VALUE",
      },
    },
  },
  schema: {
    arguments: "[subject]",
    values: [[["config", "case", "lock"], "event"]],
    about: "print the JSON Schema of an event, the settings, a test case or the lock file",
    isPaged: true,
    options: {},
  },
} as const satisfies CommandRows;

type Rows = typeof ROWS;
declare module "../../../src/cli/command-table.ts" {
  interface CommandTable extends Rows {}
}

export const authoringCommands = defineCommands(ROWS, {
  new: async () => (await import("./new.ts")).newHook,
  edit: async () => (await import("./edit.ts")).edit,
  payload: async () => (await import("../../connect/commands/payload.ts")).payload,
  schema: async () => (await import("./schema.ts")).schema,
});
