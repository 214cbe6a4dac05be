import {
  arrayOf,
  EMPTY_OBJECT,
  isSame,
  itemsOf,
  type JsonObject,
  type JsonSpan,
  membersOf,
  membersOrNone,
  NULL,
  objectOf,
  textSpan,
} from "../json/read.ts";
import { ownValue } from "../own-value.ts";
import { convertBack } from "./conversions.ts";
import type { ToolRow, ToolTable } from "./tool-table.ts";

/** A call in both forms, before hooks changed it. */
export interface TranslatedInput {
  readonly row: ToolRow | null;
  readonly native: JsonSpan;
  readonly portable: JsonSpan;
}

/**
 * The agent's arguments of a call whose portable arguments a hook changed. Unchanged arguments stay as the agent wrote them.
 * Null if the agent's arguments cannot express the change.
 */
export function restoredInput({ row, native, portable }: TranslatedInput, changed: JsonSpan): JsonSpan | null {
  if (isSame(changed, portable)) return native;
  if (row?.tool == null) return changed;
  if (native.kind !== "object") return bareInput(row, native, changed);
  if (changed.kind !== "object") return null;
  const members = changedMembers(row, {
    native: membersOf(native),
    before: membersOf(portable),
    now: membersOf(changed),
  });
  return members === null ? null : objectOf(members);
}

/** The new input of a tool that takes a text in place of an object; null if the change is more than a text. */
function bareInput({ bare = "" }: ToolRow, native: JsonSpan, changed: JsonSpan): JsonSpan | null {
  const members = membersOrNone(changed);
  const text = members.get(bare);
  return members.size === 1 && text?.kind === native.kind ? text : null;
}

/** A tool of the agent, and its arguments for a portable call. */
export interface NativeCallParts {
  readonly name: string;
  readonly row: ToolRow;
  readonly input: JsonSpan;
}

/** A portable call in the names of any agent; null if the agent has no such tool. */
export function expressedCall(table: ToolTable, tool: string, input: JsonSpan): NativeCallParts | null {
  for (const [name, row] of Object.entries(table).flatMap(([name, rows]) => rows.map((row) => [name, row] as const))) {
    if (row.tool !== tool) continue;
    const native = Object.entries(row.when ?? {}).map(([key, text]): [string, JsonSpan] => [key, textSpan(text)]);
    const found = restoredInput({ row, native: objectOf(native), portable: EMPTY_OBJECT }, input);
    if (found !== null) return { name, row, input: found };
  }
  return null;
}

interface ChangedCall {
  readonly native: JsonObject;
  readonly before: JsonObject;
  readonly now: JsonObject;
}

function changedMembers(row: ToolRow, call: ChangedCall): JsonObject | null {
  const { names = {}, conversions = {}, when = {} } = row;
  const { native, before, now } = call;
  const members = new Map<string, JsonSpan>();
  const written = new Set<string>();
  for (const [key, span] of native) {
    const name = ownValue(names, key) ?? key;
    if (Object.hasOwn(when, key)) members.set(key, span);
    if (Object.hasOwn(when, key) || key === row.edits?.list) continue;
    written.add(name);
    const next = now.get(name);
    if (next === undefined) continue;
    const value = isSame(next, before.get(name)) ? span : convertBack(ownValue(conversions, key), next, span);
    if (value === null) return null;
    members.set(key, value);
  }
  const edits = row.edits === undefined ? NO_EDITS : changedEdits(row.edits, call, written);
  if (edits === null) return null;
  if (edits.list !== null) members.set(row.edits?.list ?? "", edits.list);
  for (const [name, span] of now) {
    if (written.has(name) || edits.written.includes(name)) continue;
    const key = keyOf(names, name);
    const value = convertBack(ownValue(conversions, key), span);
    if (isTaken(row, key, name) || value === null) return null;
    members.set(key, value);
  }
  return members;
}

/** True if `key` cannot carry the argument `name`: it means something else, or `name` is `edits` and the tool takes no list. */
const isTaken = ({ names = {}, when = {}, edits }: ToolRow, key: string, name: string): boolean =>
  (ownValue(names, key) ?? key) !== name ||
  Object.hasOwn(when, key) ||
  key === edits?.list ||
  (name === "edits" && edits === undefined);

interface ChangedEdits {
  /** The agent's list; null if there are no edits. */
  readonly list: JsonSpan | null;
  /** The portable arguments in it. */
  readonly written: readonly string[];
}

const NO_EDITS: ChangedEdits = { list: null, written: [] };

/**
 * The agent's list of edits from `edits`, or from the arguments of one edit. `known`: the portable arguments that the agent
 * sent beside the list. Null if the list cannot express the edits, because they are given twice or are no list.
 */
function changedEdits(
  { list, names }: NonNullable<ToolRow["edits"]>,
  { native, before, now }: ChangedCall,
  known: ReadonlySet<string>,
): ChangedEdits | null {
  const single = Object.values(names).filter((name) => now.has(name));
  const several = now.get("edits");
  const written = [...single, ...(several === undefined ? [] : ["edits"])];
  const isUnchanged = [...Object.values(names), "edits"].every((name) => isSame(now.get(name), before.get(name)));
  if (isUnchanged) return { list: native.get(list) ?? null, written };
  if (several !== undefined && (single.length > 0 || several.kind !== "array")) return null;
  // An agent that sent one edit without a list gets it back without a list.
  if (single.some((name) => known.has(name))) return native.has(list) ? null : NO_EDITS;
  const items =
    several === undefined ? [objectOf(single.map((name) => [name, now.get(name) ?? NULL]))] : itemsOf(several);
  const renamed = items.map((item) => (item.kind === "object" ? objectOf(renamedBack(item, names)) : item));
  return { list: written.length === 0 ? null : arrayOf(renamed), written };
}

function renamedBack(item: JsonSpan, names: Readonly<Record<string, string>>): JsonObject {
  return new Map([...membersOf(item)].map(([name, value]) => [keyOf(names, name), value]));
}

/** The agent's name of a portable argument. */
const keyOf = (names: Readonly<Record<string, string>>, name: string): string =>
  Object.keys(names).find((key) => names[key] === name) ?? name;
