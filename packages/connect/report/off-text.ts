import { clockText } from "../../../src/engine/pauses.ts";
import type { RunContext } from "../../../src/engine/run-context.ts";
import type { Hook } from "../../../src/protocol/hook.ts";
import { printableJson } from "../../../src/protocol/json/write.ts";
import type { Pause } from "../../../src/protocol/pause.ts";
import { quoteHookNames } from "../../../src/protocol/text/shell-quote.ts";
import { truncateEscaped } from "../../../src/protocol/text/text.ts";
import { formatDuration } from "../../../src/protocol/text/units.ts";
import { displayPath } from "../../../src/report/display-path.ts";
import { nameColumn } from "../../../src/report/text-style.ts";
import { rulesLeftOffText } from "./guard-rules-text.ts";
import { type Unaffected, unaffectedJson, unaffectedText } from "./guards-text.ts";
import { userPaths } from "./user-paths.ts";

type Surroundings = Pick<RunContext, "nowMs" | "cwd" | "scopes">;

/** The prompt of a pause: its hooks, its project and its duration. */
export function pausePrompt(
  hooks: readonly Hook[],
  rules: readonly { readonly name: string }[],
  [pause]: readonly Pause[],
  around: Surroundings,
): string {
  if (pause === undefined) return "";
  const named = nameColumn([...hooks, ...rules].map(({ name }) => name));
  const rows = [
    ...hooks.map(({ name, kind, source, path }) => {
      return `  ${named(name)} ${kind === "guard" ? "built-in guard" : source}   ${displayPath(path, userPaths(around))}\n`;
    }),
    ...rules.map(({ name }) => `  ${named(name)} rule of a built-in guard\n`),
  ];
  const lasts = formatDuration(pause.endMs - pause.startMs);
  return `These would be off for ${lasts}, ${rangeText(pause, ", ", around)}:\n${rows.join("")}`;
}

/** The pauses, one line each. */
export function pausesText(pauses: readonly Pause[], around: Surroundings): string {
  if (pauses.length === 0) return "";
  const named = nameColumn(pauses.map(({ name }) => name));
  const rows = pauses.map((pause) => {
    return `${named(pause.name)} off ${rangeText(pause, " ", around)}, by ${truncateEscaped(pause.by, 40)}\n`;
  });
  return `${rows.join("")}To end it now: hookctl on ${quoteHookNames([...new Set(pauses.map(({ name }) => name))])}\n`;
}

/** What settings switch off for good. */
export interface OffForGood {
  readonly name: string;
  readonly file: string;
  readonly isHere: boolean;
}

/** What is off: the pauses, and below them what settings switch off. */
export function offText(pauses: readonly Pause[], forGood: readonly OffForGood[], around: Surroundings): string {
  if (pauses.length + forGood.length === 0) return "Nothing is off.\n";
  const named = nameColumn(forGood.map(({ name }) => name));
  const rows = forGood.map(({ name, file, isHere }) => {
    const where = isHere ? " in this project" : "";
    return `${named(name)} off for good${where} (${displayPath(file, userPaths(around))})\n`;
  });
  return pausesText(pauses, around) + rows.join("");
}

/** When it ends, in local time, and where it applies. */
const rangeText = ({ endMs, project }: Pause, gap: string, around: Surroundings): string =>
  `until ${clockText(endMs, around.nowMs)}${gap}${project === null ? "everywhere" : `in ${displayPath(project, userPaths(around))}`}`;

/** `hookctl.off/1`. */
export const pausesJson = (pauses: readonly Pause[], forGood: readonly OffForGood[] = []): string =>
  printableJson({
    schema: "hookctl.off/1",
    pauses: pauses.map(({ name, project, startMs, endMs, by }) => ({
      name,
      project,
      from: new Date(startMs).toISOString(),
      until: new Date(endMs).toISOString(),
      by,
    })),
    for_good: forGood.map(({ name, file, isHere }) => ({ name, file, here: isHere })),
  });

/** The hooks that `hookctl on` resumed, those that were on already, and those that stay off because of other settings. */
export interface Resumed {
  readonly ended: readonly string[];
  readonly already: readonly string[];
  readonly off: readonly Unaffected[];
  /** Rules of the guards among them that stay off. */
  readonly rulesOff: readonly string[];
  /** Nothing was changed. */
  readonly isDry: boolean;
}

export const resumedText = ({ ended, already, off, rulesOff, isDry }: Resumed): string =>
  [
    ...ended.map((name) => `${isDry ? "•" : "✔"} ${truncateEscaped(name, 80)}: ${isDry ? "would be on" : "on"}\n`),
    ...already.map((name) => `${truncateEscaped(name, 80)}: already on\n`),
    unaffectedText(off),
    rulesLeftOffText(rulesOff),
  ].join("");

export const resumedJson = ({ ended, off, isDry }: Resumed): string =>
  printableJson({
    schema: "hookctl.on/1",
    hooks: ended,
    dry_run: isDry || undefined,
    unaffected: unaffectedJson(off),
  });
