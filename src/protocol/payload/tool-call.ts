import { itemsOf, type JsonMember, type JsonObject, type JsonSpan, membersOf, startOfRaw } from "../json/read.ts";
import { nameSet } from "../json/table.ts";

/** The names of arguments, in lower case and without separators, by which a tool call is judged. */
export const COMMAND_KEYS = nameSet(
  "command commands cmd script shellcommand commandline argv program executable args",
);
/** Names that many tools have for other things, such as a number of lines; commands unless the tool is one of files. */
export const LOOSE_COMMAND_KEYS = nameSet("code run line lines bash sh shell exec execute");
export const isCommandKey = (key: string): boolean =>
  COMMAND_KEYS.has(key) || /(?:commands?|commandlines?|cmds?)$|^(?:shell|bash)(?:code|script|input)$/.test(key);
export const FOLDER_KEYS = nameSet("cwd workdir workingdirectory dir directory");
/** Names that always mean the file of a call. */
export const OWN_FILE_KEYS = nameSet(
  "filepath absolutepath notebookpath targetfile relativeworkspacepath filename path file files paths filepaths",
);
export const FILE_KEYS: ReadonlySet<string> = new Set([
  ...OWN_FILE_KEYS,
  ...nameSet("source destination src dest from to oldpath newpath uri target include includes glob globs"),
]);

/** Tools have many names for a file: `relative_path`, `output_file`, `fullPath`. */
export const isFileKey = (key: string): boolean =>
  FILE_KEYS.has(key) || (key !== "profile" && /(?:path|file|filename|uri|location)s?$|^dst$|^pathin/.test(key));

/** True if a name in an object is a path itself: `{"files": {"src/a.ts": "…"}}`. */
export const isPathKey = (key: string): boolean => key.includes("/");

/** As deep as a payload may be. */
export const TOOL_INPUT_DEPTH = 64;
export const MOST_VALUES = 2_000;

/** True if a call may have something that a guard judges. Cheap: it decides whether guards are loaded at all. */
export function concernsGuards(event: string, members: JsonObject): boolean {
  if (event === "after_tool_call") return members.has("tool_output");
  const input = members.get("tool_input");
  if (input === undefined || input.kind === "null") return false;
  if (
    input.kind !== "object" ||
    startOfRaw(input, LEAST_JUDGED).length === LEAST_JUDGED ||
    MAY_BE_PATCH.test(input.raw)
  )
    return true;
  if (DELETES.test(members.get("tool_name")?.raw ?? "")) return true;
  return argumentsOf(input).some(isJudged);
}

/** Shorter arguments have no secret and no address: `{"url":"ftp://a.b"}`. */
const LEAST_JUDGED = 18;

/** Tools that need no argument to delete something: `flushall`. */
const DELETES = /delete|drop|destroy|flush|purge|wipe|truncate|terminate/i;

/** A patch in any argument, also if its marks are written as escapes. */
const MAY_BE_PATCH = /\*\*\* |\+\+\+ |rename to |\\u002[abAB]/;

/** Names of arguments for an address, which may lack its scheme. */
export const isAddressKey = (key: string): boolean =>
  /(?:ur[li]|href|endpoint|host|hostname|domain|site|website|address)s?$/.test(key);

/** Names of texts that are for readers, or for a search; no tool runs them. */
export const PROSE_KEYS = nameSet(
  "description content contents text title body message messages subject summary note notes comment comments prompt question questions instruction instructions reason explanation thought thoughts plan todos status label labels name activeform query pattern patterns excludepatterns regex search oldstring oldstr oldtext newstring newstr newtext filetext inserttext replacement codeedit find replace header explanationtext desc details type format id sessionid language celltype editmode cellid",
);

const isJudged = ([key, { kind }]: Argument): boolean =>
  isCommandKey(key) ||
  isPathKey(key) ||
  SQL_KEYS.has(key) ||
  ((kind === "string" || kind === "array") && !PROSE_KEYS.has(key));

const SQL_KEYS = nameSet("query queries");

/** A member with its key in lower case and without separators. */
type Argument = readonly [key: string, value: JsonSpan];

/** Each guard and the record read the arguments of the same call. */
const known = new WeakMap<JsonSpan, readonly Argument[]>();

/** Every member of a tool's input and of the objects in it. */
export function argumentsOf(input: JsonSpan): readonly Argument[] {
  const read = known.get(input) ?? membersIn(input, 0);
  known.set(input, read);
  return read;
}

function membersIn(span: JsonSpan, depth: number): readonly Argument[] {
  if (depth > TOOL_INPUT_DEPTH) return [];
  if (span.kind === "array")
    return itemsOf(span)
      .slice(0, MOST_VALUES)
      .flatMap((item) => membersIn(item, depth + 1));
  if (span.kind !== "object") return [];
  return judgedMembers(span, depth).flatMap(([key, value]) => [
    [plainKey(key), value] as const,
    ...membersIn(value, depth + 1),
  ]);
}

/** True if a list or an inner object of the arguments has values beyond the limit, which nothing here reads. */
export function hasUnreadValues(span: JsonSpan, depth = 0): boolean {
  if (
    depth > TOOL_INPUT_DEPTH ||
    span.raw.length <= 2 * MOST_VALUES ||
    (span.kind !== "array" && span.kind !== "object")
  )
    return false;
  const values = span.kind === "array" ? itemsOf(span) : [...membersOf(span).values()];
  const isLong = values.length > MOST_VALUES && (span.kind === "array" || depth > 0);
  return isLong || values.some((value) => hasUnreadValues(value, depth + 1));
}

/** All arguments of a call, so that none is hidden behind 2,000 others; of an object inside them the first members. */
export function judgedMembers(span: JsonSpan, depth: number): readonly JsonMember[] {
  const members = [...membersOf(span)];
  return depth === 0 ? members : members.slice(0, MOST_VALUES);
}

export const plainKey = (key: string): string => key.replace(/[_-]/g, "").toLowerCase();
