import { allEventNames } from "../../../src/protocol/event.ts";
import { didYouMean, editDistance, nearest } from "../../../src/protocol/text/nearest.ts";
import { badOption, FUNCTION_OPTIONS, kindOf } from "./check-options.ts";
import { isInherited, memberNames } from "./member-names.ts";

/** Rejects a set with a misspelt option or method: it would have no effect, without any error. */
export function checkSet(set: object, methods: ReadonlySet<string>): void {
  const names = memberNames(set);
  for (const name of names) {
    const near = misspeltOption(name, set);
    if (near !== null) throw badOption(name, `unknown option${didYouMean(near)}`);
  }
  for (const name of names) {
    if (methods.has(name)) continue;
    // Every method of a plain object should handle an event; a class may have other methods.
    const isPlain = !isInherited(set, name);
    const near = isPlain ? nearest(name, methods) : intendedMethod(name, set, methods);
    if ((isPlain || near !== null) && isMethod(set, name)) {
      throw badOption("use", `${name} is not an event name${didYouMean(near)}`);
    }
  }
}

/** The option that the set lacks and whose name and type are close to those of this member. */
function misspeltOption(name: string, set: object): string | null {
  if (Object.hasOwn(FUNCTION_OPTIONS, name)) return null;
  const missing = Object.entries(FUNCTION_OPTIONS).filter(([option]) => !(option in set));
  const close = missing.filter(([option]) => nearest(name, [option]) !== null);
  // Checked before the value is read, so that no unrelated getter is called.
  if (close.length === 0) return null;
  const kind = kindOf(Reflect.get(set, name));
  const fitting = close.filter(([, wanted]) => wanted === kind);
  return nearest(
    name,
    fitting.map(([option]) => option),
  );
}

/** A getter that returns a function is a method too. */
const isMethod = (set: object, name: string): boolean => typeof Reflect.get(set, name) === "function";

/** Affixes of common names for event handlers. */
const AFFIXES = /^(?:on|handle|handler|do|run|hook)(?=[a-z]{6})|(?<=[a-z]{6})(?:hook|handler|callback|event)$/g;
const plain = (name: string): string => name.replace(/[^A-Za-z]/g, "").toLowerCase();
const bare = (name: string): string => plain(name).replace(AFFIXES, "");

/** The event's method that `name` probably stands for; null if none is similar, or if the object has that method. */
function intendedMethod(name: string, set: object, methods: ReadonlySet<string>): string | null {
  const near = [...methods].find((method) => isNear(name, method)) ?? methodOfEvent(name, methods);
  return near === null || isMethod(set, near) ? null : near;
}

function isNear(name: string, method: string): boolean {
  const distances = [editDistance(plain(name), plain(method)), editDistance(bare(name), bare(method))];
  return Math.min(...distances) <= (plain(method).length >= 9 ? 2 : 1);
}

/** By the name of the event in another dialect: `PreToolUse`, `preToolUse`; a short name such as `stop` only exactly. */
function methodOfEvent(name: string, methods: ReadonlySet<string>): string | null {
  const isIntended = (known: string): boolean =>
    known === name || (plain(name).length >= 8 && plain(known.replace(/^.*:/, "")) === plain(name));
  const event = [...allEventNames()].find(([known]) => isIntended(known))?.[1].event;
  const method = camelCase(event ?? "");
  return methods.has(method) ? method : null;
}

/** The name of the method for an event. */
export const camelCase = (event: string): string => event.replace(/_(.)/g, (_all, next: string) => next.toUpperCase());
