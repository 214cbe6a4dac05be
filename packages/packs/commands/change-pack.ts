import { join } from "node:path";
import { promptForReview, VIEW_CHOICES } from "../../../src/cli/prompt/review-loop.ts";
import { stderrStyle } from "../../../src/cli/stream-style.ts";
import { checkPackSettings } from "../../../src/config/compile-entries.ts";
import { eventsMentionedIn } from "../../../src/discover/mentioned-events.ts";
import { readFileBytes } from "../../../src/fs/read-file.ts";
import type { FileContent, ReviewedFile } from "../../../src/protocol/approval.ts";
import { ProblemError } from "../../../src/protocol/result.ts";
import { pluralize } from "../../../src/protocol/text/count.ts";
import { type ReviewView, reviewText, SCREEN_ROWS } from "../../../src/report/trust/review-text.ts";
import { contentOf } from "../../../src/trust/review/reviewed-texts.ts";
import { exampleFaults } from "../../guard-hooks/rule-checks.ts";
import { compareFiles, type FileMarks, type LockedPack, marksOf } from "../lock.ts";
import { type Pack, sourceText } from "../pack.ts";
import { isPackHook, isPackSettings, parseSettingsFile, settingsFileOf } from "../pack-files.ts";
import { packFolder, placePack } from "../place-pack.ts";
import type { PackApprovals, PackReport } from "../report/pack-text.ts";
import { approvePack, forgetHooks, NO_APPROVALS_NEEDED, waitingHooks } from "./approve-pack.ts";
import { type PackSite, packCommand } from "./pack-site.ts";

/** A pack in memory, and the pack that it replaces. */
interface PackChange {
  readonly name: string;
  readonly action: PackReport["action"];
  readonly pack: Pack;
  readonly former: LockedPack | null;
}

/** Shows a pack, writes it if a person agrees, and approves its hooks as a set. `command` does the same without a prompt. */
export async function changePack(
  site: PackSite,
  { command, ...change }: PackChange & { readonly command: string },
): Promise<PackReport> {
  const { name, pack, former, action } = change;
  await refuseFaultyRules(pack);
  const settings = settingsFileOf(pack);
  if (site.scope === "user" && settings !== null)
    throw new ProblemError({ code: "PACK_PROJECT_ONLY", source: sourceText(pack.source), path: settings.path });
  // Without an approval a new hook of the project does not run; a hook of the user would, and a changed hook would block.
  const mayWait = site.scope === "project" && action !== "updated";
  const answer = await reviewPack(site, change, mayWait);
  if (answer === "no" || (answer === "nobody" && !mayWait)) {
    const retry = answer === "no" ? null : packCommand(site, command);
    throw new ProblemError({ code: "PACK_NOT_APPROVED", pack: name, command: retry });
  }
  if (action !== "approved") await placePack(site.root, name, pack);
  const files = marksOf(pack.files);
  // A pack without a lock entry is new: approvals of an earlier one in its folder, deleted by hand, are not for its hooks.
  const isNew = action === "added";
  if (isNew || former !== null) await forgetHooks(site, name, (path) => isNew || !files.has(path));
  if (answer === "yes") return reportOf(change, await approvePack(site, name, pack));
  const waiting = await waitingHooks(site, name);
  return reportOf(change, { ...NO_APPROVALS_NEEDED, waiting: waiting.map((hook) => hook.name) });
}

/** Throws if an example of a rule that the pack adds to a guard does not hold. */
async function refuseFaultyRules(pack: Pack): Promise<void> {
  const file = settingsFileOf(pack);
  const parsed = file === null ? null : parseSettingsFile(file);
  const checked = file !== null && parsed?.ok ? checkPackSettings(parsed.value, file.path, () => true) : null;
  for (const added of checked?.ok ? (checked.value.guard_rules ?? []) : []) {
    const [fault] = await exampleFaults(added);
    if (fault === undefined) continue;
    const entry = `guard_rules: ${fault.rule}`;
    const problem = { code: "CONFIG_BAD_VALUE", file: file?.path ?? "", entry, detail: fault.detail } as const;
    throw new ProblemError({ code: "PACK_BAD_SETTINGS", source: sourceText(pack.source), problem });
  }
}

export function reportOf({ name, action, pack, former }: PackChange, approvals: PackApprovals): PackReport {
  const { source, revision, pin } = pack;
  return {
    ...approvals,
    name,
    // The files were there before; a hook that still needs approval is reported with its command.
    action: action === "approved" && approvals.waiting.length > 0 ? "unchanged" : action,
    source: sourceText(source),
    revision,
    previous: former === null || former.revision === revision ? null : former.revision,
    pinned: pin.commit ?? pin.version ?? null,
    files: compareFiles(former?.files ?? new Map(), marksOf(pack.files)),
    leftOut: pack.leftOut,
  };
}

/** The user's answer; `nobody`: there was no terminal. */
type PackAnswer = "yes" | "no" | "nobody";

/**
 * Shows every file of a pack, or the differences, and asks. With `--yes` it shows them without asking. Without a terminal a
 * pack that may wait is not shown: `hookctl trust` shows it later.
 */
async function reviewPack(site: PackSite, change: PackChange, mayWait: boolean): Promise<PackAnswer> {
  const { host, options, context, root } = site;
  const isUnseen = change.former === null || (await waitingHooks(site, change.name)).length > 0;
  const view = { ...packView(root.folder, change), trust: isUnseen ? "untrusted" : "changed" } as const;
  const style = await stderrStyle(options, host);
  const terminal = !options.yes && host.isStdinTerminal() ? await host.openTerminal() : null;
  if (terminal === null) {
    const rows = options.yes ? SCREEN_ROWS : mayWait ? 0 : Number.POSITIVE_INFINITY;
    const { text, hiddenLines } = reviewText(view, style, rows);
    if (rows > 0) host.err(hiddenLines === 0 ? text : `${text}  All of it is in ${view.path}\n`);
    return options.yes ? "yes" : "nobody";
  }
  const item = { view, reviewed: change.pack, file: view.path };
  const answered = await promptForReview(item, {
    question: change.former === null ? "Add it?" : "Apply these changes?",
    choices: { yes: "approve this version, all of it", no: "change nothing", view: VIEW_CHOICES.view },
    terminal,
    context,
    style,
    reload: async () => item,
  });
  terminal.close();
  const signal = host.interrupt.raised();
  if (signal !== null) throw new ProblemError({ code: "INTERRUPTED", signal });
  return answered.answer === "yes" ? "yes" : "no";
}

/** Every file of a pack for a review: in full, or its differences from the installed pack. */
function packView(root: string, { name, pack, former }: PackChange): Omit<ReviewView, "trust"> {
  const folder = packFolder(root, name);
  const marks = marksOf(pack.files);
  const states = compareFiles(former?.files ?? new Map(), marks);
  const files = states.map(({ path, state }): ReviewedFile => {
    const now = pack.files.find((file) => file.path === path) ?? null;
    return {
      name: now !== null && isPackHook(now) ? `${path} (a hook)` : path,
      path: join(folder, path),
      state,
      bytes: now?.bytes.length ?? 0,
      now: now === null ? { kind: "unreadable" } : contentOf(now.bytes),
      approved: state === "changed" ? contentAt(join(folder, path)) : null,
    };
  });
  const hooks = pack.files.filter(isPackHook);
  const settings = pack.files.filter(isPackSettings);
  const texts = [...hooks, ...settings].map(({ bytes }) => bytes.toString("latin1"));
  return {
    name,
    path: folder,
    waits: true,
    look: `a pack of ${pluralize(hooks.length, "hook")}${settings.length === 0 ? "" : " and settings"}, ${pluralize(pack.files.length, "file")}`,
    claims: eventsMentionedIn(texts.join("\n")),
    isSettings: false,
    main: summaryFile(pack, former, folder),
    files,
    changes: [],
    notCovered: [],
    writesOutside: [],
    missing: [],
    off: null,
  };
}

function contentAt(file: string): FileContent | null {
  try {
    return contentOf(readFileBytes(file));
  } catch {
    return null;
  }
}

/** Source, pin and files with their modes, which the review shows first. */
function summaryFile(pack: Pack, former: LockedPack | null, folder: string): ReviewedFile {
  const text = summaryText(pack, marksOf(pack.files));
  const before = former === null ? null : summaryText(former, former.files);
  const state = before === null ? "new" : before === text ? "same" : "changed";
  const approved = before === null ? null : { kind: "text" as const, text: before };
  return { name: folder, path: folder, state, bytes: text.length, now: { kind: "text", text }, approved };
}

function summaryText({ source, revision, pin }: Pick<Pack, "source" | "revision" | "pin">, files: FileMarks): string {
  const lines = [
    `source: ${sourceText(source)}`,
    ...(revision === null ? [] : [`revision: ${revision}`]),
    ...Object.entries(pin).map(([key, value]) => `${key}: ${value}`),
    ...[...files].map(([path, { executable = false }]) => `${kindOf(path, executable)}: ${path}`),
  ];
  return lines.map((line) => `${line}\n`).join("");
}

function kindOf(path: string, isExecutable: boolean): string {
  if (isPackSettings({ path })) return "settings";
  if (isPackHook({ path, isExecutable })) return "hook";
  return isExecutable ? "program" : "file";
}
