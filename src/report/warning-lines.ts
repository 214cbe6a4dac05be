import { type Warning, warningText } from "../protocol/warning.ts";
import { warningLine } from "./problem-text.ts";
import { PLAIN_STYLE } from "./text-style.ts";

/** Warnings for stderr. This is a separate file because most calls have no warnings and do not load it. */
export const warningLines = (warnings: readonly Warning[]): string =>
  warnings.map((warning) => warningLine(warningText(warning), PLAIN_STYLE)).join("");
