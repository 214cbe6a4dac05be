import type { Explanation, PackProblem } from "../problem.ts";
import { didYouMean } from "../text/nearest.ts";
import { shellQuote } from "../text/shell-quote.ts";
import { listNames, truncate } from "../text/text.ts";
import { explainSettings } from "./settings.ts";

export function explainPack(problem: PackProblem): Explanation {
  switch (problem.code) {
    case "PACK_BAD_SOURCE":
      return {
        summary: `${shown(problem.source)} is not a source of hooks: ${truncate(problem.detail, 200)}.`,
        hint: "Try: hookctl add owner/repo, https://host/repo.git@v1, npm:NAME, or a folder such as ./hooks-of-mine",
      };
    case "PACK_NOT_FETCHED":
      return {
        summary: `${shown(problem.source)} could not be fetched: ${truncate(problem.cause, 300)}.`,
        hint: "Nothing was changed. Check the name and your connection, then run the same command again.",
      };
    case "PACK_UNKNOWN_REVISION":
      return {
        summary: `${shown(problem.source)} has no tag, branch, commit or version "${truncate(problem.revision, 100)}".`,
        hint: `Without a revision the newest is added: hookctl add ${shellQuote(truncate(problem.source, 200))}`,
      };
    case "PACK_WITHOUT_HOOKS":
      return {
        summary: `${shown(problem.source)} holds no hooks: there is no executable file in its hooks/ or .kodelet/hooks/, and no hook in a hooks.json beside it.`,
        hint: "If they are in another folder: hookctl add URL#FOLDER. Set execute bits with: git update-index --chmod=+x hooks/NAME",
      };
    case "PACK_UNSAFE":
      return {
        summary: `${shown(problem.source)} was refused: ${truncate(problem.path, 200)}: ${truncate(problem.cause, 200)}.`,
        hint: "Nothing was changed. A pack holds plain files: docs/sharing.md",
      };
    case "PACK_BAD_SETTINGS":
      return {
        summary: `${shown(problem.source)} was refused: ${truncate(explainSettings(problem.problem).summary, 300)}.`,
        hint: "Nothing was changed. What settings of a pack may hold: docs/sharing.md",
      };
    case "PACK_PROJECT_ONLY":
      return {
        summary: `${shown(problem.source)} was refused: ${truncate(problem.path, 60)} in it would have no effect among your own hooks.`,
        hint: "Nothing was changed. Add it to a project: hookctl add, without --scope user",
      };
    case "PACK_DIFFERS":
      return {
        summary: `${shown(problem.source)} no longer has the pinned content: ${truncate(problem.path, 200)} differs from .kodelet/hooks.lock.`,
        hint: "Nothing was changed. To look at what it has now: hookctl update",
      };
    case "PACK_NAME_TAKEN":
      return {
        summary: `The name ${shown(problem.pack)} is taken by ${problem.by === null ? "a folder in .kodelet/plugins that hookctl add did not create" : truncate(problem.by, 200)}.`,
        hint: "Choose another: hookctl add SOURCE --name NAME",
      };
    case "PACK_BAD_NAME":
      return {
        summary: `"${truncate(problem.pack, 60)}" cannot be the name of a pack.`,
        hint: "A name is letters, digits, dots and dashes: hookctl add SOURCE --name team@guards",
      };
    case "PACK_UNKNOWN":
      return {
        summary: `No pack ${shown(problem.pack)} was added here${problem.nearest === null ? "." : didYouMean(problem.nearest)}`,
        hint: "All packs are in .kodelet/hooks.lock; yours in ~/.kodelet/hooks.lock: --scope user",
      };
    case "PACK_MODIFIED":
      return {
        summary: `${shown(problem.pack)} was changed since it was added: ${truncate(listNames(problem.files), 300)}.`,
        hint: `To discard these changes: ${truncate(problem.command, 200)}`,
      };
    case "PACK_NOT_APPROVED":
      return notApproved(problem);
    case "PACK_LOCK_INVALID":
      return {
        summary: `${problem.path} cannot be used: ${truncate(problem.detail, 300)}.`,
        hint: "Restore it from your repository. Its format: hookctl schema lock",
      };
  }
}

function notApproved({ pack, command }: Extract<PackProblem, { readonly code: "PACK_NOT_APPROVED" }>): Explanation {
  return command === null
    ? { summary: `You did not approve ${shown(pack)}, so nothing was changed.`, hint: "Run the same command again." }
    : {
        summary: `${shown(pack)} waits for your approval, and there is no terminal: nothing was changed.`,
        hint: `If you have read it: ${truncate(command, 300)}`,
      };
}

const shown = (text: string): string => truncate(text, 200);
