export type UncheckedFields = Readonly<Record<string, unknown>>;

/** The fields of a value that was parsed and not checked yet; of anything but an object: none. */
export const uncheckedFields = (value: unknown): UncheckedFields =>
  typeof value === "object" && value !== null ? { ...value } : {};
