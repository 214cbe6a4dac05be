import { readIfPresent } from "../fs/read-file.ts";
import type { HostProblem } from "../protocol/problem.ts";
import { fail, ok, type Result } from "../protocol/result.ts";
import { decodeUtf8 } from "../protocol/text.ts";

/** The text of a settings file as it is now; null: there is none. `shown` is how a refusal calls it. */
export function presentText(file: string, shown: string): Result<string | null, HostProblem> {
  const read = readIfPresent(file);
  if (!read.ok) return fail({ code: "AGENT_SETTINGS_NOT_PARSED", path: shown, line: null, detail: read.error });
  const bytes = read.value;
  if (bytes === null) return ok(null);
  // Not what `decodeUtf8` gives: a byte order mark is put back with the rest.
  if (decodeUtf8(bytes) !== null) return ok(bytes.toString("utf8"));
  return fail({ code: "AGENT_SETTINGS_NOT_PARSED", path: shown, line: null, detail: "it is not UTF-8" });
}
