const UNKEPT = "__proto__";

/** zod leaves such a member out of what it gives back. */
export const hasUnkeptName = (record: unknown): boolean => Object.hasOwn(Object(record), UNKEPT);

export const UNKEPT_NAME = `no member can be called ${UNKEPT}`;
