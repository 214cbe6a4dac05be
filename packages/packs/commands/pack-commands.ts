import { type CommandRows, defineCommands } from "../../../src/cli/command-table.ts";

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
    about: "add hooks of others, pinned in .kodelet/hooks.lock; without a source restore those in it",
    example: "hookctl add owner/repo@v1.2.0",
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
    about: "take newer versions of added hooks: show what changed and approve it",
    example: "hookctl update owner/repo@v1.3.0",
    options: {
      yes: PACK_YES,
      dryRun: { name: "--dry-run", kind: "switch", about: "show what is newer, change nothing" },
      scope: PACK_SCOPE,
      force: { ...PACK_FORCE, about: "discard local changes of the pack; take a tag that was moved" },
    },
  },
  remove: {
    arguments: "<pack>",
    values: [["pack"]],
    about: "remove added hooks, with their approvals",
    example: "hookctl remove owner/repo",
    options: { scope: PACK_SCOPE, force: PACK_FORCE },
  },
} as const satisfies CommandRows;

type Rows = typeof ROWS;
declare module "../../../src/cli/command-table.ts" {
  interface CommandTable extends Rows {}
}

export const packCommands = defineCommands("Hooks of others:", ROWS, {
  add: async () => (await import("./change-packs.ts")).add,
  update: async () => (await import("./change-packs.ts")).update,
  remove: async () => (await import("./change-packs.ts")).remove,
});
