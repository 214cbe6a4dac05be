import { disk } from "../fs/disk.ts";
import { readTextFile } from "../fs/read-file.ts";
import { errnoCode } from "../protocol/errno.ts";
import { faultText, readJson } from "../protocol/json/read.ts";
import type { ConfigProblem } from "../protocol/problem.ts";
import { fail, ok, type Result } from "../protocol/result.ts";
import { LARGEST_BYTES } from "./config-files.ts";
import { readYaml } from "./yaml.ts";

const CONFIG_DEPTH = 64;

/** Parses a settings file; its content is not checked yet. Files are data: nothing in one can run code. */
export function parseFile(file: string): Result<unknown, ConfigProblem> {
  let text: string;
  try {
    const stats = disk.statSync(file);
    if (!stats.isFile()) return fail({ code: "CONFIG_NOT_READABLE", file, cause: "it is not a regular file" });
    if (stats.size > LARGEST_BYTES) return fail({ code: "CONFIG_NOT_READABLE", file, cause: "larger than 1 MiB" });
    text = readTextFile(file);
  } catch (error) {
    const code = errnoCode(error) ?? "unknown";
    // Only files that are there are parsed.
    return fail({ code: "CONFIG_NOT_READABLE", file, cause: code === "ENOENT" ? "it is a broken link" : code });
  }
  return parseText(text, file);
}

/** Parses the text of a settings file by the ending of its name. */
export function parseText(text: string, file: string): Result<unknown, ConfigProblem> {
  if (text.length > LARGEST_BYTES) return fail({ code: "CONFIG_NOT_READABLE", file, cause: "larger than 1 MiB" });
  const json = () => parseJson(file.endsWith("mcp.json") ? withoutComments(text) : text);
  const found = file.endsWith(".json") ? json() : parseYaml(text);
  return found.ok ? found : fail({ code: "CONFIG_NOT_PARSED", file, cause: found.error });
}

/**
 * The programs that read an mcp.json accept comments, and a comma after the last value. Each becomes spaces, so that the
 * line of a fault stays. An unfinished text or comment is matched, too, because to try each of many would take too long.
 */
const withoutComments = (text: string): string =>
  text
    .replace(/"(?:\\.|[^"\\\n])*"?|\/\/[^\n]*|\/\*(?:[\s\S]*?\*\/|[\s\S]*)/g, (part) =>
      part.startsWith('"') ? part : blank(part),
    )
    .replace(/"(?:\\.|[^"\\\n])*"?|,(?=\s*[}\]])/g, (part) => (part === "," ? " " : part));

const blank = (text: string): string => text.replace(/[^\n]/g, " ");

/** The strict parser runs first: it reports the line of a fault, and rejects duplicate keys. */
function parseJson(text: string): Result<unknown, string> {
  if (text.trim() === "") return ok(undefined);
  const read = readJson(text.replace(/^\ufeff/, ""), CONFIG_DEPTH);
  return read.ok ? ok(JSON.parse(read.value.raw)) : fail(`line ${read.error.line}: ${faultText(read.error)}`);
}

function parseYaml(text: string): Result<unknown, string> {
  if (text.trim() === "") return ok(undefined);
  const read = readYaml(text, LARGEST_BYTES);
  if (read.ok) return ok(read.value.json === null ? undefined : JSON.parse(read.value.json));
  const { at, cause } = read.error;
  return fail(at === null ? cause : `${cause} (${at.line}:${at.column})`);
}
