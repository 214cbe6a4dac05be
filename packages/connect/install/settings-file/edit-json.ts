import {
  findNodeAtLocation,
  type JSONPath,
  type Node,
  type ParseError,
  parse,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";
import { arrayOr, isObject, objectOr, type UncheckedObject } from "../../../../src/protocol/json/read.ts";
import type { JsonRecord } from "../../../../src/protocol/json/write.ts";
import { fail, ok, type Result } from "../../../../src/protocol/result.ts";
import type { FoundRegistration, Registration, SettingsFormat } from "../../../agents/agent-install.ts";
import { findRegistrations, handlersOf, objectOf } from "../find-registrations.ts";

/** A syntax error in a settings file. */
export interface SettingsSyntaxError {
  readonly line: number;
  readonly detail: string;
}

/** Adds registrations. Comments, order, formatting and other entries do not change. */
export function addJsonRegistrations(
  text: string,
  { root, entry }: Pick<SettingsFormat, "root" | "entry">,
  lines: readonly Registration[],
  agent: string,
): Result<string, SettingsSyntaxError> {
  const entryFor = (line: Registration): HookEntry => ({ on: line.event, value: plain(entry(line)) });
  if (text.trim() === "") return ok(addHookEntries("", lines.map(entryFor), plain(root)));
  return edited(text, (before) => {
    let body = before;
    for (const [key, value] of Object.entries(plain(root))) {
      if (!Object.hasOwn(objectOf(body), key)) body = appendChild(body, [], value, key);
    }
    if (lines.length > 0) body = withHooks(body);
    for (const line of lines) {
      if (!isList(body, line.event)) return notAList(line.event);
      const { on, value } = entryFor(line);
      const own = findRegistrations(objectOf(body), agent).find(({ event }) => event === on);
      const keys = Object.keys(entry({ ...line, failClosed: true }));
      body = own === undefined ? withEntry(body, { on, value }) : exchanged(body, own, value, keys);
    }
    return ok(body);
  });
}

/** The text with an empty `hooks`, where it has none. */
const withHooks = (body: string): string =>
  Object.hasOwn(objectOf(body), "hooks") ? body : appendChild(body, [], {}, "hooks");

const notAList = (event: string) => fail({ line: 1, detail: `hooks.${event} is not a list` });

/** Updates a registration in place. Handlers and matchers that a user added to it stay. */
function exchanged(
  body: string,
  { event, group, handler }: FoundRegistration,
  value: UncheckedObject,
  keys: readonly string[],
): string {
  const there = entriesOf(body, event)[group];
  if (!isObject(there)) return body;
  const foreign = Object.entries(there).filter(([key]) => !keys.includes(key));
  const isShared = Array.isArray(there.hooks) && (there.hooks.length > 1 || foreign.length > 0);
  const path = isShared ? ["hooks", event, group, "hooks", handler] : ["hooks", event, group];
  const entry = isShared ? handlersOf(value)[0] : { ...value, ...Object.fromEntries(foreign) };
  const present = isShared ? handlersOf(there)[handler] : there;
  return JSON.stringify(present) === JSON.stringify(entry) ? body : replaceValue(body, path, entry);
}

/** Removes registrations, and the groups and keys that only they needed. */
export function removeJsonRegistrations(text: string, agent: string): Result<string, SettingsSyntaxError> {
  if (text.trim() === "") return ok(text);
  return edited(text, (body) => {
    const left = withoutRegistered(body, findRegistrations(objectOf(body), agent));
    const { hooks } = objectOf(left);
    const isEmpty = left !== body && isObject(hooks) && Object.keys(hooks).length === 0;
    return ok(isEmpty ? removeChild(left, ["hooks"]) : left);
  });
}

/** From the last to the first, so that the positions of the others do not change. */
function withoutRegistered(text: string, found: readonly FoundRegistration[]): string {
  let body = text;
  for (const { event, group, handler } of found.toReversed()) {
    const entries = entriesOf(body, event);
    const beside = handlersOf(objectOr(entries[group])).length - 1;
    if (beside > 0) body = removeChild(body, ["hooks", event, group, "hooks", handler]);
    else body = removeChild(body, entries.length > 1 ? ["hooks", event, group] : ["hooks", event]);
  }
  return body;
}

/** Puts the entries of an event in the place of those that hookctl has there. */
export function exchangeJsonEntries(
  text: string,
  {
    event,
    values,
    agent,
  }: { readonly event: string; readonly values: readonly UncheckedObject[]; readonly agent: string },
): Result<string, SettingsSyntaxError> {
  return edited(text, (body) => {
    const own = findRegistrations(objectOf(body), agent).filter((one) => one.event === event);
    const left = withHooks(withoutRegistered(body, own));
    if (!isList(left, event)) return notAList(event);
    return ok(values.reduce((all, value) => withEntry(all, { on: event, value }), left));
  });
}

/** Sets a value, or with undefined removes its key. What is not there stays so. */
export const changeJsonValue = (text: string, path: JSONPath, value: unknown): string =>
  withMarkKept(text, (body) => (value === undefined ? removeChild(body, path) : replaceValue(body, path, value)));

/** Edits the text without its byte order mark. */
function withMarkKept(text: string, edit: (body: string) => string): string {
  const mark = text.startsWith("\ufeff") ? "\ufeff" : "";
  return mark + edit(text.slice(mark.length));
}

/** Edits a text that every reader understands in the same way; other texts fail. */
function edited(
  text: string,
  edit: (body: string) => Result<string, SettingsSyntaxError>,
): Result<string, SettingsSyntaxError> {
  const mark = text.startsWith("\ufeff") ? "\ufeff" : "";
  const body = text.slice(mark.length);
  const fault = faultIn(body);
  const after = fault === null ? edit(body) : fail(fault);
  return after.ok ? ok(mark + after.value) : after;
}

function faultIn(body: string): SettingsSyntaxError | null {
  const faults: ParseError[] = [];
  const root: unknown = parse(body, faults, { allowTrailingComma: true });
  const [fault] = faults;
  if (fault !== undefined) {
    const line = body.slice(0, fault.offset).split("\n").length;
    return { line, detail: words(printParseErrorCode(fault.error)) };
  }
  if (!isObject(root)) return { line: 1, detail: "it is no object" };
  if (Object.hasOwn(root, "hooks") && !isObject(root.hooks)) return { line: 1, detail: "hooks is no object" };
  const twice = twiceIn(body);
  return twice === null ? null : { line: 1, detail: `${twice} occurs twice` };
}

/** ValueExpected -> value expected */
const words = (code: string): string => code.replace(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase();

/** A key that occurs twice has one meaning for one reader and another for the next. */
function twiceIn(body: string): string | null {
  const root = parseTree(body, [], { allowTrailingComma: true });
  const hooks = root === undefined ? undefined : findNodeAtLocation(root, ["hooks"]);
  for (const node of [root, hooks]) {
    const keys = node?.children?.map((property) => String(property.children?.[0]?.value)) ?? [];
    const twice = keys.find((key, index) => keys.indexOf(key) !== index);
    if (twice !== undefined) return twice;
  }
  return null;
}

const isList = (body: string, event: string): boolean => Array.isArray(objectOr(objectOf(body).hooks)[event] ?? []);

const entriesOf = (body: string, event: string): readonly unknown[] => arrayOr(objectOr(objectOf(body).hooks)[event]);

/** Without undefined members. */
const plain = (value: JsonRecord): UncheckedObject => JSON.parse(JSON.stringify(value));

/**
 * Appends a value to an array or object without changing any other character. The parser's own `modify` would reformat
 * the entries around it.
 */
function appendChild(text: string, path: JSONPath, value: unknown, key: string | null = null): string {
  const node = nodeAt(text, path);
  const children = node?.children ?? [];
  if (node === undefined) return text;
  const { eol, indent } = styleOf(text);
  const last = children.at(-1);
  const outer = indentAt(text, node.offset);
  const name = key === null ? "" : `${JSON.stringify(key)}: `;
  if (last === undefined) {
    const inner = outer + indent;
    const close = node.offset + node.length - 1;
    // It may contain a comment.
    const start = node.offset + 1 + text.slice(node.offset + 1, close).trimEnd().length;
    return splice(text, start, close, `${eol}${inner}${name}${written(value, inner, text)}${eol}${outer}`);
  }
  const isOneLine = !text.slice(node.offset, last.offset).includes("\n");
  const inner = isOneLine ? null : indentAt(text, last.offset);
  const body =
    inner === null ? ` ${name}${JSON.stringify(value)}` : `${eol}${inner}${name}${written(value, inner, text)}`;
  const end = last.offset + last.length;
  return splice(text, end, end, `,${body}`);
}

/** Replaces a value. */
function replaceValue(text: string, path: JSONPath, value: unknown): string {
  const node = nodeAt(text, path);
  if (node === undefined) return text;
  return splice(text, node.offset, node.offset + node.length, written(value, indentAt(text, node.offset), text));
}

/** Removes a child with its comma: the inverse of `appendChild`. */
export function removeChild(text: string, path: JSONPath): string {
  const found = nodeAt(text, path);
  const node = found?.parent?.type === "property" ? found.parent : found;
  const siblings = node?.parent?.children ?? [];
  const index = node === undefined ? -1 : siblings.indexOf(node);
  const [previous, next] = [siblings[index - 1], siblings[index + 1]];
  if (node?.parent === undefined || index < 0) return text;
  if (previous !== undefined) return splice(text, previous.offset + previous.length, node.offset + node.length, "");
  if (next !== undefined) return splice(text, node.offset, next.offset, "");
  const open = node.parent.offset + 1;
  const start = open + text.slice(open, node.offset).trimEnd().length;
  const end = start === open ? node.parent.offset + node.parent.length - 1 : node.offset + node.length;
  return splice(text, start, end, "");
}

const nodeAt = (text: string, path: JSONPath): Node | undefined => {
  const tree = parseTree(text, [], { allowTrailingComma: true });
  return tree === undefined ? undefined : findNodeAtLocation(tree, path);
};

const splice = (text: string, start: number, end: number, body: string): string =>
  text.slice(0, start) + body + text.slice(end);

/** The indentation of the line at an offset. */
function indentAt(text: string, offset: number): string {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(start, offset))?.[0] ?? "";
}

function written(value: unknown, outer: string, text: string): string {
  const { eol, indent } = styleOf(text);
  return JSON.stringify(value, null, indent).replaceAll("\n", `${eol}${outer}`);
}

/** The line ends and the indentation of the file. */
function styleOf(text: string): { readonly eol: string; readonly indent: string } {
  const indent = /^([ \t]+)\S/m.exec(text)?.[1] ?? "  ";
  return { eol: text.includes("\r\n") ? "\r\n" : "\n", indent: indent.startsWith("\t") ? "\t" : indent };
}

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
  return withMarkKept(text, (body) => members.reduce(withEntry, body));
}

function withEntry(body: string, { on, value }: HookEntry): string {
  const hooks = hooksIn(body);
  if (hooks === undefined) return appendChild(body, [], { [on]: [value] }, "hooks");
  if (Array.isArray(hooks)) return appendChild(body, ["hooks"], { on, ...value });
  if (Object.hasOwn(objectOr(hooks), on)) return appendChild(body, ["hooks", on], value);
  return appendChild(body, ["hooks"], [value], on);
}

/** Removes these entries if they are unchanged. */
export function removeHookEntries(text: string, members: readonly HookEntry[]): string {
  return withMarkKept(text, (body) => members.reduce(withoutEntry, body));
}

function withoutEntry(body: string, member: HookEntry): string {
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
const hooksIn = (text: string): unknown => objectOf(text).hooks;

/** True for an object with at most a `version`. */
export const isBareObject = (text: string): boolean => /^\s*\{\s*(?:"version"\s*:\s*1\s*)?\}\s*$/.test(text);
