import type { JsonRecord, JsonValue } from "../../src/protocol/json/write.ts";

/** A JSON object of a table, whose texts may be placeholders such as `{text}`. */
export type Template = JsonRecord;
type Values = Readonly<Record<string, JsonValue | undefined>>;

/** The template with its placeholders replaced. A member whose placeholder has no value is left out. */
export const filled = (template: Template, values: Values): JsonRecord =>
  Object.fromEntries(
    Object.entries(template).flatMap(([key, value]): readonly [string, JsonValue][] => {
      const found = filledValue(value, values);
      return found === undefined ? [] : [[key, found]];
    }),
  );

function filledValue(value: JsonValue | undefined, values: Values): JsonValue | undefined {
  if (typeof value === "string") {
    const name = /^\{([^}]*)\}$/.exec(value)?.[1];
    return name === undefined
      ? value.replace(/\{(\w+)\}/g, (_placeholder, key: string) => String(values[key]))
      : values[name];
  }
  if (Array.isArray(value)) return value.map((item: JsonValue) => filledValue(item, values) ?? null);
  return typeof value === "object" && value !== null
    ? filled(Object.fromEntries(Object.entries(value)), values)
    : value;
}
