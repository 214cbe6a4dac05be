/** What was and what is, as shown. A secret that was taken out, or the end of a long text, differs where nobody sees it. */
export const changeText = (before: string, after: string): string =>
  before === after ? `${after} (differs beyond the part shown)` : `${before} → ${after}`;
