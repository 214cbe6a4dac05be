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
