export type UncheckedFields = Readonly<Record<string, unknown>>;

/** Returns the fields of a parsed value that is not checked yet; none if it is not an object. */
export const uncheckedFields = (value: unknown): UncheckedFields =>
  typeof value === "object" && value !== null ? { ...value } : {};
