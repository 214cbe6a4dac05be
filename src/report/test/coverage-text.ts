import { truncateEscaped } from "../../protocol/text/text.ts";
import type { HookCoverage } from "../../test-runner/test-report.ts";

/** `10 of 14 lines reached by its cases, not 12, 14-16`. */
export function coverageText({ unit, reached, total, missing, unknownBecause }: HookCoverage): string {
  if (unknownBecause !== null) return `its coverage is not known: ${truncateEscaped(unknownBecause, 400)}`;
  const rest = missing.length === 0 ? "" : `, not ${truncateEscaped(missing.join(", "), 400)}`;
  return `${reached} of ${total} ${unit} reached by its cases${rest}`;
}

export const isCovered = ({ missing, unknownBecause }: HookCoverage): boolean =>
  missing.length === 0 && unknownBecause === null;
