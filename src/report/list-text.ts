import { EVENT_NAMES, type EventName } from "../protocol/event.ts";
import {
  DEFAULT_TIMEOUT_MS,
  type Hook,
  hasUnknownEvents,
  isFromProject,
  isRefused,
  type SkippedFile,
} from "../protocol/hook.ts";
import { explain } from "../protocol/problem-messages/explain.ts";
import { sandboxText } from "../protocol/sandbox.ts";
import { pluralize } from "../protocol/text/count.ts";
import { shellQuote } from "../protocol/text/shell-quote.ts";
import { escapeControls, truncateEscaped } from "../protocol/text/text.ts";
import { formatDuration } from "../protocol/text/units.ts";
import { displayPath, type PathContext } from "./display-path.ts";
import type { Listing } from "./list-json.ts";
import { warningLine } from "./problem-text.ts";
import { column, mentionText, nameColumn, type Style, TRUST_LABELS } from "./text-style.ts";

export interface ListTextInput extends Listing, PathContext {
  /** True to show skipped files with their reasons. */
  readonly isAll: boolean;
  /** Only hooks of this event. */
  readonly event: EventName | null;
  /** The hooks in the run order of one event, which `post_order` may reverse. */
  readonly runOrder: (event: EventName) => readonly Hook[];
  /** For files that are not approved: the interpreter and the length. */
  readonly summaries: ReadonlyMap<string, string>;
  /** Paths of skipped files that only lack the execute bit: they begin like a script or a program. */
  readonly needExecuteBit: ReadonlySet<string>;
}

interface ListRows extends ListTextInput {
  readonly named: (name: string) => string;
  readonly markWidth: number;
  readonly sourceWidth: number;
  /** The hooks whose events are not known. */
  readonly unidentified: readonly Hook[];
}

/** A row begins with its position in the chain, or with the setting that disables the hook. */
const positionLabel = ({ disabledReason, isWeakenedBySettings }: Hook, position: number): string =>
  disabledReason !== null ? "off" : isWeakenedBySettings ? "narrowed" : String(position);

/** The hooks that will run, in run order, and those that will not. */
export function listText(listing: ListTextInput, style: Style): string {
  const sourceWidth = Math.max(8, ...listing.hooks.map(({ source }) => source.length));
  const markWidth = Math.max(3, ...listing.hooks.map((hook) => positionLabel(hook, 0).length));
  const unidentified = listing.hooks.filter(hasUnknownEvents);
  const input = {
    ...listing,
    named: nameColumn(listing.hooks.map(({ name }) => name)),
    markWidth,
    sourceWidth,
    unidentified,
  };
  const events = EVENT_NAMES.filter((event) => input.event === null || event === input.event);
  const answering = events.map((event) => eventLines(event, input, style)).join("");
  const silent = unidentified.filter((hook) => hook.mentionedEvents.length === 0);
  const unknown =
    silent.length === 0 ? "" : `(event unknown)\n${silent.map((hook) => refusedLine(hook, input, style)).join("")}`;
  const warnings = input.warnings.map((warning) => warningLine(warning, style)).join("");
  return `${answering}${unknown}${input.isAll ? skippedLines(input, style) : ""}${warnings}${summary(input)}`;
}

function eventLines(event: EventName, input: ListRows, style: Style): string {
  const handles = (hook: Hook): boolean => hook.events.includes(event);
  // Most events have no hooks to order.
  const ready = input.hooks.some(handles) ? input.runOrder(event).filter(handles) : [];
  const claiming = input.unidentified.filter((hook) => hook.mentionedEvents.includes(event));
  if (ready.length + claiming.length === 0) return "";
  const lines = ready
    .map((hook, index) => readyLine(hook, index + 1, input, style) + portabilityLines(hook, input, style))
    .join("");
  return `${style.strong(event)}${ready.length > 0 ? "" : " (mentioned, not declared)"}\n${lines}${claiming.map((hook) => refusedLine(hook, input, style)).join("")}`;
}

function readyLine(hook: Hook, position: number, input: ListRows, style: Style): string {
  // The reason why a hook was refused is printed below the list, with a hint.
  const trust =
    hook.refusal === null || isRefused(hook)
      ? trustText(hook, style)
      : style.bad(`✖ ${escapeControls(explain(hook.refusal).summary)}`);
  const failure = hook.observe ? "observes" : `on error: ${hook.failOpen ? "allow" : "block"}`;
  const isGuard = hook.kind === "guard";
  const isUsual = isGuard || hook.timeoutMs === DEFAULT_TIMEOUT_MS;
  const time = isUsual ? "" : `timeout ${formatDuration(hook.timeoutMs)}`;
  const cells = [isGuard ? style.good("✔ built in") : trust, `prio ${hook.priority}`, failure, time];
  const match = hook.match === null ? "" : `only ${truncateEscaped(JSON.stringify(hook.match), 80)}`;
  const extras = [originOf(hook, input), sandboxOf(hook), match, hook.disabledReason ?? ""];
  return rowOf(positionLabel(hook, position), hook, [...cells, ...extras], input);
}

function rowOf(
  mark: string,
  { name, source }: Hook,
  cells: readonly string[],
  { named, markWidth, sourceWidth }: ListRows,
): string {
  const shown = cells.filter((cell) => cell !== "").join("   ");
  return `${mark.padStart(markWidth)}  ${named(name)} ${column(source, sourceWidth)} ${shown}\n`;
}

const portabilityLines = ({ path }: Hook, { portability, markWidth }: ListRows, style: Style): string =>
  (portability?.get(path)?.texts ?? [])
    .map((text) => `${"".padStart(markWidth)}  ${style.warn("▲")} ${truncateEscaped(text, 400)}\n`)
    .join("");

function sandboxOf({ sandbox }: Hook): string {
  if (sandbox === undefined) return "";
  return sandbox.backend === null ? "sandbox: none" : truncateEscaped(sandboxText(sandbox), 120);
}

function refusedLine(hook: Hook, input: ListRows, style: Style): string {
  const summary = truncateEscaped(input.summaries.get(hook.path) ?? "", 120);
  const text = `${summary}${summary === "" ? "" : "; "}${mentionText(hook.mentionedEvents)}`;
  return rowOf("-", hook, [trustText(hook, style), originOf(hook, input), text], input);
}

/** The folder of its project, where hooks of several apply. */
function originOf({ projectDir, baseName }: Hook, input: ListRows): string {
  const isAlone = new Set(input.hooks.flatMap((hook) => hook.projectDir ?? [])).size < 2;
  if (projectDir === null || (isAlone && baseName === undefined)) return "";
  return `in ${projectDir === input.cwd ? "." : displayPath(projectDir, input)}`;
}

/** The trust status; a missing file has none. */
function trustText(hook: Hook, style: Style): string {
  if (hook.lost !== undefined) return style.bad(`✖ ${escapeControls(hook.lost.cause)}`);
  if (hook.refusal?.code === "HOOK_MISSING") return style.bad("✖ missing");
  if (hook.trust !== "trusted") return style.bad(TRUST_LABELS[hook.trust]);
  // An approved hook can be refused for another reason.
  if (isRefused(hook)) return style.bad("✖ not started");
  return style.good(isFromProject(hook) ? TRUST_LABELS.trusted : "✔ needs no approval");
}

function skippedLines({ skipped, needExecuteBit }: ListTextInput, style: Style): string {
  if (skipped.length === 0) return "";
  const width = Math.max(...skipped.map((skip) => truncateEscaped(skip.name, 40).length));
  const lines = skipped.map((skip) => {
    const detail = needExecuteBit.has(skip.path) ? `${skip.detail}; to enable it: ${enabling(skip)}` : skip.detail;
    return `  ${column(truncateEscaped(skip.name, 40), width)}   ${column(skip.reason, 16)} ${truncateEscaped(detail, 400)}\n`;
  });
  return `${style.strong("Skipped")}\n${lines.join("")}`;
}

const enabling = ({ path }: SkippedFile): string => `chmod +x ${shellQuote(path)}`;

function summary(input: ListTextInput): string {
  const { hooks, skipped, searched, isAll, needExecuteBit } = input;
  const ready = hooks.filter((hook) => hook.refusal === null);
  const events = new Set(ready.flatMap((hook) => hook.events));
  const refused = hooks.filter(isRefused);
  const unready = hooks.filter((hook) => hook.refusal?.code === "HOOK_COMMAND_MISSING");
  const lost = hooks.filter((hook) => hook.lost !== undefined && hook.disabledReason === null);
  const silent = skipped.filter((skip) => skip.reason === "not_identified" || skip.reason === "unknown_format");
  const isLost = (path: string): boolean => lost.some((hook) => hook.path === path);
  const closed = skipped.filter(({ path }) => needExecuteBit.has(path) && !isLost(path));
  const problems = refused.length + unready.length + silent.length + lost.length + closed.length;
  const folders = searched.map((path) => displayPath(path, input)).join(" and ");
  const isEmpty = hooks.length === 0 && silent.length === 0;
  const found = isEmpty ? "No hooks found" : countsText(ready.length, events.size) + lessText(hooks, lost.length);
  const praise = isEmpty || problems + input.warnings.length > 0 ? "" : ", no problems";
  const counts = `${found}${praise}. Searched ${folders}.${isEmpty ? " To set it up: hookctl init" : ""}\n`;
  const others = lost.filter((hook) => !isRefused(hook));
  const hints = [...[...refused, ...unready].map(refusedHint), ...others.map(lostHint)];
  return `\n${counts}${hints.join("")}${isAll ? "" : closed.map(closedHint).join("")}${silentHint(silent, isAll)}`;
}

function countsText(hooks: number, events: number): string {
  if (hooks === 0) return "No hook can run";
  return events === 0 ? pluralize(hooks, "hook") : `${pluralize(hooks, "hook")} in ${pluralize(events, "event")}`;
}

/** The numbers of hooks that settings weaken, and of missing hooks. */
function lessText(hooks: readonly Hook[], missing: number): string {
  const off = hooks.filter((hook) => hook.disabledReason !== null).length;
  const narrowed = hooks.filter((hook) => hook.disabledReason === null && hook.isWeakenedBySettings).length;
  const counts = Object.entries({ off, narrowed, missing });
  return counts.map(([word, count]) => (count === 0 ? "" : `, ${count} ${word}`)).join("");
}

/** The row itself contains the reason. */
const lostHint = ({ name, lost }: Hook): string =>
  lost === undefined ? "" : `${truncateEscaped(name, 80)} no longer runs. ${escapeControls(lost.fix)}\n`;

function refusedHint(hook: Hook): string {
  if (hook.refusal === null) return "";
  const { summary: what, hint } = explain(hook.refusal);
  return `${escapeControls(what)}. ${escapeControls(hint)}\n`;
}

const closedHint = (skip: SkippedFile): string =>
  `${truncateEscaped(skip.name, 80)} never runs: ${skip.detail}. To enable it: ${enabling(skip)}\n`;

const SILENT_SHOWN = 5;

function silentHint(silent: readonly SkippedFile[], isAll: boolean): string {
  if (silent.length === 0) return "";
  // With `--all` each row has its reason.
  const shown = isAll ? [] : silent.slice(0, SILENT_SHOWN);
  const reasons = shown.map(
    ({ name, detail }) => `${truncateEscaped(name, 80)} never runs: ${escapeControls(detail)}\n`,
  );
  const rest = silent.length - shown.length;
  if (rest === 0) return `${reasons.join("")}To check them: hookctl test\n`;
  const next = isAll ? "test" : "list --all";
  return `${reasons.join("")}${pluralize(rest, isAll ? "file" : "more file")} did not declare an event: hookctl ${next}\n`;
}
