import type { Checkup } from "../../../src/protocol/doctor-check.ts";
import { printableJson } from "../../../src/protocol/json/write.ts";
import { truncateEscaped } from "../../../src/protocol/text/text.ts";
import type { Style } from "../../../src/report/text-style.ts";

const GAP = "     ";
const MOST_IN_ROW = 3;

/** Short results of passed checks share lines; every other check has its own, with its fix. */
export function doctorText(checks: readonly Checkup[], style: Style): string {
  return rowsOf(checks)
    .map((row) => `${row.map((check) => checkText(check, style)).join(GAP)}\n`)
    .join("");
}

function rowsOf(checks: readonly Checkup[]): readonly (readonly Checkup[])[] {
  const rows: Checkup[][] = [];
  for (const check of checks) {
    const row = rows.at(-1);
    const isJoined = row !== undefined && row.length < MOST_IN_ROW && [...row, check].every(isShort);
    if (isJoined) row.push(check);
    else rows.push([check]);
  }
  return rows;
}

/** A check of an agent is named with the agent ("claude settings"), and its line means nothing without that name. */
const isShort = ({ name, status }: Checkup): boolean => status === "ok" && !name.includes(" ");

function checkText(check: Checkup, style: Style): string {
  const detail = truncateEscaped(check.detail, 600);
  const mark = { ok: style.good("✔"), unchecked: "•", warn: style.warn("▲"), fail: style.bad("✖") }[check.status];
  const text = isShort(check) ? `${mark} ${detail}` : `${mark} ${truncateEscaped(check.name, 100)}: ${detail}`;
  return check.hint === null ? text : `${text}\n  ${truncateEscaped(check.hint, 400)}`;
}

/** The JSON form: `hookctl.doctor/1`. */
export function doctorJson(checks: readonly Checkup[]): string {
  return printableJson({
    schema: "hookctl.doctor/1",
    checks: checks.map(({ name, status, detail, hint }) => ({ name, status, detail, hint })),
  });
}
