import { didYouMean } from "../text/nearest.ts";
import { shellQuote } from "../text/shell-quote.ts";
import { listNames, truncate } from "../text/text.ts";
import type { ProblemRows, Texts, UnionOf } from "./row.ts";
import { type ConfigProblem, configWords } from "./settings.ts";

/** A pack that was not added, updated or removed. `source` is a source of packs as it is typed, `pack` a name. */
export const PACK_ROWS = {
  PACK_BAD_SOURCE: ({ source, detail }: Texts<"source" | "detail">) => [
    `${shown(source)} is not a source of hooks: ${truncate(detail, 200)}.`,
    "Try: hookctl add owner/repo, https://host/repo.git@v1, npm:NAME, or a folder such as ./hooks-of-mine",
  ],
  PACK_NOT_FETCHED: ({ source, cause }: Texts<"source" | "cause">) => [
    `${shown(source)} could not be fetched: ${truncate(cause, 300)}.`,
    "Nothing was changed. Check the name and your connection, then run the same command again.",
  ],
  PACK_UNKNOWN_REVISION: ({ source, revision }: Texts<"source" | "revision">) => [
    `${shown(source)} has no tag, branch, commit or version "${truncate(revision, 100)}".`,
    `Without a revision the newest is added: hookctl add ${shellQuote(shown(source))}`,
  ],
  PACK_WITHOUT_HOOKS: ({ source }: Texts<"source">) => [
    `${shown(source)} holds no hooks: there is no executable file in its hooks/ or .kodelet/hooks/, and no hook in a hooks.json beside it.`,
    "If they are in another folder: hookctl add URL#FOLDER. Set execute bits with: git update-index --chmod=+x hooks/NAME",
  ],
  PACK_UNSAFE: ({ source, path, cause }: Texts<"source" | "path" | "cause">) => [
    `${shown(source)} was refused: ${shown(path)}: ${truncate(cause, 200)}.`,
    "Nothing was changed. A pack holds plain files: docs/sharing.md",
  ],
  /** The pack's own settings, with the name of their file in it. */
  PACK_BAD_SETTINGS: ({ source, problem }: Texts<"source"> & { problem: ConfigProblem }) => [
    `${shown(source)} was refused: ${truncate(configWords(problem)[0], 300)}.`,
    "Nothing was changed. What settings of a pack may hold: docs/sharing.md",
  ],
  /** In the user's scope settings of packs have no effect. */
  PACK_PROJECT_ONLY: ({ source, path }: Texts<"source" | "path">) => [
    `${shown(source)} was refused: ${truncate(path, 60)} in it would have no effect among your own hooks.`,
    "Nothing was changed. Add it to a project: hookctl add, without --scope user",
  ],
  /** The fetched content differs from the pinned content. */
  PACK_DIFFERS: ({ source, path }: Texts<"source" | "path">) => [
    `${shown(source)} no longer has the pinned content: ${shown(path)} differs from .kodelet/hooks.lock.`,
    "Nothing was changed. To look at what it has now: hookctl update",
  ],
  /** `by` is the source of the other pack; null if the folder is in no lock file. */
  PACK_NAME_TAKEN: ({ pack, by }: Texts<"pack"> & { by: string | null }) => [
    `The name ${shown(pack)} is taken by ${by === null ? "a folder in .kodelet/plugins that hookctl add did not create" : shown(by)}.`,
    "Choose another: hookctl add SOURCE --name NAME",
  ],
  PACK_BAD_NAME: ({ pack }: Texts<"pack">) => [
    `"${truncate(pack, 60)}" cannot be the name of a pack.`,
    "A name is letters, digits, dots and dashes: hookctl add SOURCE --name team@guards",
  ],
  PACK_UNKNOWN: ({ pack, nearest }: Texts<"pack"> & { nearest: string | null }) => [
    `No pack ${shown(pack)} was added here${nearest === null ? "." : didYouMean(nearest)}`,
    "All packs are in .kodelet/hooks.lock; yours in ~/.kodelet/hooks.lock: --scope user",
  ],
  PACK_MODIFIED: ({ pack, files, command }: Texts<"pack" | "command"> & { files: readonly string[] }) => [
    `${shown(pack)} was changed since it was added: ${truncate(listNames(files), 300)}.`,
    `To discard these changes: ${truncate(command, 200)}`,
  ],
  /** `command` approves it without a prompt; null if the user declined. */
  PACK_NOT_APPROVED: ({ pack, command }: Texts<"pack"> & { command: string | null }) =>
    command === null
      ? [`You did not approve ${shown(pack)}, so nothing was changed.`, "Run the same command again."]
      : [
          `${shown(pack)} waits for your approval, and there is no terminal: nothing was changed.`,
          `If you have read it: ${truncate(command, 300)}`,
        ],
  PACK_LOCK_INVALID: ({ path, detail }: Texts<"path" | "detail">) => [
    `${path} cannot be used: ${truncate(detail, 300)}.`,
    "Restore it from your repository. Its format: hookctl schema lock",
  ],
} as const satisfies ProblemRows;
export type PackProblem = UnionOf<typeof PACK_ROWS>;

const shown = (text: string): string => truncate(text, 200);
