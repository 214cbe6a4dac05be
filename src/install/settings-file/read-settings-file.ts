import { readIfPresent } from "../../fs/read-file.ts";
import type { HostProblem } from "../../protocol/problem.ts";
import { fail, ok, type Result } from "../../protocol/result.ts";
import { decodeUtf8 } from "../../protocol/text/text.ts";

/** The text of a settings file; null: it does not exist. `shown` is its path for messages. */
export function presentText(file: string, shown: string): Result<string | null, HostProblem> {
  const read = readIfPresent(file);
  if (!read.ok) return fail({ code: "AGENT_SETTINGS_NOT_PARSED", path: shown, line: null, detail: read.error });
  const bytes = read.value;
  if (bytes === null) return ok(null);
  // Not the result of `decodeUtf8`, which has no byte order mark: it has to be written back.
  if (decodeUtf8(bytes) !== null) return ok(bytes.toString("utf8"));
  return fail({ code: "AGENT_SETTINGS_NOT_PARSED", path: shown, line: null, detail: "it is not UTF-8" });
}
