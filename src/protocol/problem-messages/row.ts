/** What happened and where, and what to type next. */
export type Words = readonly [summary: string, hint: string];

/** One row for each code: a function from the fields of the problem to its words. */
export type ProblemRows = Readonly<Record<string, (problem: never) => Words>>;

/** The problems that a table of rows describes, as a closed union. */
export type ProblemOf<Rows extends ProblemRows> = {
  [Code in keyof Rows]: { readonly code: Code } & FieldsOf<Parameters<Rows[Code]>>;
}[keyof Rows];

type FieldsOf<Arguments> = Arguments extends readonly [infer Fields] ? Readonly<Fields> : unknown;

/** Fields that are all texts. */
export type Texts<Names extends string> = Readonly<Record<Names, string>>;
