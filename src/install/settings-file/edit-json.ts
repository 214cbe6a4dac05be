import {
  findNodeAtLocation,
  type JSONPath,
  type Node,
  type ParseError,
  parse,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";
import type { FoundRegistration, Registration, SettingsFormat } from "../../agents/agent-install.ts";
import { isObject, objectOr, type UncheckedObject } from "../../protocol/json/read.ts";
import type { JsonRecord } from "../../protocol/json/write.ts";
import { fail, ok, type Result } from "../../protocol/result.ts";
import { findRegistrations, handlersOf } from "../registrations-in-text.ts";

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
  if (text.trim() === "") return ok(fresh(root, entry, lines));
  const opened = open(text);
  if (!opened.ok) return opened;
  let { body } = opened.value;
  for (const [key, value] of Object.entries(plain(root))) {
    if (!Object.hasOwn(rootOf(body), key)) body = appendChild(body, [], value, key);
  }
  if (lines.length > 0 && !Object.hasOwn(rootOf(body), "hooks")) body = appendChild(body, [], {}, "hooks");
  for (const line of lines) {
    const entries = entriesOf(body, line.event);
    if (entries === null) return fail({ line: 1, detail: `hooks.${line.event} is not a list` });
    const value = plain(entry(line));
    const own = findRegistrations(rootOf(body), agent).find(({ event }) => event === line.event);
    if (own !== undefined) body = exchanged(body, own, value, Object.keys(entry({ ...line, failClosed: true })));
    else if (Object.hasOwn(objectAt(body, "hooks"), line.event)) body = appendChild(body, ["hooks", line.event], value);
    else body = appendChild(body, ["hooks"], [value], line.event);
  }
  return ok(opened.value.mark + body);
}

/** Updates a registration in place. Handlers and matchers that a user added to it stay. */
function exchanged(
  body: string,
  { event, group, handler }: FoundRegistration,
  value: UncheckedObject,
  keys: readonly string[],
): string {
  const there = entriesOf(body, event)?.[group];
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
  const opened = open(text);
  if (!opened.ok) return opened;
  let { body } = opened.value;
  body = withoutEntries(body, findRegistrations(rootOf(body), agent));
  if (body === opened.value.body) return ok(text);
  if (Object.hasOwn(rootOf(body), "hooks") && Object.keys(objectAt(body, "hooks")).length === 0)
    body = removeChild(body, ["hooks"]);
  return ok(opened.value.mark + body);
}

/** From the last to the first, so that the positions of the others do not change. */
function withoutEntries(text: string, found: readonly FoundRegistration[]): string {
  let body = text;
  for (const { event, group, handler } of found.toReversed()) {
    const entries = entriesOf(body, event) ?? [];
    const beside = handlersOf(objectOr(entries[group])).length - 1;
    if (beside > 0) body = removeChild(body, ["hooks", event, group, "hooks", handler]);
    else body = removeChild(body, entries.length > 1 ? ["hooks", event, group] : ["hooks", event]);
  }
  return body;
}

/** Puts the entries of an event in the place of those that hookctl has there. */
export function exchangeJsonEntries(
  text: string,
  { event, values, agent }: { readonly event: string; readonly values: readonly unknown[]; readonly agent: string },
): Result<string, SettingsSyntaxError> {
  const opened = open(text);
  if (!opened.ok) return opened;
  const own = findRegistrations(rootOf(opened.value.body), agent).filter((one) => one.event === event);
  let body = withoutEntries(opened.value.body, own);
  if (!Object.hasOwn(rootOf(body), "hooks")) body = appendChild(body, [], {}, "hooks");
  if (entriesOf(body, event) === null) return fail({ line: 1, detail: `hooks.${event} is not a list` });
  if (!Object.hasOwn(objectAt(body, "hooks"), event)) body = appendChild(body, ["hooks"], [], event);
  for (const value of values) body = appendChild(body, ["hooks", event], value);
  return ok(opened.value.mark + body);
}

/** Sets a value, or with undefined removes its key. What is not there stays so. */
export function changeJsonValue(text: string, path: JSONPath, value: unknown): string {
  const mark = text.startsWith("\ufeff") ? "\ufeff" : "";
  const body = text.slice(mark.length);
  return mark + (value === undefined ? removeChild(body, path) : replaceValue(body, path, value));
}

function fresh(root: JsonRecord, entry: SettingsFormat["entry"], lines: readonly Registration[]): string {
  const hooks = Object.fromEntries(lines.map((line) => [line.event, [plain(entry(line))]]));
  return `${JSON.stringify({ ...plain(root), hooks }, null, 2)}\n`;
}

function open(text: string): Result<{ readonly mark: string; readonly body: string }, SettingsSyntaxError> {
  const mark = text.startsWith("\ufeff") ? "\ufeff" : "";
  const body = text.slice(mark.length);
  const faults: ParseError[] = [];
  const root: unknown = parse(body, faults, { allowTrailingComma: true });
  const [fault] = faults;
  if (fault !== undefined) {
    return fail({
      line: body.slice(0, fault.offset).split("\n").length,
      detail: words(printParseErrorCode(fault.error)),
    });
  }
  if (!isObject(root)) return fail({ line: 1, detail: "it is no object" });
  if (Object.hasOwn(root, "hooks") && !isObject(root.hooks)) return fail({ line: 1, detail: "hooks is no object" });
  const twice = twiceIn(body);
  if (twice !== null) return fail({ line: 1, detail: `${twice} occurs twice` });
  return ok({ mark, body });
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

const rootOf = (body: string): UncheckedObject => Object(parse(body, [], { allowTrailingComma: true }));
const objectAt = (body: string, key: string): UncheckedObject => Object(rootOf(body)[key]);

/** The entries of one event; null if the value is not a list. */
function entriesOf(body: string, event: string): readonly unknown[] | null {
  const found = objectAt(body, "hooks")[event] ?? [];
  return Array.isArray(found) ? found : null;
}

/** Without undefined members. */
const plain = (value: JsonRecord): UncheckedObject => JSON.parse(JSON.stringify(value));

/**
 * Appends a value to an array or object without changing any other character. The parser's own `modify` would reformat
 * the entries around it.
 */
export function appendChild(text: string, path: JSONPath, value: unknown, key: string | null = null): string {
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
