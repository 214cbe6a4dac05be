import { faultText, type JsonSpan, readJson } from "../protocol/json/read.ts";
import { skipSpace, valueEnd } from "../protocol/json/scan.ts";
import { fail, ok, type Result } from "../protocol/result.ts";
import { type PathKey, readYaml } from "./yaml.ts";

/** The value of a JSON or YAML text. Its numbers have all their digits. */
export interface LocatedText {
  readonly value: JsonSpan;
  /** The line of the value at a path, from 1; of the nearest enclosing value if there is none. */
  readonly lineOf: (path: readonly PathKey[]) => number;
}

interface TextFault {
  readonly line: number | null;
  readonly cause: string;
}

const DEPTH = 64;

/** Parses a text by the ending of its file's name: strict JSON, else YAML. */
export function readLocated(text: string, file: string): Result<LocatedText, TextFault> {
  const plain = text.replace(/^\ufeff/, "");
  if (!file.endsWith(".json")) return locatedYaml(plain);
  const read = readJson(plain, DEPTH);
  if (!read.ok) return fail({ line: read.error.line, cause: faultText(read.error) });
  return ok({ value: read.value, lineOf: (path) => lineAt(plain, jsonOffset(plain, path)) });
}

/** Characters to which all YAML aliases together may expand. */
const LONGEST_ALIASES = 16 * 1024 * 1024;

function locatedYaml(text: string): Result<LocatedText, TextFault> {
  const found = readYaml(text, LONGEST_ALIASES);
  if (!found.ok) return fail({ line: found.error.at?.line ?? null, cause: found.error.cause });
  const { json, lineOf } = found.value;
  const read = readJson(json ?? "null", DEPTH);
  return read.ok ? ok({ value: read.value, lineOf }) : fail({ line: null, cause: faultText(read.error) });
}

/** The offset of the value at a path, or of the last value on the path. */
function jsonOffset(text: string, path: readonly PathKey[]): number {
  let at = skipSpace(text, 0);
  for (const key of path) {
    const starts = new Map<PathKey, number>();
    const isList = text[at] === "[";
    const onPart = (start: number, _end: number, name: string) => starts.set(isList ? starts.size : name, start);
    valueEnd(text, at, { maxDepth: Number.POSITIVE_INFINITY, onPart });
    const next = starts.get(key);
    if (next === undefined) break;
    at = next;
  }
  return at;
}

const lineAt = (text: string, offset: number): number => text.slice(0, offset).split("\n").length;
