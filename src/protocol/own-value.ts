/** The value that a record itself has under a name from outside, which may be `constructor` or `__proto__`. */
export const ownValue = <T>(record: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(record, name) ? record[name] : undefined;
