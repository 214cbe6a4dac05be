import type { Alarm, AlarmKind } from "./judge-records.ts";

/** Where a person finds a call: agent, time and session. */
export interface CallPlace {
  readonly agent: string | null;
  readonly time: string | null;
  readonly session: string;
}

/** Calls of one form that a hook would have treated in the same way. */
export interface Habit {
  readonly kind: AlarmKind;
  readonly rule: string | null;
  /** The form of the calls: `git push --force …`. */
  readonly habit: string;
  readonly count: number;
  /** The first call of this form, on one line. */
  readonly example: string;
  readonly reason: string;
  readonly place: CallPlace;
}

/** The objections of one hook. */
export interface HookTally {
  readonly hook: string;
  readonly isObserver: boolean;
  readonly counts: Readonly<Record<AlarmKind, number>>;
  /** The most frequent first. */
  readonly habits: readonly Habit[];
  /** Calls of forms beyond the limit. */
  readonly otherCalls: number;
}

/** A judged call: its alarms, and the texts that a person sees of it. */
interface TalliedCall {
  readonly alarms: readonly Alarm[];
  readonly decision: AlarmKind | null;
  readonly isByDefaults: boolean;
  /** The call in one line, without secrets. */
  readonly shown: string;
  readonly place: CallPlace;
}

const MOST_HABITS = 1_000;

type Counted<T> = { -readonly [Key in keyof T]: T[Key] };
interface Counting {
  isObserver: boolean;
  readonly counts: Record<AlarmKind, number>;
  readonly habits: Map<string, Counted<Habit>>;
  otherCalls: number;
}

/** Adds up what the hooks would have done to many calls, in bounded memory. */
export interface Tally {
  readonly add: (call: TalliedCall) => void;
  readonly judged: () => number;
  /** Calls that no hook of today handles, judged by the built-in guards with their defaults. */
  readonly judgedByDefaults: () => number;
  /** Calls by the decision that the hooks would have made. */
  readonly decisions: () => Readonly<Record<AlarmKind, number>>;
  readonly hooks: () => readonly HookTally[];
}

export function createTally(redact: (text: string) => string): Tally {
  const hooks = new Map<string, Counting>();
  const decisions = noCounts();
  let [judged, byDefaults] = [0, 0];
  return {
    add: (call) => {
      judged += 1;
      if (call.isByDefaults) byDefaults += 1;
      if (call.decision !== null) decisions[call.decision] += 1;
      for (const alarm of call.alarms) count(alarm, call, { hooks, redact });
    },
    judged: () => judged,
    judgedByDefaults: () => byDefaults,
    decisions: () => decisions,
    hooks: () => [...hooks].map(tallyOf).sort((a, b) => total(b) - total(a)),
  };
}

const noCounts = (): Record<AlarmKind, number> => ({ block: 0, ask: 0, change: 0 });
export const total = ({ counts }: Pick<HookTally, "counts">): number => counts.block + counts.ask + counts.change;

interface CountContext {
  readonly hooks: Map<string, Counting>;
  readonly redact: (text: string) => string;
}

function count(alarm: Alarm, { shown, place }: TalliedCall, { hooks, redact }: CountContext): void {
  const { hook, kind, rule, reason, isObserved } = alarm;
  const own = hooks.get(hook) ?? { isObserver: isObserved, counts: noCounts(), habits: new Map(), otherCalls: 0 };
  hooks.set(hook, own);
  own.counts[kind] += 1;
  const habit = habitOf(redact(alarm.part ?? shown));
  const key = JSON.stringify([kind, rule, habit]);
  const known = own.habits.get(key);
  if (known !== undefined) known.count += 1;
  else if (own.habits.size >= MOST_HABITS) own.otherCalls += 1;
  else own.habits.set(key, { kind, rule, habit, count: 1, example: shown, reason: redact(reason), place });
}

const tallyOf = ([hook, { isObserver, counts, habits, otherCalls }]: [string, Counting]): HookTally => ({
  hook,
  isObserver,
  counts,
  otherCalls,
  habits: [...habits.values()].sort((a, b) => b.count - a.count),
});

/** Programs whose first argument is a subcommand. */
const SUBCOMMAND = /^[a-z][a-z0-9-]*$/;
const PATH = /^(?:~|\.{0,2}\/|\/)|\//;
const MOST_WORDS = 6;

/**
 * The form of a command or path without its operands, so that one habit is one line: `git push --force …` for every
 * branch, `rm -rf …` for every folder, `…/.env` for every folder with such a file.
 */
export function habitOf(text: string): string {
  const [first = "", ...rest] = text.replace(/\s+/g, " ").trim().split(" ");
  if (rest.length === 0) return PATH.test(first) ? `…/${baseName(first)}` : first;
  const kept: string[] = [baseName(first)];
  for (const [index, word] of rest.entries()) {
    const isSubcommand = index === 0 && SUBCOMMAND.test(word);
    const shown = isSubcommand || word.startsWith("-") ? word.replace(/=.*$/, "=…") : "…";
    if (shown !== "…" || kept.at(-1) !== "…") kept.push(shown);
    if (kept.length === MOST_WORDS) break;
  }
  return kept.join(" ");
}

const baseName = (path: string): string => path.replace(/\/+$/, "").split("/").at(-1) ?? path;
