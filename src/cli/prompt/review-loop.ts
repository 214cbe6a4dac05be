import type { Terminal } from "../../engine/host.ts";
import type { RunContext } from "../../engine/run-context.ts";
import type { Problem } from "../../protocol/problem.ts";
import { attempt } from "../../protocol/result.ts";
import { escapeControls } from "../../protocol/text/text.ts";
import { PLAIN_STYLE, type Style } from "../../report/text-style.ts";
import { type ReviewView, reviewText, SCREEN_ROWS } from "../../report/trust/review-text.ts";
import { askChoice, type ChoiceQuestion } from "./ask-choice.ts";
import { openInEditor, showInPager } from "./pager-and-editor.ts";

/** An item to approve: a hook, or a settings file. */
export interface ReviewItem<R> {
  readonly view: ReviewView;
  /** The snapshot that is approved; `view` shows it. */
  readonly reviewed: R;
  /** The file to open in an editor. */
  readonly file: string;
}

/** An answer, and the item as it was last shown, to which the answer applies. */
export type ReviewAnswer<T extends string, R> =
  | { readonly answer: T | null; readonly item: ReviewItem<R> }
  /** After an edit the item cannot be approved, or is no longer pending. */
  | { readonly answer: "gone"; readonly problem: Problem | null };

export interface ReviewQuestion<T extends string, R> extends Omit<ChoiceQuestion<T>, "intro"> {
  readonly terminal: Terminal;
  readonly context: RunContext;
  readonly style: Style;
  /** Takes a new snapshot after an edit; null if the item is no longer pending. */
  readonly reload: () => Promise<ReviewItem<R> | null>;
}

/** Choices that show an item and do not answer. */
export const VIEW_CHOICES = {
  view: "view the complete text in $PAGER",
  edit: "open it in $VISUAL or $EDITOR, then show it again",
} as const;

/** Shows an item and asks until it is answered. The answer is null if the input has ended. */
export async function promptForReview<T extends string, R>(
  first: ReviewItem<R>,
  { terminal, context, style, reload, question, choices, notes = {} }: ReviewQuestion<T, R>,
): Promise<ReviewAnswer<Exclude<T, keyof typeof VIEW_CHOICES>, R>> {
  const paged = { ...PLAIN_STYLE, breakCode: style.breakCode };
  let item = first;
  let intro = reviewScreen(item.view, style);
  for (;;) {
    const answer = await askChoice<string>(terminal, { intro, question, choices, notes });
    if (answer === "view") intro = await showInPager(reviewText(item.view, paged).text, context, terminal);
    else if (answer !== "edit") return { answer: answer as Exclude<T, keyof typeof VIEW_CHOICES> | null, item };
    else {
      const trouble = await openInEditor([item.file], context, terminal);
      const reloaded = await attempt(reload);
      if (!reloaded.ok) return { answer: "gone", problem: reloaded.error };
      if (reloaded.value === null) return { answer: "gone", problem: null };
      item = reloaded.value;
      intro = reviewScreen(item.view, style) + (trouble === null ? "" : `▲ ${escapeControls(trouble)}\n`);
    }
  }
}

/** Written to the terminal, because stderr may be redirected, and nobody should approve what they cannot see. */
function reviewScreen(view: ReviewView, style: Style): string {
  const { text, hiddenLines } = reviewText(view, style, SCREEN_ROWS);
  return `\n${text}${hiddenLines > 0 ? "  This is only a part; press v to see all of it.\n" : ""}`;
}
