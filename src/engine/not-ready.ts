import { lacksExecuteBit } from "../discover/identify.ts";
import type { Hook, HookLoss, NotReady, SkippedFile } from "../protocol/hook.ts";
import { globMatches } from "../protocol/match.ts";
import { turnOnHint } from "../protocol/pause.ts";
import { explain } from "../protocol/problem-messages/explain.ts";
import { shellQuote } from "../protocol/text/shell-quote.ts";
import { type Warning, warningText } from "../protocol/warning.ts";
import type { CallOptions } from "./run-context.ts";

/** The hooks that a call would run, and the warnings about them. */
export interface NotReadyInput {
  readonly hooks: readonly Hook[];
  readonly skipped: readonly SkippedFile[];
  readonly warnings: readonly Warning[];
  /** True if all hooks are switched off for the call. */
  readonly isOff: boolean;
  readonly choice: Pick<CallOptions, "only" | "skip">;
}

/** The hooks that should run but would not start. Hooks that settings switch off are not included. */
export function findNotReady({ hooks, skipped, warnings, isOff, choice }: NotReadyInput): readonly NotReady[] {
  const off: readonly NotReady[] = isOff ? [HOOKS_OFF] : [];
  const chosen = skipped.filter(({ name }) => isChosen(name, choice));
  const entries = chosen.flatMap(entryNotReady);
  // A file that worked before is also among the hooks; the reason why it is skipped now is more useful.
  const skippedPaths = new Set(entries.map(({ path }) => path));
  const others = hooks.filter(({ path }) => !skippedPaths.has(path));
  const rows = [...others.flatMap(hookNotReady), ...entries];
  return [...off, ...rows, ...missingGuardsNotReady(warnings, rows, choice), ...warnings.flatMap(warningNotReady)];
}

function entryNotReady(entry: SkippedFile): readonly NotReady[] {
  const { name, path, reason, detail } = entry;
  const row = (message: string, hint: string): NotReady => ({
    name,
    path,
    code: reason,
    message: `${name}: ${message}`,
    hint,
  });
  if (reason === "name_not_utf8") return [row(detail, `Rename ${path}`)];
  if (reason === "not_regular") return [row(detail, `Remove ${path}`)];
  const fault = skippedEntryFault(entry);
  return fault === null ? [] : [row(fault.message, fault.hint)];
}

/** Why an entry of a hooks folder that is no hook probably should be one; null if it should not. */
export function skippedEntryFault(entry: SkippedFile): Pick<NotReady, "message" | "hint"> | null {
  const { reason, detail, path } = entry;
  if (lacksExecuteBit(entry))
    return {
      message: "it looks like a script or a program, but has no execute bit, so it never runs",
      hint: `chmod +x ${shellQuote(path)}; move a helper that is not a hook to a sub-folder`,
    };
  if (!["broken_link", "link_loop", "unreadable"].includes(reason)) return null;
  return { message: `it is ${detail}`.replace("it is cannot", "it cannot"), hint: `Repair or remove ${path}` };
}

const isChosen = (name: string, { only, skip }: NotReadyInput["choice"]): boolean =>
  (only === null || globMatches(only, name)) && !skip.some((glob) => globMatches(glob, name));

const HOOKS_OFF: NotReady = {
  name: "",
  path: "",
  code: "HOOKS_OFF",
  message: "hooks are disabled, so no hook would start",
  hint: "Unset HOOKCTL_NO_HOOKS, or remove --no-hooks.",
};

function hookNotReady({ name, path, refusal, lost, disabledReason }: Hook): readonly NotReady[] {
  if (disabledReason !== null) return [];
  if (lost !== undefined) return [missingGuardRow({ name, path, ...lost })];
  if (refusal === null) return [];
  const { summary, hint } = explain(refusal);
  return [{ name, path, code: refusal.code, message: summary, hint }];
}

/** A missing fail-open hook has no position in the chain, so only a warning names it. */
function missingGuardsNotReady(
  warnings: readonly Warning[],
  rows: readonly NotReady[],
  choice: NotReadyInput["choice"],
): readonly NotReady[] {
  return warnings.flatMap((warning) => {
    if (warning.code !== "HOOK_LOST" || !isChosen(warning.hook, choice)) return [];
    const isKnown = rows.some(({ path }) => path === warning.path);
    return isKnown ? [] : [missingGuardRow({ ...warning, name: warning.hook })];
  });
}

const missingGuardRow = ({ name, path, cause, fix }: HookLoss & Pick<Hook, "name" | "path">): NotReady => ({
  name,
  path,
  code: "HOOK_LOST",
  message: `${name} no longer runs: ${cause}`,
  hint: fix,
});

/** Warnings that the hooks of a folder or a file would not start. */
const PREVENTS_START: ReadonlySet<Warning["code"]> = new Set<Warning["code"]>([
  "FOLDER_UNREADABLE",
  "TOO_MANY_FILES",
  "NO_HOME",
  "SETTINGS_NOT_APPROVED",
  "SETTINGS_NOT_READ",
  "ENTRY_NOT_USED",
  "SETTINGS_CHANGED",
  "USER_SETTINGS_LOST",
  "TRUST_STORE_UNUSABLE",
  "TRUST_DIGEST_DIFFERS",
]);

/** True if `findNotReady` reports it. */
export const preventsStart = ({ code }: Warning): boolean => code === "HOOK_PAUSED" || PREVENTS_START.has(code);

function warningNotReady(warning: Warning): readonly NotReady[] {
  if (warning.code === "HOOK_PAUSED") {
    const { hook: name, path, code } = warning;
    return [{ name, path, code, message: warningText(warning), hint: turnOnHint(warning, name) }];
  }
  if (!preventsStart(warning)) return [];
  const path = "path" in warning ? warning.path : "";
  return [
    {
      name: "",
      path,
      code: warning.code,
      message: warningText(warning),
      hint: "All that was found: hookctl list --all",
    },
  ];
}
