import {
  findNodeAtLocation,
  getNodeValue,
  type JSONPath,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";
import { arrayOr, isObject, objectOr, type UncheckedObject } from "../../../../src/protocol/json/read.ts";
import type { JsonRecord } from "../../../../src/protocol/json/write.ts";
import { ProblemError } from "../../../../src/protocol/result.ts";
import type { FoundRegistration, Registration, SettingsFormat } from "../../../agents/agent-install.ts";
import { findRegistrations, handlersOf, parseSettingsText } from "../find-registrations.ts";
import { words } from "./edit-switches.ts";

/** The agent whose settings a text holds, and the path of the file for messages. */
export interface SettingsOwner {
  readonly agent: string;
  readonly shown: string;
}

/** The problem of a settings file that cannot be edited. */
export const notEditable = (path: string, line: number, detail: string) =>
  new ProblemError({ code: "AGENT_SETTINGS_NOT_PARSED", path, line, detail });

/** Adds registrations. Comments, order, formatting and other entries do not change. */
export function addJsonRegistrations(
  text: string,
  { root, entry }: Pick<SettingsFormat, "root" | "entry">,
  lines: readonly Registration[],
  owner: SettingsOwner,
): string {
  let body = text.trim() === "" ? newFile({}) : text;
  checkEditable(body, owner.shown);
  for (const [key, value] of Object.entries(plain(root))) {
    if (!Object.hasOwn(objectOf(body), key)) body = appendChild(body, [], value, key);
  }
  if (lines.length > 0) body = withHooks(body);
  for (const line of lines) {
    checkList(body, line.event, owner.shown);
    const value = plain(entry(line));
    const found = findRegistrations(objectOf(body), owner.agent).find(({ event }) => event === line.event);
    const keys = Object.keys(entry({ ...line, failClosed: true }));
    body = found === undefined ? withEntry(body, { on: line.event, value }) : exchanged(body, found, value, keys);
  }
  return body;
}

/** The text with an empty `hooks`, where it has none. */
const withHooks = (text: string): string =>
  Object.hasOwn(objectOf(text), "hooks") ? text : appendChild(text, [], {}, "hooks");

/** Updates a registration in place. Handlers and matchers that a user added to it stay. */
function exchanged(
  text: string,
  { event, group, handler }: FoundRegistration,
  value: UncheckedObject,
  keys: readonly string[],
): string {
  const present = entriesOf(text, event)[group];
  if (!isObject(present)) return text;
  const foreign = Object.entries(present).filter(([key]) => !keys.includes(key));
  const isShared = Array.isArray(present.hooks) && (present.hooks.length > 1 || foreign.length > 0);
  if (isShared) {
    return replaceValue(text, ["hooks", event, group, "hooks", handler], handlersOf(value)[0]);
  }
  return replaceValue(text, ["hooks", event, group], { ...value, ...Object.fromEntries(foreign) });
}

/** Removes registrations, and the groups and keys that only they needed: none that `before` had, the file without them. */
export function removeJsonRegistrations(text: string, { agent, shown }: SettingsOwner, before = "{}"): string {
  if (text.trim() === "") return text;
  checkEditable(text, shown);
  const former = objectOf(before);
  const rest = withoutRegistered(text, findRegistrations(objectOf(text), agent), objectOr(former.hooks));
  const { hooks } = objectOf(rest);
  const isEmpty = rest !== text && isObject(hooks) && Object.keys(hooks).length === 0;
  return isEmpty && !Object.hasOwn(former, "hooks") ? removeChild(rest, ["hooks"]) : rest;
}

/** From the last to the first, so that the positions of the others do not change. */
const withoutRegistered = (text: string, found: readonly FoundRegistration[], former: UncheckedObject = {}): string =>
  found.toReversed().reduce((body, { event, group, handler }) => {
    const entries = entriesOf(body, event);
    if (handlersOf(objectOr(entries[group])).length > 1) {
      return removeChild(body, ["hooks", event, group, "hooks", handler]);
    }
    const isKept = entries.length > 1 || Object.hasOwn(former, event);
    return removeChild(body, isKept ? ["hooks", event, group] : ["hooks", event]);
  }, text);

/** Exchanges hookctl's entries of an event for these. */
export function exchangeJsonEntries(text: string, entries: readonly HookEntry[], { agent, shown }: SettingsOwner) {
  checkEditable(text, shown);
  return [...new Set(entries.map(({ on }) => on))].reduce((all, event) => {
    const own = findRegistrations(objectOf(all), agent).filter((one) => one.event === event);
    const rest = withHooks(withoutRegistered(all, own));
    checkList(rest, event, shown);
    return entries.filter(({ on }) => on === event).reduce(withEntry, rest);
  }, text);
}

/** Sets an existing value, or with undefined removes its key. */
export const changeJsonValue = (text: string, path: JSONPath, value: unknown): string =>
  value === undefined ? removeChild(text, path) : replaceValue(text, path, value);

/** Fails for a text that two readers could understand in different ways. */
function checkEditable(text: string, shown: string): void {
  const faults: ParseError[] = [];
  const tree = treeOf(text, faults);
  const [fault] = faults;
  if (fault !== undefined) {
    throw notEditable(shown, text.slice(0, fault.offset).split("\n").length, words(printParseErrorCode(fault.error)));
  }
  if (tree?.type !== "object") throw notEditable(shown, 1, "it is not an object");
  checkKeys(tree, shown);
  const hooks = findNodeAtLocation(tree, ["hooks"]);
  if (hooks === undefined) return;
  if (hooks.type !== "object") throw notEditable(shown, 1, "hooks is not an object");
  checkKeys(hooks, shown);
}

/** Fails for a key that occurs twice: one reader takes the first value, another the last. */
function checkKeys({ children = [] }: Node, shown: string): void {
  const keys = children.map((property) => String(property.children?.[0]?.value));
  const twice = keys.find((key, index) => keys.indexOf(key) !== index);
  if (twice !== undefined) throw notEditable(shown, 1, `${twice} occurs twice`);
}

function checkList(text: string, event: string, shown: string): void {
  const isList = Array.isArray(objectOr(objectOf(text).hooks)[event] ?? []);
  if (!isList) throw notEditable(shown, 1, `hooks.${event} is not a list`);
}

const entriesOf = (text: string, event: string): readonly unknown[] => arrayOr(objectOr(objectOf(text).hooks)[event]);

const objectOf = (text: string): UncheckedObject => parseSettingsText(text, "json");

/** Without undefined members. */
const plain = (value: JsonRecord): UncheckedObject => JSON.parse(JSON.stringify(value));

/**
 * Appends a value to an array or object without changing any other character. The parser's own `modify` would reformat
 * the entries around it.
 */
function appendChild(text: string, path: JSONPath, value: unknown, key: string | null = null): string {
  const node = nodeAt(text, path);
  if (node === undefined) return text;
  const name = key === null ? "" : `${JSON.stringify(key)}: `;
  const last = node.children?.at(-1);
  const end = last === undefined ? 0 : last.offset + last.length;
  if (last !== undefined && !text.slice(node.offset, last.offset).includes("\n")) {
    return splice(text, end, end, `, ${name}${JSON.stringify(value)}`);
  }
  const { eol, indent } = styleOf(text);
  const outer = indentAt(text, node.offset);
  const inner = last === undefined ? outer + indent : indentAt(text, last.offset);
  const child = `${eol}${inner}${name}${written(value, inner, text)}`;
  if (last !== undefined) return splice(text, end, end, `,${child}`);
  const close = node.offset + node.length - 1;
  // The container may hold a comment.
  const start = node.offset + 1 + text.slice(node.offset + 1, close).trimEnd().length;
  return splice(text, start, close, `${child}${eol}${outer}`);
}

/** Replaces a value, unless it is the same. */
function replaceValue(text: string, path: JSONPath, value: unknown): string {
  const node = nodeAt(text, path);
  if (node === undefined || isSame(getNodeValue(node), value)) return text;
  return splice(text, node.offset, node.offset + node.length, written(value, indentAt(text, node.offset), text));
}

/** Removes a child with its comma: the inverse of `appendChild`. */
export function removeChild(text: string, path: JSONPath): string {
  const found = nodeAt(text, path);
  const node = found?.parent?.type === "property" ? found.parent : found;
  if (node?.parent === undefined) return text;
  const siblings = node.parent.children ?? [];
  const index = siblings.indexOf(node);
  const [previous, next] = [siblings[index - 1], siblings[index + 1]];
  if (previous !== undefined) return splice(text, previous.offset + previous.length, node.offset + node.length, "");
  if (next !== undefined) return splice(text, node.offset, next.offset, "");
  const open = node.parent.offset + 1;
  const start = open + text.slice(open, node.offset).trimEnd().length;
  const end = start === open ? node.parent.offset + node.parent.length - 1 : node.offset + node.length;
  return splice(text, start, end, "");
}

/** The syntax tree of a text. A blank stands for the byte order mark, so that no offset changes. */
const treeOf = (text: string, faults: ParseError[]): Node | undefined =>
  parseTree(text.replace(/^\ufeff/, " "), faults, { allowTrailingComma: true });

function nodeAt(text: string, path: JSONPath): Node | undefined {
  const tree = treeOf(text, []);
  return tree === undefined ? undefined : findNodeAtLocation(tree, path);
}

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
export const addHookEntries = (text: string, members: readonly HookEntry[], root: UncheckedObject): string =>
  members.reduce(withEntry, text.trim() === "" ? newFile(root) : text);

const newFile = (root: UncheckedObject): string => `${JSON.stringify(root, null, 2)}\n`;

function withEntry(text: string, { on, value }: HookEntry): string {
  const { hooks } = objectOf(text);
  if (hooks === undefined) return appendChild(text, [], { [on]: [value] }, "hooks");
  if (Array.isArray(hooks)) return appendChild(text, ["hooks"], { on, ...value });
  if (Object.hasOwn(objectOr(hooks), on)) return appendChild(text, ["hooks", on], value);
  return appendChild(text, ["hooks"], [value], on);
}

/** Removes these entries if they are unchanged. */
export const removeHookEntries = (text: string, members: readonly HookEntry[]): string =>
  members.reduce(withoutEntry, text);

function withoutEntry(text: string, { on, value }: HookEntry): string {
  const { hooks } = objectOf(text);
  const isList = Array.isArray(hooks);
  const list = isList ? hooks : arrayOr(objectOr(hooks)[on]);
  const index = list.findIndex((one) => isSame(one, isList ? { on, ...value } : value));
  if (index < 0) return text;
  if (isList) return removeChild(text, ["hooks", index]);
  if (list.length > 1) return removeChild(text, ["hooks", on, index]);
  return removeChild(text, Object.keys(objectOr(hooks)).length > 1 ? ["hooks", on] : ["hooks"]);
}

/** All entries of `hooks`, which is an object by event or a list. */
export function hookEntriesIn(text: string): readonly HookEntry[] {
  const { hooks } = objectOf(text);
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

/** True for an object with at most a `version`. */
export const isBareObject = (text: string): boolean => /^\s*\{\s*(?:"version"\s*:\s*1\s*)?\}\s*$/.test(text);
