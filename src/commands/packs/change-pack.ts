import { compareFiles, marksOf } from "../../packs/lock.ts";
import { type Pack, sourceText } from "../../packs/pack.ts";
import { settingsFileOf } from "../../packs/pack-settings.ts";
import { placePack } from "../../packs/place-pack.ts";
import type { HostProblem, Problem } from "../../protocol/problem.ts";
import { fail, ok, type Result } from "../../protocol/result.ts";
import type { PackReport } from "../../report/pack-text.ts";
import { PLAIN_STYLE } from "../../report/text-style.ts";
import { reviewText, SCREEN_ROWS } from "../../report/trust/review-text.ts";
import { promptForReview, VIEW_CHOICES } from "../prompt/review-loop.ts";
import { approvePack, forgetHooks, NO_APPROVALS_NEEDED, type PackApprovals, waitingHooks } from "./approve-pack.ts";
import { type PackSite, packCommand } from "./pack-site.ts";
import { type FormerPack, packView } from "./pack-view.ts";

/** A pack in memory, and the one in whose place it comes. */
interface PackChange {
  readonly name: string;
  readonly action: "added" | "updated" | "restored" | "approved";
  readonly pack: Pack;
  readonly former: FormerPack | null;
  /** What does the same with a yes. */
  readonly command: string;
}

/** Shows a pack, writes it if a person agrees, and approves its hooks as a set. */
export async function changePack(site: PackSite, change: PackChange): Promise<Result<PackReport, Problem>> {
  const { name, pack, former, action, command } = change;
  const settings = settingsFileOf(pack);
  if (site.scope === "user" && settings !== null)
    return fail({ code: "PACK_PROJECT_ONLY", source: sourceText(pack.source), path: settings.path });
  // Without an approval a new hook of the project does not run; one of the user would, and a changed one would block.
  const mayWait = site.scope === "project" && action !== "updated";
  const answered = await reviewPack(site, { ...change, mayWait });
  if (!answered.ok) return answered;
  const answer = answered.value;
  if (answer === "no" || (answer === "nobody" && !mayWait)) {
    return fail({
      code: "PACK_NOT_APPROVED",
      pack: name,
      command: answer === "no" ? null : packCommand(site, command),
    });
  }
  if (action !== "approved") {
    const placed = await placePack(site.root, name, pack);
    if (!placed.ok) return placed;
  }
  const files = marksOf(pack.files);
  const forgotten = former === null ? ok(null) : await forgetHooks(site, name, (path) => !files.has(path));
  if (!forgotten.ok) return forgotten;
  if (answer === "yes") return ok(reportOf(change, await approvePack(site, name, pack)));
  const waiting = await waitingHooks(site, name);
  if (!waiting.ok) return waiting;
  return ok(reportOf(change, { ...NO_APPROVALS_NEEDED, waiting: waiting.value.map((hook) => hook.name) }));
}

export function reportOf(
  { name, action, pack, former }: Omit<PackChange, "command">,
  approvals: PackApprovals,
): PackReport {
  const { approved, waiting, because, problem } = approvals;
  return {
    name,
    action,
    source: sourceText(pack.source),
    revision: pack.revision,
    pinned: pack.pin.commit ?? pack.pin.version ?? null,
    files: compareFiles(former?.files ?? new Map(), marksOf(pack.files)),
    approved,
    waiting,
    notApprovedBecause: because,
    problem,
  };
}

/** What a person decided; `nobody`: there was no terminal to ask. */
type PackAnswer = "yes" | "no" | "nobody";

interface ReviewedChange {
  readonly name: string;
  readonly pack: Pack;
  readonly former: FormerPack | null;
  /** Without a terminal nothing is shown: `hookctl trust` shows it later. */
  readonly mayWait: boolean;
}

/** Shows every file of a pack, or what changed in it, and asks. With `--yes` it is shown all the same. */
async function reviewPack(site: PackSite, change: ReviewedChange): Promise<Result<PackAnswer, HostProblem>> {
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
