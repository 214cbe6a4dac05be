import { parse } from "jsonc-parser";
import { type Found, isObject, listOf, recordOf } from "./found.ts";
import { appended, removed } from "./json-text-edit.ts";

/** One member of `hooks` and the event under which it stands: a group of an agent's settings, or an entry of ours. */
export interface Member {
  readonly on: string;
  readonly value: Found;
}

/** The text with these members behind those that are there; `root` is what a new file begins with. */
export function withMembers(text: string, members: readonly Member[], root: Found): string {
  if (text.trim() === "") {
    const hooks: Record<string, Found[]> = {};
    for (const { on, value } of members) hooks[on] = [...(hooks[on] ?? []), value];
    return `${JSON.stringify({ ...root, hooks }, null, 2)}\n`;
  }
  return edited(text, (body) => members.reduce(withMember, body));
}

function withMember(body: string, { on, value }: Member): string {
  const hooks = hooksIn(body);
  if (hooks === undefined) return appended(body, [], { [on]: [value] }, "hooks");
  if (Array.isArray(hooks)) return appended(body, ["hooks"], { on, ...value });
  if (Object.hasOwn(recordOf(hooks), on)) return appended(body, ["hooks", on], value);
  return appended(body, ["hooks"], [value], on);
}

/** The text without these members, as far as they stand there unchanged. */
export function withoutMembers(text: string, members: readonly Member[]): string {
  return edited(text, (body) => members.reduce(withoutMember, body));
}

function withoutMember(body: string, member: Member): string {
  const hooks = hooksIn(body);
  if (Array.isArray(hooks)) {
    const index = hooks.findIndex((one) => isSame(one, { on: member.on, ...member.value }));
    return index < 0 ? body : removed(body, ["hooks", index]);
  }
  const list = listOf(recordOf(hooks)[member.on]);
  const index = list.findIndex((one) => isSame(one, member.value));
  if (index < 0) return body;
  if (list.length > 1) return removed(body, ["hooks", member.on, index]);
  return removed(body, Object.keys(recordOf(hooks)).length > 1 ? ["hooks", member.on] : ["hooks"]);
}

/** Every member of `hooks`, in either form. */
export function membersIn(text: string): readonly Member[] {
  const hooks = hooksIn(text);
  if (Array.isArray(hooks)) return hooks.filter(isObject).map(({ on, ...value }) => ({ on: String(on), value }));
  return Object.entries(recordOf(hooks)).flatMap(([on, list]) =>
    listOf(list)
      .filter(isObject)
      .map((value) => ({ on, value })),
  );
}

/** Those of the first that are not among the second. */
export const membersBeside = (some: readonly Member[], others: readonly Member[]): readonly Member[] =>
  some.filter((one) => !others.some((other) => isSame(one, other)));

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
const hooksIn = (text: string): unknown =>
  Object(parse(text.replace(/^\ufeff/, ""), [], { allowTrailingComma: true })).hooks;

/** A byte order mark is no part of what is edited. */
function edited(text: string, edit: (body: string) => string): string {
  const mark = text.startsWith("\ufeff") ? "\ufeff" : "";
  return mark + edit(text.slice(mark.length));
}
