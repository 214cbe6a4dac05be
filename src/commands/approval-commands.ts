import { type CommandRows, defineCommands } from "../cli/command-table.ts";
import { DRY_RUN } from "../cli/common-options.ts";

const ROWS = {
  trust: {
    arguments: "[names...]",
    values: [["hook"]],
    about: "review and approve project hooks",
    isPaged: true,
    options: {
      yes: { name: "--yes", kind: "switch", about: "approve all hooks that need approval" },
      list: { name: "--list", kind: "switch", about: "list approved and denied hooks" },
      show: { name: "--show", kind: "switch", about: "show what is not approved or has changed; approve nothing" },
      digest: { name: "--digest", kind: "switch", about: "print one hash of all project hooks, for HOOKCTL_TRUST" },
      dryRun: { ...DRY_RUN, about: "like --show, even with --yes" },
      prune: { name: "--prune", kind: "switch", about: "remove approvals of hooks that no longer exist" },
    },
  },
  untrust: {
    arguments: "[names...]",
    values: [["hook"]],
    about: "remove approvals (without names, all of this project), or deny hooks for good",
    options: {
      deny: { name: "--deny", kind: "switch", about: "never run it, even if it is approved elsewhere" },
      yes: { name: "--yes", kind: "switch", about: "do not prompt" },
    },
  },
} as const satisfies CommandRows;

type Rows = typeof ROWS;
declare module "../cli/command-table.ts" {
  interface CommandTable extends Rows {}
}

export const approvalCommands = defineCommands(ROWS, {
  trust: async () => (await import("./trust.ts")).trust,
  untrust: async () => (await import("./untrust.ts")).untrust,
});
