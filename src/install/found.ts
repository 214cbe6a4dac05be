/** A value of somebody else's settings, of which nothing is known but that it is an object. */
export type Found = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Found =>
  typeof value === "object" && value !== null && !Array.isArray(value);
export const recordOf = (value: unknown): Found => (isObject(value) ? value : {});
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
