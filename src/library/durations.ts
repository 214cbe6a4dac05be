import { parseDuration } from "../protocol/units.ts";
import { HookctlError } from "./hookctl-error.ts";

/** A number with its unit: `"500ms"`, `"5s"`, `"2m"`, `"1h"`. */
export type Duration = `${number}${"ms" | "s" | "m" | "h"}`;

/** Milliseconds; null where nothing was said. Throws a HookctlError for a text that is no duration. */
export function parseTimeout(option: string, text: Duration | undefined): number | null {
  if (text === undefined) return null;
  const read = parseDuration(String(text));
  if (read.ok) return read.value;
  throw new HookctlError({ code: "USAGE_BAD_OPTION", option, detail: read.error });
}
