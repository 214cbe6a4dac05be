/** What happened and where (`summary`), and what to type next (`hint`). Names are unescaped: each report escapes them for its output. */
export interface Explanation {
  readonly summary: string;
  readonly hint: string;
}

export const didYouMean = (word: string | null): string => (word === null ? "" : `. Did you mean ${word}?`);
