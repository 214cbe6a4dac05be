import { statSync } from "node:fs";
import { defaultLoadersSync } from "cosmiconfig";
import { readTextFile } from "../fs/read-file.ts";
import { errnoCode } from "../protocol/errno.ts";
import { faultText, readJson } from "../protocol/json/read.ts";
import type { ConfigProblem } from "../protocol/problem.ts";
import { fail, ok, type Result } from "../protocol/result.ts";

/**
 * Settings are data. Of cosmiconfig only the YAML parser is used, never its search: with it `$import` in a settings file
 * and the project's own cosmiconfig settings would run JavaScript before anyone has approved it (SPEC 4).
 */
const CONFIG_DEPTH = 64;
const BIGGEST_BYTES = 1024 * 1024;

/** What a file of settings holds, parsed and not yet checked. */
export function parseFile(file: string): Result<unknown, ConfigProblem> {
  let text: string;
  try {
    const stats = statSync(file);
    if (!stats.isFile()) return fail({ code: "CONFIG_NOT_READABLE", file, cause: "it is not a regular file" });
    if (stats.size > BIGGEST_BYTES) return fail({ code: "CONFIG_NOT_READABLE", file, cause: "larger than 1 MiB" });
    text = readTextFile(file);
  } catch (error) {
    return fail({ code: "CONFIG_NOT_READABLE", file, cause: errnoCode(error) ?? "unknown" });
  }
  const found = file.endsWith(".json") ? parseJson(text) : parseYaml(text);
  return found.ok ? found : fail({ code: "CONFIG_NOT_PARSED", file, cause: found.error });
}

/** Our own reader judges it first: it names the place in the same words everywhere, and finds a key that stands twice. */
function parseJson(text: string): Result<unknown, string> {
  if (text.trim() === "") return ok(undefined);
  const read = readJson(text.replace(/^\ufeff/, ""), CONFIG_DEPTH);
  return read.ok ? ok(JSON.parse(read.value.raw)) : fail(`line ${read.error.line}: ${faultText(read.error)}`);
}

function parseYaml(text: string): Result<unknown, string> {
  let found: unknown;
  try {
    found = text.trim() === "" ? undefined : defaultLoadersSync[".yaml"]("settings", text);
  } catch (error) {
    return fail(error instanceof Error ? oneLine(error.message) : "not YAML");
  }
  return isLarge(found) ? fail("its aliases expand to more than 1 MiB") : ok(found);
}

/** A few lines of aliases of aliases can stand for gigabytes, which whoever checks or keeps them would have to hold. */
function isLarge(found: unknown): boolean {
  const waiting = [found];
  let size = 0;
  while (waiting.length > 0 && size <= BIGGEST_BYTES) {
    const value = waiting.pop();
    size += typeof value === "string" ? value.length : 1;
    if (typeof value !== "object" || value === null) continue;
    const members: unknown[] = Array.isArray(value) ? value : Object.entries(value).flat();
    for (const member of members) waiting.push(member);
  }
  return size > BIGGEST_BYTES;
}

/** What the YAML parser says, without the picture of the text: a settings file may hold a secret. */
const oneLine = (text: string): string => text.replace(/^YAML Error in settings:\s*/, "").split("\n")[0] ?? "";
