import { findNodeAtLocation, type ParseError, parse, parseTree, printParseErrorCode } from "jsonc-parser";
import type { FoundRegistration, Registration, SettingsFormat } from "../../agents/agent-install.ts";
import { isObject, objectOr, type UncheckedObject } from "../../protocol/json/read.ts";
import type { JsonRecord } from "../../protocol/json/write.ts";
import { fail, ok, type Result } from "../../protocol/result.ts";
import { findRegistrations, handlersOf } from "../find-registrations.ts";
import { appendChild, removeChild, replaceValue } from "./json-splice.ts";

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

/** Updates a registration in its place. A handler or a matcher that somebody put beside it stays. */
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
  const wanted = isShared ? handlersOf(value)[0] : { ...value, ...Object.fromEntries(foreign) };
  const present = isShared ? handlersOf(there)[handler] : there;
  return JSON.stringify(present) === JSON.stringify(wanted) ? body : replaceValue(body, path, wanted);
}

/** Removes registrations, and the groups and keys that only they needed. */
export function removeJsonRegistrations(text: string, agent: string): Result<string, SettingsSyntaxError> {
  if (text.trim() === "") return ok(text);
  const opened = open(text);
  if (!opened.ok) return opened;
  let { body } = opened.value;
  // From the last to the first, so that the positions of the others do not change.
  for (const { event, group, handler } of [...findRegistrations(rootOf(body), agent)].reverse()) {
    const entries = entriesOf(body, event) ?? [];
    const beside = handlersOf(objectOr(entries[group])).length - 1;
    if (beside > 0) body = removeChild(body, ["hooks", event, group, "hooks", handler]);
    else body = removeChild(body, entries.length > 1 ? ["hooks", event, group] : ["hooks", event]);
  }
  if (body === opened.value.body) return ok(text);
  if (Object.hasOwn(rootOf(body), "hooks") && Object.keys(objectAt(body, "hooks")).length === 0)
    body = removeChild(body, ["hooks"]);
  return ok(opened.value.mark + body);
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
