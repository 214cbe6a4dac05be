import { parseDuration } from "../protocol/text/units.ts";
import { HookctlError } from "./hookctl-error.ts";

/** A number with its unit: `"500ms"`, `"5s"`, `"2m"`, `"1h"`. */
export type Duration = `${number}${"ms" | "s" | "m" | "h"}`;

/** Milliseconds; null without a value. Throws a HookctlError if the text is not a duration. */
export function parseTimeout(option: string, text: Duration | undefined): number | null {
  if (text === undefined) return null;
  const read = parseDuration(String(text));
  if (read.ok) return read.value;
  throw new HookctlError({ code: "USAGE_BAD_OPTION", option, detail: read.error });
}
