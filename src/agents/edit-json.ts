import { findNodeAtLocation, type ParseError, parse, parseTree, printParseErrorCode } from "jsonc-parser";
import type { JsonRecord } from "../contract/json-text.ts";
import { fail, ok, type Result } from "../contract/result.ts";
import { isOurLine } from "./bridge-line.ts";
import { appended, removed, replaced } from "./json-text-edit.ts";
import type { Line, SettingsRegistration } from "./registration.ts";

/** Where in a text it is wrong, and how. */
export interface TextFault {
  readonly line: number;
  readonly detail: string;
}

/** The settings with our lines in them. Comments, order, formatting and foreign entries stay as they are. */
export function withLines(
  text: string,
  { root, entry }: Pick<SettingsRegistration, "root" | "entry">,
  lines: readonly Line[],
  agent: string,
): Result<string, TextFault> {
  if (text.trim() === "") return ok(fresh(root, entry, lines));
  const opened = open(text);
  if (!opened.ok) return opened;
  let { body } = opened.value;
  for (const [key, value] of Object.entries(plain(root))) {
    if (!Object.hasOwn(rootOf(body), key)) body = appended(body, [], value, key);
  }
  if (lines.length > 0 && !Object.hasOwn(rootOf(body), "hooks")) body = appended(body, [], {}, "hooks");
  for (const line of lines) {
    const entries = entriesOf(body, line.event);
    if (entries === null) return fail({ line: 1, detail: `hooks.${line.event} is not a list` });
    const value = plain(entry(line));
    const own = entries.findIndex((one) => commandsIn(one).some((command) => isOurLine(command, agent)));
    if (own >= 0 && JSON.stringify(entries[own]) === JSON.stringify(value)) continue;
    if (own >= 0) body = replaced(body, ["hooks", line.event, own], value);
    else if (Object.hasOwn(objectAt(body, "hooks"), line.event)) body = appended(body, ["hooks", line.event], value);
    else body = appended(body, ["hooks"], [value], line.event);
  }
  return ok(opened.value.mark + body);
}

/** The settings without our lines, and without what only they needed. */
export function withoutLines(text: string, agent: string): Result<string, TextFault> {
  if (text.trim() === "") return ok(text);
  const opened = open(text);
  if (!opened.ok) return opened;
  let { body } = opened.value;
  for (const event of Object.keys(objectAt(body, "hooks"))) {
    const entries = entriesOf(body, event) ?? [];
    const own = entries.flatMap((one, index) =>
      commandsIn(one).some((text) => isOurLine(text, agent)) ? [index] : [],
    );
    if (own.length === 0) continue;
    if (own.length === entries.length) body = removed(body, ["hooks", event]);
    else for (const index of own.reverse()) body = removed(body, ["hooks", event, index]);
  }
  if (body === opened.value.body) return ok(text);
  if (Object.hasOwn(rootOf(body), "hooks") && Object.keys(objectAt(body, "hooks")).length === 0)
    body = removed(body, ["hooks"]);
  return ok(opened.value.mark + body);
}

function fresh(root: JsonRecord, entry: SettingsRegistration["entry"], lines: readonly Line[]): string {
  const hooks = Object.fromEntries(lines.map((line) => [line.event, [plain(entry(line))]]));
  return `${JSON.stringify({ ...plain(root), hooks }, null, 2)}\n`;
}

function open(text: string): Result<{ readonly mark: string; readonly body: string }, TextFault> {
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
  if (twice !== null) return fail({ line: 1, detail: `${twice} stands twice` });
  return ok({ mark, body });
}

/** ValueExpected -> value expected */
const words = (code: string): string => code.replace(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase();

/** A key that stands twice has one meaning for one reader and another for the next. */
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

type Found = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Found =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const rootOf = (body: string): Found => Object(parse(body, [], { allowTrailingComma: true }));
const objectAt = (body: string, key: string): Found => Object(rootOf(body)[key]);

/** The entries of one event; null when something else stands there. */
function entriesOf(body: string, event: string): readonly unknown[] | null {
  const found = objectAt(body, "hooks")[event] ?? [];
  return Array.isArray(found) ? found : null;
}

/** Every command of an entry, in a group or alone. */
function commandsIn(entry: unknown): readonly string[] {
  if (!isObject(entry)) return [];
  const own = typeof entry.command === "string" ? [entry.command] : [];
  return Array.isArray(entry.hooks) ? [...own, ...entry.hooks.flatMap(commandsIn)] : own;
}

/** Without the members that are not there: they would otherwise be written as `null` or compared. */
const plain = (value: JsonRecord): Found => JSON.parse(JSON.stringify(value));
