import type { Alarm, AlarmKind, JudgedRecord } from "./judge-records.ts";

/** A call as a person sees and finds it, without secrets. */
export interface ShownCall {
  /** The call on one line. */
  readonly text: string;
  readonly place: { readonly agent: string | null; readonly time: string | null; readonly session: string };
}

/** Calls of one form; the example is the first of them. */
interface Form extends Pick<ShownCall, "place"> {
  /** `git push --force …` */
  readonly habit: string;
  readonly count: number;
  readonly example: string;
}

/** Calls of one form that a hook would have treated in the same way. */
export interface Habit extends Form, Pick<Alarm, "kind" | "rule" | "reason"> {}

/** Calls of one form about which two revisions of the hooks decide differently. */
export interface DecisionChange extends Form {
  readonly before: AlarmKind | null;
  readonly after: AlarmKind | null;
  /** The hook that decides in one revision or both; the current one is preferred. */
  readonly hook: string | null;
}

type Counted<T> = { -readonly [Name in keyof T]: T[Name] };

/** Counts a call under its key. Returns false if there is no room for a new key. */
function addForm<T extends { readonly count: number }>(
  forms: Map<string, Counted<T>>,
  key: readonly unknown[],
  { most, first }: { readonly most: number; readonly first: T },
): boolean {
  const text = JSON.stringify(key);
  const known = forms.get(text);
  if (known !== undefined) known.count += 1;
  else if (forms.size < most) forms.set(text, { ...first });
  return known !== undefined || forms.has(text);
}

/** The most frequent first. */
export const byCount = <T extends { readonly count: number }>(forms: ReadonlyMap<string, T>): readonly T[] =>
  [...forms.values()].sort((a, b) => b.count - a.count);

const noCounts = (): Record<AlarmKind, number> => ({ block: 0, ask: 0, change: 0 });
export const total = ({ block, ask, change }: Readonly<Record<AlarmKind, number>>): number => block + ask + change;

/** What the hooks would have done to many calls, in bounded memory. */
export type Tally = ReturnType<typeof newTally>;

export const newTally = () => ({
  judged: 0,
  /** Calls that no hook of today handles, judged by the built-in guards with their defaults. */
  judgedByDefaults: 0,
  /** Calls by the decision that the hooks would have made. */
  decisions: noCounts(),
  hooks: new Map<string, HookTally>(),
  /** Calls that another revision of the hooks decides differently. */
  differing: 0,
  changes: new Map<string, Counted<DecisionChange>>(),
});

/** The objections of one hook. */
export interface HookTally {
  readonly isObserver: boolean;
  readonly counts: Record<AlarmKind, number>;
  readonly habits: Map<string, Counted<Habit>>;
  /** Calls of forms beyond the limit. */
  otherCalls: number;
}

const MOST_HABITS = 1_000;
const MOST_CHANGES = 5_000;

type Redact = (text: string) => string;

export function addJudged(tally: Tally, judged: JudgedRecord, show: () => ShownCall, redact: Redact): void {
  tally.judged += 1;
  if (judged.isByDefaults) tally.judgedByDefaults += 1;
  if (judged.decision !== null) tally.decisions[judged.decision] += 1;
  if (judged.alarms.length === 0) return;
  const { text, place } = show();
  for (const { hook, kind, rule, part, reason, isObserved } of judged.alarms) {
    const none = { isObserver: isObserved, counts: noCounts(), habits: new Map(), otherCalls: 0 };
    const own = tally.hooks.get(hook) ?? none;
    tally.hooks.set(hook, own);
    own.counts[kind] += 1;
    const habit = habitOf(redact(part ?? text));
    const first = { kind, rule, habit, count: 1, example: text, reason: redact(reason), place };
    if (!addForm(own.habits, [kind, rule, habit], { most: MOST_HABITS, first })) own.otherCalls += 1;
  }
}

/** Compares the decisions of two revisions about a call. */
export function addCompared(
  tally: Tally,
  { before, after }: Readonly<Record<"before" | "after", JudgedRecord>>,
  show: () => ShownCall,
  redact: Redact,
): void {
  tally.judged += 1;
  if (before.decision === after.decision && before.change === after.change) return;
  tally.differing += 1;
  const { text, place } = show();
  const alarm = [...after.alarms, ...before.alarms].find(({ isObserved }) => !isObserved);
  const habit = habitOf(redact(alarm?.part ?? text));
  const change = { before: before.decision, after: after.decision, hook: alarm?.hook ?? null, habit };
  const first = { ...change, count: 1, example: text, place };
  addForm(tally.changes, Object.values(change), { most: MOST_CHANGES, first });
}

/** Programs whose first argument is a subcommand. */
const SUBCOMMAND = /^[a-z][a-z0-9-]*$/;
const PATH = /^(?:~|\.{0,2}\/|\/)|\//;
const MOST_WORDS = 6;

/**
 * The form of a command or path without its operands, so that one habit is one line: `git push --force …` for every
 * branch, `rm -rf …` for every folder, `…/.env` for every folder with such a file.
 */
function habitOf(text: string): string {
  const [first = "", ...rest] = text.replace(/\s+/g, " ").trim().split(" ");
  if (rest.length === 0) return PATH.test(first) ? `…/${baseName(first)}` : first;
  const words: string[] = [baseName(first)];
  for (const [index, word] of rest.entries()) {
    const isSubcommand = index === 0 && SUBCOMMAND.test(word);
    const shown = isSubcommand || word.startsWith("-") ? word.replace(/=.*$/, "=…") : "…";
    if (shown !== "…" || words.at(-1) !== "…") words.push(shown);
    if (words.length === MOST_WORDS) break;
  }
  return words.join(" ");
}

const baseName = (path: string): string => path.replace(/\/+$/, "").split("/").at(-1) ?? path;
