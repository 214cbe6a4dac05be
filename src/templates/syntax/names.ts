import type { Statement } from "./nodes.ts";

/** The filters of Jinja2 3.1. A list of its own, because settings are checked without loading the filters. */
const FILTERS = [
  ...["abs", "attr", "batch", "capitalize", "center", "count", "d", "default", "dictsort", "e", "escape"],
  ...["filesizeformat", "first", "float", "forceescape", "format", "groupby", "indent", "int", "items", "join"],
  ...["last", "length", "list", "lower", "map", "max", "min", "pprint", "random", "reject", "rejectattr"],
  ...["replace", "reverse", "round", "safe", "select", "selectattr", "slice", "sort", "string", "striptags"],
  ...["sum", "title", "tojson", "trim", "truncate", "unique", "upper", "urlencode", "urlize", "wordcount"],
  ...["wordwrap", "xmlattr"],
] as const;
export type FilterName = (typeof FILTERS)[number];

const TESTS = [
  ...["!=", "<", "<=", "==", ">", ">=", "boolean", "callable", "defined", "divisibleby", "eq", "equalto"],
  ...["escaped", "even", "false", "filter", "float", "ge", "greaterthan", "gt", "in", "integer", "iterable"],
  ...["le", "lessthan", "lower", "lt", "mapping", "ne", "none", "number", "odd", "sameas", "sequence"],
  ...["string", "test", "true", "undefined", "upper"],
] as const;
export type TestName = (typeof TESTS)[number];

const filterNames: ReadonlySet<string> = new Set(FILTERS);
const testNames: ReadonlySet<string> = new Set(TESTS);
export const isFilterName = (name: string): name is FilterName => filterNames.has(name);
export const isTestName = (name: string): name is TestName => testNames.has(name);
export const allFilterNames: readonly string[] = FILTERS;
export const allTestNames: readonly string[] = TESTS;

const SPECIAL = ["caller", "kwargs", "varargs"];

/** How a macro's body uses the special names. */
interface Usage {
  /** Read before they are assigned to. */
  readonly used: Set<string>;
  readonly assigned: Set<string>;
}

/** The usage of a macro is cached, so that nested macros are not read again by each macro around them. */
const usages = new WeakMap<object, Usage>();

/** Which of `caller`, `kwargs` and `varargs` a macro's body reads before it assigns to them. */
export const specialNames = (body: readonly Statement[]): ReadonlySet<string> => usageOf(body).used;

function usageOf(node: unknown): Usage {
  const usage: Usage = { used: new Set(), assigned: new Set() };
  visit(node, usage);
  return usage;
}

function note(name: string, isAssigned: boolean, { used, assigned }: Usage): void {
  if (!SPECIAL.includes(name)) return;
  if (isAssigned) assigned.add(name);
  else if (!assigned.has(name)) used.add(name);
}

/** Looks at each name of a tree in its order. A block's names are its own. */
function visit(node: unknown, usage: Usage, isAssigned = false): void {
  if (typeof node !== "object" || node === null) return;
  if (Array.isArray(node)) {
    for (const item of node) visit(item, usage, isAssigned);
    return;
  }
  const { kind, name } = node as { readonly kind?: unknown; readonly name?: unknown };
  if (kind === "block" || node instanceof Set) return;
  if (kind === "name" && typeof name === "string") note(name, isAssigned, usage);
  else if (kind === "with") visitWith(node as WithNode, usage);
  else if (kind === "macro") visitMacro(node, usage);
  else for (const [key, value] of Object.entries(node)) visit(value, usage, isAssigned || key === "target");
}

type WithNode = Extract<Statement, { kind: "with" }>;

function visitWith({ pairs, body }: WithNode, usage: Usage): void {
  for (const [target] of pairs) visit(target, usage, true);
  for (const [, value] of pairs) visit(value, usage);
  visit(body, usage);
}

function visitMacro(macro: object, usage: Usage): void {
  const inner = usages.get(macro) ?? usageOf(Object.values(macro));
  usages.set(macro, inner);
  for (const name of inner.used) note(name, false, usage);
  for (const name of inner.assigned) note(name, true, usage);
}
