import { type CommandRows, defineCommands } from "../../../src/cli/command-table.ts";
import { DRY_RUN } from "../../../src/cli/common-options.ts";

const PACK_SCOPE = {
  name: "--scope",
  kind: "choice",
  placeholder: "SCOPE",
  choices: ["project", "user"],
  about: "project (default): its packs, or user: your own",
} as const;
const PACK_YES = { name: "--yes", kind: "switch", about: "approve the fetched hooks without a prompt" } as const;
const PACK_FORCE = { name: "--force", kind: "switch", about: "discard local changes of the pack" } as const;

const ROWS = {
  add: {
    arguments: "[source]",
    values: [["folder"]],
    about: "add third-party hooks, pinned in .kodelet/hooks.lock",
    note: "Without a source it restores the packs in the lock file.",
    options: {
      yes: PACK_YES,
      scope: PACK_SCOPE,
      name: { name: "--name", kind: "text", placeholder: "NAME", about: "name of the pack (default: from its source)" },
      force: PACK_FORCE,
    },
  },
  update: {
    arguments: "[packs...]",
    values: [["pack"]],
    about: "update packs: show what changed, and approve it",
    options: {
      yes: PACK_YES,
      dryRun: { ...DRY_RUN, about: "show what is newer, change nothing" },
      scope: PACK_SCOPE,
      force: { ...PACK_FORCE, about: "discard local changes of the pack; take a tag that was moved" },
    },
  },
  remove: {
    arguments: "<pack>",
    values: [["pack"]],
    about: "remove packs, with their approvals",
    options: { scope: PACK_SCOPE, force: PACK_FORCE },
  },
} as const satisfies CommandRows;

type Rows = typeof ROWS;
declare module "../../../src/cli/command-table.ts" {
  interface CommandTable extends Rows {}
}

export const packCommands = defineCommands(ROWS, {
  add: async () => (await import("./change-packs.ts")).add,
  update: async () => (await import("./change-packs.ts")).update,
  remove: async () => (await import("./change-packs.ts")).remove,
});
