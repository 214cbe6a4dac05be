/** What happened and where, and what to type next. */
export type Words = readonly [summary: string, hint: string];

/** One row for each code: a function from the fields of the problem to its words. */
export type ProblemRows = Readonly<Record<string, (problem: never) => Words>>;

/** The closed union that a table of rows describes: each code with its fields. */
export type UnionOf<Rows extends Readonly<Record<string, (fields: never) => unknown>>> = {
  [Code in keyof Rows]: { readonly code: Code } & FieldsOf<Parameters<Rows[Code]>>;
}[keyof Rows];

type FieldsOf<Arguments> = Arguments extends readonly [infer Fields] ? Readonly<Fields> : unknown;

/** Fields that are all texts. */
export type Texts<Names extends string> = Readonly<Record<Names, string>>;
