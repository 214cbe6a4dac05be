/** True with `npm run check`, which sets the variable; `npm test` tries a fifth, of a property with many runs a twentieth. */
const IS_FULL = process.env.HOOKCTL_TEST_PROPERTIES === "full";
const PART = 5;
const MANY = 500;

/** How often fast-check tries a property of pure code. */
export const propertyRuns = (full: number): { readonly numRuns: number } => ({
  numRuns: IS_FULL ? full : Math.ceil(full / (full < MANY ? PART : 4 * PART)),
});

/** The rows of a long table, or every fifth of them. */
export const sampledRows = <T>(rows: readonly T[]): readonly T[] =>
  IS_FULL ? rows : rows.filter((_, at) => at % PART === 0);
