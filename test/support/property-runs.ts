/**
 * How often fast-check tries a property of pure code: the full number with `npm run check`, which sets the variable, and
 * a fifth of it with `npm test`.
 */
export const propertyRuns = (full: number): { readonly numRuns: number } => ({
  numRuns: process.env.HOOKCTL_TEST_PROPERTIES === "full" ? full : Math.ceil(full / 5),
});
