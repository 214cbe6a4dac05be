type Node<Kind extends string, Members> = { readonly kind: Kind } & Readonly<Members>;

/** Arguments of a call, a filter or a test. */
export interface ArgumentNodes {
  readonly positional: readonly Expression[];
  readonly keywords: readonly (readonly [string, Expression])[];
  /** `*list` */
  readonly spread: Expression | null;
  /** `**dict` */
  readonly keywordSpread: Expression | null;
}

export type CompareOperator = "==" | "!=" | "<" | "<=" | ">" | ">=" | "in" | "not in";
export type ArithmeticOperator = "+" | "-" | "*" | "/" | "//" | "%" | "**";
export type BinaryOperator = ArithmeticOperator | "and" | "or";

export type CallNode = Node<"call", { callee: Expression; args: ArgumentNodes }>;
/** The operand is null in a filter block: there it is the text of the block. */
export type FilterNode = Node<"filter", { operand: Expression | null; name: string; args: ArgumentNodes }>;

export type Expression =
  | Node<"literal", { value: null | boolean | bigint | number | string }>
  | Node<"name", { name: string }>
  | Node<"list" | "tuple" | "concat", { items: readonly Expression[] }>
  | Node<"dict", { pairs: readonly (readonly [Expression, Expression])[] }>
  | Node<"attribute", { object: Expression; name: string }>
  | Node<"item", { object: Expression; key: Expression }>
  | Node<"slice", { bounds: readonly (Expression | null)[] }>
  | CallNode
  | FilterNode
  | Node<"test", { operand: Expression; name: string; args: ArgumentNodes }>
  | Node<"unary", { operator: "not" | "+" | "-"; operand: Expression }>
  | Node<"binary", { operator: BinaryOperator; left: Expression; right: Expression }>
  | Node<"compare", { first: Expression; rest: readonly (readonly [CompareOperator, Expression])[] }>
  | Node<"conditional", { test: Expression; yes: Expression; no: Expression | null }>;

/** The target of an assignment. */
export type Target =
  | Node<"name", { name: string }>
  | Node<"tuple", { items: readonly Target[] }>
  | Node<"member", { object: string; name: string }>;

export interface Signature {
  readonly names: readonly string[];
  /** Defaults of the last parameters. */
  readonly defaults: readonly Expression[];
}

type Body = readonly Statement[];

/** A macro, or the block of a `call`, which is a macro without a name. */
export interface MacroNode extends Signature {
  readonly kind: "macro";
  readonly name: string | null;
  readonly body: Body;
  /** Which of `caller`, `kwargs` and `varargs` the body uses without declaring them. */
  readonly special: ReadonlySet<string>;
}

export type ForNode = Node<
  "for",
  {
    target: Target;
    iterable: Expression;
    condition: Expression | null;
    isRecursive: boolean;
    body: Body;
    otherwise: Body;
  }
>;
export type BlockNode = Node<"block", { name: string; isScoped: boolean; isRequired: boolean; body: Body }>;

export type Statement =
  | Node<"text", { text: string }>
  | Node<"print", { values: readonly Expression[] }>
  | Node<"if", { branches: readonly { readonly test: Expression; readonly body: Body }[]; otherwise: Body }>
  | ForNode
  | MacroNode
  | BlockNode
  | Node<"set", { target: Target; value: Expression }>
  | Node<"set-block", { target: Target; filter: FilterNode | null; body: Body }>
  | Node<"with", { pairs: readonly (readonly [Target, Expression])[]; body: Body }>
  | Node<"call-block", { call: CallNode; macro: MacroNode }>
  | Node<"filter-block", { filter: FilterNode; body: Body }>
  | Node<"autoescape", { value: Expression; body: Body }>
  /** `include`, `import`, `from`, `extends`: correct, but there is no other template to load. */
  | Node<"load", { tag: string }>;

/** A template that can be compiled. */
export interface Template {
  readonly body: Body;
  readonly blocks: ReadonlyMap<string, BlockNode>;
}
