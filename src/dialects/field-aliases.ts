import { canonicalField, type DialectName, type NamedEvent } from "../protocol/event.ts";
import { type JsonSpan, membersOf, readJson } from "../protocol/json/read.ts";
import { jsonText } from "../protocol/json/write.ts";
import { type PathValue, withValue } from "../protocol/payload/sample.ts";
import { DIALECTS } from "./dialects.ts";

type Path = PathValue[0];

/**
 * Converts a path to hookctl's names: AgentHook's `args.command` is `tool_input.command`, Base Coat's `tool.name` is
 * `tool_name`.
 */
export function resolveFieldAlias(named: NamedEvent): (placed: PathValue) => PathValue {
  return ([path, value]) => [canonicalPath(named, path), value];
}

function canonicalPath(named: NamedEvent, path: Path): Path {
  for (const depth of path.keys()) {
    const place = canonicalPathIn(named.dialect, path.slice(0, depth + 1));
    if (place !== null) return [...place, ...path.slice(depth + 1)];
  }
  const [key = "", ...rest] = path;
  return [canonicalField(named, key), ...rest];
}

const MARK = "\u0000";
const isMark = (span: JsonSpan | undefined): boolean => span?.raw === jsonText(MARK);

/** Puts a marker at the path of an envelope, and looks which field the dialect reads it into. */
function canonicalPathIn(dialect: DialectName, path: Path): Path | null {
  const envelope = readJson(jsonText(withValue({}, [path, MARK])), Number.POSITIVE_INFINITY);
  if (!envelope.ok) return null;
  for (const [key, read] of Object.entries(DIALECTS[dialect].envelope.fields)) {
    const span = read(membersOf(envelope.value));
    if (isMark(span)) return [key];
    const inner = span?.kind === "object" ? [...membersOf(span)].find(([, member]) => isMark(member)) : undefined;
    if (inner !== undefined) return [key, inner[0]];
  }
  return null;
}
