/** The old and the new value as shown. They may differ only in a redacted secret or beyond the part that is shown. */
export const changeText = (before: string, after: string): string =>
  before === after ? `${after} (differs beyond the part shown)` : `${before} → ${after}`;
