import type { Hook } from "../../../src/protocol/hook.ts";
import { printableJson } from "../../../src/protocol/json/write.ts";
import { quoteHookNames } from "../../../src/protocol/text/shell-quote.ts";
import { truncateEscaped } from "../../../src/protocol/text/text.ts";
import { formatDuration } from "../../../src/protocol/text/units.ts";
import { nameColumn } from "../../../src/report/text-style.ts";
import { type Unaffected, unaffectedJson, unaffectedText } from "./guards-text.ts";

/** A pause as it is shown. */
export interface PauseView {
  readonly name: string;
  /** The folder of its project; null if it applies everywhere. */
  readonly project: string | null;
  readonly lastsMs: number;
  /** Its end in local time. */
  readonly untilText: string;
  /** ISO 8601. */
  readonly from: string;
  readonly until: string;
  readonly by: string;
}

/** The prompt of a pause: its hooks, its project and its duration. */
export function pausePrompt(hooks: readonly Hook[], [pause]: readonly PauseView[]): string {
  if (pause === undefined) return "";
  const named = nameColumn(hooks.map(({ name }) => name));
  const rows = hooks.map(({ name, kind, source, path }) => {
    return `  ${named(name)} ${kind === "guard" ? "built-in guard" : source}   ${truncateEscaped(path, 200)}\n`;
  });
  const lasts = formatDuration(pause.lastsMs);
  return `These would be off for ${lasts}, until ${pause.untilText}, ${whereText(pause)}:\n${rows.join("")}`;
}

/** The pauses, one line each. */
export function pausesText(pauses: readonly PauseView[]): string {
  if (pauses.length === 0) return "No hook is off for a while.\n";
  const named = nameColumn(pauses.map(({ name }) => name));
  const rows = pauses.map((pause) => {
    return `${named(pause.name)} off until ${pause.untilText} ${whereText(pause)}, by ${truncateEscaped(pause.by, 40)}\n`;
  });
  return `${rows.join("")}To end it now: hookctl on ${quoteHookNames([...new Set(pauses.map(({ name }) => name))])}\n`;
}

const whereText = ({ project }: PauseView): string =>
  project === null ? "everywhere" : `in ${truncateEscaped(project, 200)}`;

/** `hookctl.off/1`. */
export const pausesJson = (pauses: readonly PauseView[]): string =>
  printableJson({
    schema: "hookctl.off/1",
    pauses: pauses.map(({ name, project, from, until, by }) => ({ name, project, from, until, by })),
  });

/** The hooks that `hookctl on` resumed, those that were on already, and those that other settings keep off. */
export interface Resumed {
  readonly ended: readonly string[];
  readonly already: readonly string[];
  readonly off: readonly Unaffected[];
}

export const resumedText = ({ ended, already, off }: Resumed): string =>
  [
    ...ended.map((name) => `✔ ${truncateEscaped(name, 80)}: on\n`),
    ...already.map((name) => `${truncateEscaped(name, 80)}: already on\n`),
    unaffectedText(off),
  ].join("");

export const resumedJson = ({ ended, off }: Resumed): string =>
  printableJson({
    schema: "hookctl.on/1",
    hooks: ended,
    unaffected: unaffectedJson(off),
  });
