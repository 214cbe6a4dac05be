/** An object from a file that hookctl did not write: nothing is known of its members. */
export type UncheckedObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is UncheckedObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
export const objectOr = (value: unknown): UncheckedObject => (isObject(value) ? value : {});
export const arrayOr = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const stringOr = (value: unknown): string => (typeof value === "string" ? value : "");
