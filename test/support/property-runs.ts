/** True with `npm run check`, which sets the variable; `npm test` tries a fifth. */
const IS_FULL = process.env.HOOKCTL_TEST_PROPERTIES === "full";
const PART = 5;

/** How often fast-check tries a property of pure code. */
export const propertyRuns = (full: number): { readonly numRuns: number } => ({
  numRuns: IS_FULL ? full : Math.ceil(full / PART),
});

/** The rows of a long table, or every fifth of them. */
export const sampledRows = <T>(rows: readonly T[]): readonly T[] =>
  IS_FULL ? rows : rows.filter((_, at) => at % PART === 0);
