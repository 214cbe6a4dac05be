import { additionNames, hasAdditions } from "../../../src/protocol/additions.ts";
import {
  countUnmatched,
  hasFailed,
  isUnmatched,
  type LoggedLine,
  type LoggedPause,
  type LoggedPurge,
  type LoggedRun,
  type LoggedShell,
} from "../../../src/protocol/logged-run.ts";
import { pluralize } from "../../../src/protocol/text/count.ts";
import type { Style } from "../../../src/report/text-style.ts";
import { cellWidth, fitCells, padCells } from "../../screen/cell-width.ts";

/** Display options of a log. */
export interface LogView {
  /** The columns of the terminal; null outside a terminal, where nothing is cut. */
  readonly width: number | null;
  readonly style: Style;
  readonly clock: LogClock;
}

/** Times as a person reads them. */
export interface LogClock {
  /** `14:03:22`, with the date if it is not today. */
  readonly full: (atMs: number) => string;
  /** `14:03:22` */
  readonly time: (atMs: number) => string;
  /** `2026-03-04` */
  readonly day: (atMs: number) => string;
  readonly today: string;
}

/** The columns, each with the widest that it becomes on a terminal; in a pipe each may be as wide as the call. */
const MOST = { id: 26, time: 19, decision: 8, what: 24, call: 120, decider: 24, project: 20, duration: 10 };
type ColumnName = keyof typeof MOST;
const COLUMNS = Object.keys(MOST) as readonly ColumnName[];
type Widths = Record<ColumnName, number>;
type RunTexts = Readonly<Record<ColumnName, string>>;

/** A shorter excerpt of a call is not useful. */
const LEAST_CALL = 24;
const LEAST_WHAT = 6;
const LEAST_DECIDER = 12;
const GAP = 2;

const SHORT_ID = 6;
const ID_LENGTH = 26;

/** The end of an id, by which commands find the run: the ids of a day begin alike. */
export const shortId = (id: string, length = SHORT_ID): string => id.slice(-length);

/** How long short ids must be so that those of different runs differ. */
function idLength(lines: readonly LoggedLine[], known: number): number {
  const ids = new Set(lines.flatMap((line) => (line.kind === "run" ? line.runId : [])));
  let length = known;
  while (length < ID_LENGTH && new Set([...ids].map((id) => shortId(id, length))).size < ids.size) length++;
  return length;
}

/** Returns a function that makes lines of text from lines of the log, each time with columns at least as wide as before. */
export function logPrinter(view: LogView): (lines: readonly LoggedLine[]) => string {
  const widths: Widths = { ...MOST };
  for (const name of COLUMNS) widths[name] = 0;
  let day = view.clock.today;
  let length = SHORT_ID;
  return (lines) => {
    length = idLength(lines, length);
    const textsOf = (run: LoggedRun): RunTexts => ({ ...columnTexts(run, view), id: shortId(run.runId, length) });
    for (const line of lines) if (line.kind === "run") widen(widths, textsOf(line), view);
    const columns = columnsFor(widths, view.width);
    return lines
      .map((line) => {
        const own = view.width === null || line.timeMs === null ? day : view.clock.day(line.timeMs);
        const heading = own === day ? "" : `${view.style.strong(own)}\n`;
        day = own;
        const text = line.kind === "run" ? runText(line, textsOf(line), columns, view) : eventText(line, view);
        return heading + text;
      })
      .join("");
  };
}

function eventText(line: Exclude<LoggedLine, LoggedRun>, view: LogView): string {
  if (line.kind === "shell") return shellText(line, view);
  const text = `${timeText(line, view)}  ${line.kind === "purge" ? purgeText(line) : pauseText(line, view)}, by ${line.by}`;
  return `${view.style.warn(fitCells(text, view.width ?? 400))}\n`;
}

const timeText = ({ timeMs }: LoggedLine, { width, clock }: LogView): string =>
  timeMs === null ? "--:--:--" : (width === null ? clock.full : clock.time)(timeMs);

function purgeText({ before, logs }: LoggedPurge): string {
  const runs = before === null ? "all runs" : `runs before ${before}`;
  return `${runs} removed (${logs.join(", ")})`;
}

function pauseText({ hook, untilMs, project }: LoggedPause, { clock }: LogView): string {
  const state = untilMs === null ? "on again" : `off until ${clock.full(untilMs)}`;
  return `${hook} ${state} ${project === null ? "everywhere" : `in ${project}`}`;
}

function runText(run: LoggedRun, texts: RunTexts, columns: Widths, view: LogView): string {
  const cells = COLUMNS.filter((name) => columns[name] > 0).map((name) => {
    const text = fitCells(texts[name], columns[name]);
    if (name === "duration") return text.padStart(columns[name]);
    const padded = padCells(text, columns[name]);
    return name === "decision" ? decisionStyle(run.decision, view.style)(padded) : padded;
  });
  return `${cells.join(" ".repeat(GAP)).trimEnd()}\n`;
}

function columnTexts(run: LoggedRun, view: LogView): Omit<RunTexts, "id"> {
  return {
    time: timeText(run, view),
    decision: `${decisionText(run.decision)}${run.hooks.some(hasFailed) ? " ▲" : ""}`,
    what: whatText(run),
    call: run.call ?? "",
    decider: [run.decidedBy ?? matchedText(run), ...effectTexts(run)].filter((part) => part !== "").join("; "),
    project: run.project?.split("/").findLast((part) => part !== "") ?? "",
    duration: `${Math.round(run.durationMs)} ms`,
  };
}

/** `lint failed`, `notes added context`; without the hook that decided, which has the column already. */
const effectTexts = ({ hooks, decidedBy }: LoggedRun): readonly string[] =>
  hooks.flatMap((hook) => [
    ...(hasFailed(hook) && hook.name !== decidedBy ? [`${hook.name} failed`] : []),
    ...(hasAdditions(hook.added) ? [`${hook.name} added ${additionNames(hook.added)}`] : []),
  ]);

/** `0 of 3 hooks matched`; empty for any other run. */
export const matchedText = (run: LoggedRun): string =>
  isUnmatched(run) ? `0 of ${pluralize(countUnmatched(run), "hook")} matched` : "";

/** The decision in words; `continue` is the protocol's name for an allowed call. */
export const decisionText = (decision: string): string => (decision === "continue" ? "allow" : decision);

export const decisionStyle = (decision: string, style: Style): ((text: string) => string) =>
  decision === "continue" ? style.good : decision === "ask" ? style.warn : style.bad;

/** The tool of a call that is about to run, else the event. */
function whatText({ event, tool }: LoggedRun): string {
  if (tool === null) return event;
  return event === "before_tool_call" ? tool : `${tool} ${event}`;
}

function widen(widths: Widths, texts: RunTexts, { width }: LogView): void {
  for (const name of COLUMNS) {
    const most = width === null ? MOST.call : MOST[name];
    widths[name] = Math.max(widths[name], cellWidth(fitCells(texts[name], most)));
  }
}

/** Gives the call what the other columns leave. Columns that leave it too little are dropped, the least important first. */
function columnsFor(natural: Widths, width: number | null): Widths {
  if (width === null) return natural;
  const columns = { ...natural };
  const room = (): number => {
    const others = COLUMNS.filter((name) => name !== "call" && columns[name] > 0);
    return width - others.reduce((sum, name) => sum + columns[name] + GAP, 0);
  };
  // Without a call the last column has no gap after it.
  const [whole, least] = natural.call === 0 ? [-GAP, -GAP] : [natural.call, Math.min(natural.call, LEAST_CALL)];
  if (room() < whole) columns.duration = 0;
  if (room() < least) columns.decider = Math.min(columns.decider, LEAST_DECIDER);
  for (const name of ["project", "decider"] as const) if (room() < least) columns[name] = 0;
  if (room() < LEAST_WHAT) columns.time = 0;
  if (room() < least) columns.what = Math.max(Math.min(LEAST_WHAT, natural.what), columns.what - (least - room()));
  columns.call = Math.max(0, Math.min(natural.call, room()));
  return columns;
}

/** In Reyn's format: an exit code of 0 is not shown. */
export function shellText({ scheme, command, rc }: LoggedShell, { width }: Pick<LogView, "width">): string {
  const code = rc === 0 ? "" : ` [rc=${rc}]`;
  return `  ${fitCells(`${scheme}: ${command}`, (width ?? 400) - 2 - code.length)}${code}\n`;
}
