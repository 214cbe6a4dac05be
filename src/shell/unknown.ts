/** Placeholder in a word for each part that is known only at run time. */
export const UNKNOWN = "\u0000";
