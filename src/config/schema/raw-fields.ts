export type RawFields = Readonly<Record<string, unknown>>;

/** The fields of a value that was parsed and not checked yet; of anything but an object: none. */
export const rawFields = (value: unknown): RawFields =>
  typeof value === "object" && value !== null ? { ...value } : {};
