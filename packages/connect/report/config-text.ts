import { type JsonRecord, type JsonValue, jsonText, printableJson } from "../../../src/protocol/json/write.ts";
import { ownValue } from "../../../src/protocol/own-value.ts";
import { escapeControls, truncateEscaped } from "../../../src/protocol/text/text.ts";
import { displayPath, type PathContext } from "../../../src/report/display-path.ts";
import { column, type Style } from "../../../src/report/text-style.ts";

interface Said {
  readonly origin: string;
  readonly file: string | null;
  readonly value: JsonValue;
}

interface ShownValue extends Said {
  readonly key: string;
  readonly others: readonly Said[];
}

const ORIGINS: Readonly<Record<string, string>> = {
  option: "an option",
  environment: "a variable",
  machine: "the machine",
  here: "you, in this project",
  user: "you",
  project: "the project",
  merged: "several files",
  default: "default",
};

const valueText = (value: JsonValue): string =>
  value === null ? "-" : truncateEscaped(typeof value === "string" ? value : jsonText(value), 120);

const originText = ({ origin, file }: Said, paths: PathContext): string =>
  `${ownValue(ORIGINS, origin) ?? origin}${file === null ? "" : ` (${displayPath(file, paths)})`}`;

/** The effective settings, one a line. */
export function configText(rows: readonly ShownValue[], hasOrigin: boolean, paths: PathContext, style: Style): string {
  const width = Math.max(...rows.map(({ key }) => key.length));
  const values = Math.max(...rows.map(({ value }) => [...valueText(value)].length).filter((length) => length < 24), 1);
  return rows
    .map((row) => {
      const line = `${column(escapeControls(row.key), width)}  ${valueText(row.value)}`;
      if (!hasOrigin) return `${line}\n`;
      const others = row.others.map(
        (one) => `  ${style.faint(`${placeOf(row, one)} ${valueText(one.value)}: ${originText(one, paths)}`)}\n`,
      );
      return `${column(line, width + values + 2)}  ${style.faint(originText(row, paths))}\n${others.join("")}`;
    })
    .join("");
}

/** The project's own hooks have the project's timeouts, but for `--timeout` and its variable. */
const placeOf = ({ key, origin }: ShownValue, { origin: other }: Said): string =>
  other === "project" && /^settings\.timeouts?$/.test(key) && !["option", "environment"].includes(origin)
    ? "for the project's hooks"
    : "in place of";

const saidJson = ({ origin, file, value }: Said): JsonRecord => ({ value, origin, file });

export const configJson = (rows: readonly ShownValue[]): string =>
  printableJson({
    schema: "hookctl.config/1",
    settings: rows.map((row) => ({ key: row.key, ...saidJson(row), others: row.others.map(saidJson) })),
  });

interface ConfigChanged {
  readonly key: string;
  readonly isUnset: boolean;
  readonly isChanged: boolean;
  readonly file: string;
  /** The setting as it is now; null if nothing sets it. */
  readonly now: ShownValue | null;
  /** The value that applies in the place of the one that was set. */
  readonly decides: ShownValue | null;
  /** True if it is in the project's settings, which need approval. */
  readonly waits: boolean;
}

export function configChangedText(
  { key, isUnset, isChanged, file, now, decides, waits }: ConfigChanged,
  paths: PathContext,
): string {
  const at = `(${displayPath(file, paths)})`;
  if (!isChanged) return `• ${escapeControls(key)}: nothing to change ${at}\n`;
  const value = now === null ? "" : `, now ${valueText(now.value)}`;
  const set = now === null ? `set ${at}` : `${valueText(now.value)}, set by ${originText(now, paths)}`;
  const [mark, end] = waits ? ["•", "The change has no effect until you approve it: hookctl trust\n"] : ["✔", ""];
  if (decides === null) return `${mark} ${escapeControls(key)}: ${isUnset ? `unset${value} ${at}` : set}\n${end}`;
  // A guard of the machine decides about all its keys.
  const about = decides.key === key ? `${valueText(decides.value)} applies,` : `${escapeControls(decides.key)} is`;
  return `▲ ${escapeControls(key)}: set ${at}, but it has no effect: ${about} set by ${originText(decides, paths)}\n`;
}

export const configChangedJson = ({ key, isChanged, file, now, decides, waits }: ConfigChanged): string =>
  printableJson({
    schema: "hookctl.config-changed/1",
    ...{ key, changed: isChanged, file, value: now?.value ?? null, has_effect: decides === null && !waits },
  });
