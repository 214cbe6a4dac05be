import { YAMLException } from "js-yaml";
import { faultText, type JsonSpan, readJson } from "../protocol/json/read.ts";
import { arrayEnd, objectEnd, type Scan, skipSpace } from "../protocol/json/scan.ts";
import { fail, ok, type Result } from "../protocol/result.ts";
import { type PathKey, readLocatedYaml } from "./located-yaml.ts";

/** The value of a JSON or YAML text. Its numbers keep their digits. */
export interface LocatedText {
  readonly value: JsonSpan;
  /** The line of the value at a path, from 1; of the nearest value around it if there is none. */
  readonly lineOf: (path: readonly PathKey[]) => number;
}

export interface TextFault {
  readonly line: number | null;
  readonly cause: string;
}

const DEPTH = 64;

/** Parses a text by the ending of its file's name: strict JSON, else YAML. */
export function readLocated(text: string, file: string): Result<LocatedText, TextFault> {
  const plain = text.replace(/^\ufeff/, "");
  if (!file.endsWith(".json")) return readYaml(plain);
  const read = readJson(plain, DEPTH);
  if (!read.ok) return fail({ line: read.error.line, cause: faultText(read.error) });
  return ok({ value: read.value, lineOf: (path) => lineAt(plain, jsonOffset(plain, path)) });
}

function readYaml(text: string): Result<LocatedText, TextFault> {
  let found: ReturnType<typeof readLocatedYaml>;
  try {
    found = readLocatedYaml(text);
  } catch (error) {
    // The parser's whole message quotes the file, which may hold a secret.
    return fail(
      error instanceof YAMLException
        ? { line: error.mark === undefined ? null : error.mark.line + 1, cause: error.reason }
        : { line: null, cause: "not YAML" },
    );
  }
  if (found === null) return fail({ line: null, cause: "its aliases expand to more than 16 MiB" });
  const read = readJson(found.json, DEPTH);
  if (!read.ok) return fail({ line: null, cause: faultText(read.error) });
  return ok({ value: read.value, lineOf: found.lineOf });
}

/** Where the value at a path begins, or the last value on the way. */
function jsonOffset(text: string, path: readonly PathKey[]): number {
  const scan: Scan = { text, maxDepth: Number.POSITIVE_INFINITY, openObject: null, fault: null };
  let at = skipSpace(text, 0);
  for (const key of path) {
    const starts = new Map<PathKey, number>();
    if (text[at] === "{") objectEnd(scan, at, 0, (start, _end, name) => starts.set(name, start));
    if (text[at] === "[") arrayEnd(scan, at, 0, (start) => starts.set(starts.size, start));
    const next = starts.get(key);
    if (next === undefined) break;
    at = next;
  }
  return at;
}

const lineAt = (text: string, offset: number): number => text.slice(0, offset).split("\n").length;
