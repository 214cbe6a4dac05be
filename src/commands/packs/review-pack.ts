import type { Pack } from "../../packs/pack.ts";
import type { HostProblem } from "../../protocol/problem.ts";
import { fail, ok, type Result } from "../../protocol/result.ts";
import { PLAIN_STYLE } from "../../report/text-style.ts";
import { reviewText, SCREEN_ROWS } from "../../report/trust/review-text.ts";
import { promptForReview, VIEW_CHOICES } from "../prompt/review-loop.ts";
import type { PackSite } from "./pack-site.ts";
import { type FormerPack, packView } from "./pack-view.ts";

/** What a person decided; `nobody`: there was no terminal to ask. */
export type PackAnswer = "yes" | "no" | "nobody";

interface ReviewedChange {
  readonly name: string;
  readonly pack: Pack;
  readonly former: FormerPack | null;
  /** Without a terminal nothing is shown: `hookctl trust` shows it later. */
  readonly mayWait: boolean;
}

/** Shows every file of a pack, or what changed in it, and asks. With `--yes` it is shown all the same. */
export async function reviewPack(site: PackSite, change: ReviewedChange): Promise<Result<PackAnswer, HostProblem>> {
  const { host, options, context, root } = site;
  const view = packView(root.folder, change.name, change);
  const terminal = !options.yes && host.isStdinTerminal() ? await host.openTerminal() : null;
  if (terminal === null) {
    const rows = options.yes ? SCREEN_ROWS : change.mayWait ? 0 : Number.POSITIVE_INFINITY;
    const { text, hiddenLines } = reviewText(view, PLAIN_STYLE, rows);
    if (rows > 0) host.err(hiddenLines === 0 ? text : `${text}  All of it is in ${view.path}\n`);
    return ok(options.yes ? "yes" : "nobody");
  }
  const item = { view, reviewed: change.pack, file: view.path };
  const answered = await promptForReview(item, {
    question: change.former === null ? "Add it?" : "Apply these changes?",
    choices: { yes: "approve exactly the text shown", no: "change nothing", view: VIEW_CHOICES.view },
    terminal,
    context,
    reload: async () => ok(item),
  });
  terminal.close();
  const signal = host.interrupt.raised();
  if (signal !== null) return fail({ code: "INTERRUPTED", signal });
  return ok(answered.answer === "yes" ? "yes" : "no");
}
