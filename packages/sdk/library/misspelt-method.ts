import { allEventNames } from "../../../src/protocol/event.ts";
import { editDistance, nearest } from "../../../src/protocol/text/nearest.ts";
import { isInherited, memberNames } from "./member-names.ts";

/** A method that would never be called, and the name that was probably intended. */
interface MisspeltMethod {
  readonly name: string;
  readonly nearest: string | null;
}

/**
 * The first method of a set that is not named after an event. Any such method of a plain object is a mistake; a class
 * may have other methods, so there only a name similar to an event's is.
 */
export function findMisspeltMethod(set: object, methods: ReadonlySet<string>): MisspeltMethod | null {
  for (const name of memberNames(set)) {
    if (methods.has(name)) continue;
    const isOwn = !isInherited(set, name);
    const near = isOwn ? nearest(name, methods) : meantMethod(name, set, methods);
    if ((isOwn || near !== null) && isMethod(set, name)) return { name, nearest: near };
  }
  return null;
}

/** A getter that returns a function counts as a method too. */
const isMethod = (set: object, name: string): boolean => typeof Reflect.get(set, name) === "function";

/** Affixes of common names for event handlers. */
const AFFIXES = /^(?:on|handle|handler|do|run|hook)(?=[a-z]{6})|(?<=[a-z]{6})(?:hook|handler|callback|event)$/g;
const plain = (name: string): string => name.replace(/[^A-Za-z]/g, "").toLowerCase();
const bare = (name: string): string => plain(name).replace(AFFIXES, "");

/** The event's method that `name` was probably meant to be; null: none is similar, or the object has that method. */
function meantMethod(name: string, set: object, methods: ReadonlySet<string>): string | null {
  const isAnswered = (method: string): boolean => typeof Reflect.get(set, method) === "function";
  const near = [...methods].find((method) => isNear(name, method)) ?? methodOfEvent(name, methods);
  return near === null || isAnswered(near) ? null : near;
}

function isNear(name: string, method: string): boolean {
  const distances = [editDistance(plain(name), plain(method)), editDistance(bare(name), bare(method))];
  return Math.min(...distances) <= (plain(method).length >= 9 ? 2 : 1);
}

/** By the name that another dialect has for the event: `PreToolUse`, `preToolUse`; a short one such as `stop` only exactly. */
function methodOfEvent(name: string, methods: ReadonlySet<string>): string | null {
  const isMeant = (known: string): boolean =>
    known === name || (plain(name).length >= 8 && plain(known.replace(/^.*:/, "")) === plain(name));
  const event = [...allEventNames()].find(([known]) => isMeant(known))?.[1].event;
  const method = event?.replace(/_(.)/g, (_all, next: string) => next.toUpperCase()) ?? "";
  return methods.has(method) ? method : null;
}
