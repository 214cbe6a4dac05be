/** A value of somebody else's settings, of which nothing is known but that it is an object. */
export type UncheckedObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is UncheckedObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
export const objectOr = (value: unknown): UncheckedObject => (isObject(value) ? value : {});
export const arrayOr = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const stringOr = (value: unknown): string => (typeof value === "string" ? value : "");
