import { parse } from "jsonc-parser";
import { arrayOr, isObject, objectOr, type UncheckedObject } from "../../protocol/json/read.ts";
import { appendChild, removeChild } from "./edit-json.ts";

/** One entry of `hooks` with its event: a group in an agent's settings, or a hook in hookctl's. */
export interface HookEntry {
  readonly on: string;
  readonly value: UncheckedObject;
}

/** Appends entries. `root` has the first keys of a new file. */
export function addHookEntries(text: string, members: readonly HookEntry[], root: UncheckedObject): string {
  if (text.trim() === "") {
    const hooks: Record<string, UncheckedObject[]> = {};
    for (const { on, value } of members) hooks[on] = [...(hooks[on] ?? []), value];
    return `${JSON.stringify({ ...root, hooks }, null, 2)}\n`;
  }
  return edited(text, (body) => members.reduce(withMember, body));
}

function withMember(body: string, { on, value }: HookEntry): string {
  const hooks = hooksIn(body);
  if (hooks === undefined) return appendChild(body, [], { [on]: [value] }, "hooks");
  if (Array.isArray(hooks)) return appendChild(body, ["hooks"], { on, ...value });
  if (Object.hasOwn(objectOr(hooks), on)) return appendChild(body, ["hooks", on], value);
  return appendChild(body, ["hooks"], [value], on);
}

/** Removes these entries if they are unchanged. */
export function removeHookEntries(text: string, members: readonly HookEntry[]): string {
  return edited(text, (body) => members.reduce(withoutMember, body));
}

function withoutMember(body: string, member: HookEntry): string {
  const hooks = hooksIn(body);
  if (Array.isArray(hooks)) {
    const index = hooks.findIndex((one) => isSame(one, { on: member.on, ...member.value }));
    return index < 0 ? body : removeChild(body, ["hooks", index]);
  }
  const list = arrayOr(objectOr(hooks)[member.on]);
  const index = list.findIndex((one) => isSame(one, member.value));
  if (index < 0) return body;
  if (list.length > 1) return removeChild(body, ["hooks", member.on, index]);
  return removeChild(body, Object.keys(objectOr(hooks)).length > 1 ? ["hooks", member.on] : ["hooks"]);
}

/** All entries of `hooks`, which is an object by event or a list. */
export function hookEntriesIn(text: string): readonly HookEntry[] {
  const hooks = hooksIn(text);
  if (Array.isArray(hooks)) return hooks.filter(isObject).map(({ on, ...value }) => ({ on: String(on), value }));
  return Object.entries(objectOr(hooks)).flatMap(([on, list]) =>
    arrayOr(list)
      .filter(isObject)
      .map((value) => ({ on, value })),
  );
}

/** The entries of the first list that are not in the second. */
export const hookEntriesNotIn = (some: readonly HookEntry[], others: readonly HookEntry[]): readonly HookEntry[] =>
  some.filter((one) => !others.some((other) => isSame(one, other)));

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
const hooksIn = (text: string): unknown =>
  Object(parse(text.replace(/^\ufeff/, ""), [], { allowTrailingComma: true })).hooks;

/** Edits the text without its byte order mark. */
function edited(text: string, edit: (body: string) => string): string {
  const mark = text.startsWith("\ufeff") ? "\ufeff" : "";
  return mark + edit(text.slice(mark.length));
}
