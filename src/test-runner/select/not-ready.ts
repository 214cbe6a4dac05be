import type { CallOptions } from "../../engine/run-context.ts";
import type { Hook, HookLoss, SkippedFile } from "../../protocol/hook.ts";
import { globMatches } from "../../protocol/match.ts";
import { turnOnHint } from "../../protocol/pause.ts";
import { explain } from "../../protocol/problem-messages/explain.ts";
import { type Warning, warningText } from "../../protocol/warning.ts";
import type { NotReady } from "../test-report.ts";
import { checkSkippedEntry } from "./test-subject.ts";

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
  const off: readonly NotReady[] = isOff ? [{ name: "", path: "", code: "HOOKS_OFF", ...OFF }] : [];
  const meant = skipped.filter(({ name }) => isChosen(name, choice));
  const entries = meant.flatMap((skip): NotReady[] => {
    const { name, path, reason, detail } = skip;
    const fault = checkSkippedEntry(skip);
    if (reason === "name_not_utf8")
      return [{ name, path, code: reason, message: `${name}: ${detail}`, hint: `Rename ${path}` }];
    if (reason === "not_regular")
      return [{ name, path, code: reason, message: `${name}: ${detail}`, hint: `Remove ${path}` }];
    return fault === null
      ? []
      : [{ name, path, code: reason, message: `${name}: ${fault.message ?? detail}`, hint: fault.hint ?? "" }];
  });
  // A file that worked before is also among the hooks; the reason why it is skipped now is more useful.
  const skippedPaths = new Set(entries.map(({ path }) => path));
  const others = hooks.filter(({ path }) => !skippedPaths.has(path));
  const rows = [...others.flatMap(hookNotReady), ...entries];
  return [...off, ...rows, ...missingGuardsNotReady(warnings, rows, choice), ...warnings.flatMap(warningNotReady)];
}

const isChosen = (name: string, { only, skip }: NotReadyInput["choice"]): boolean =>
  (only === null || globMatches(only, name)) && !skip.some((glob) => globMatches(glob, name));

const OFF = {
  message: "hooks are switched off, so no hook would start",
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
  ...{ name, path, code: "HOOK_LOST" },
  message: `${name} no longer runs: ${cause}`,
  hint: fix,
});

/** Warnings that the hooks of a folder or a file would not start. */
const PREVENTS_START: ReadonlySet<Warning["code"]> = new Set<Warning["code"]>([
  ...(["FOLDER_UNREADABLE", "TOO_MANY_FILES", "NO_HOME"] as const),
  ...([
    "SETTINGS_NOT_APPROVED",
    "SETTINGS_NOT_READ",
    "ENTRY_NOT_USED",
    "SETTINGS_CHANGED",
    "USER_SETTINGS_LOST",
  ] as const),
  ...(["TRUST_STORE_UNUSABLE", "TRUST_DIGEST_DIFFERS"] as const),
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
