/** Arguments of a call, a filter or a test. */
export interface ArgumentNodes {
  readonly positional: readonly Expression[];
  readonly keywords: readonly (readonly [string, Expression])[];
  /** `*list` */
  readonly spread: Expression | null;
  /** `**dict` */
  readonly keywordSpread: Expression | null;
}

export type Literal = null | boolean | bigint | number | string;
export type CompareOperator = "==" | "!=" | "<" | "<=" | ">" | ">=" | "in" | "not in";
export type BinaryOperator = "+" | "-" | "*" | "/" | "//" | "%" | "**";

export type FilterNode = { readonly kind: "filter"; readonly name: string; readonly args: ArgumentNodes } & {
  /** Null for a filter block: the operand is the block's text. */
  readonly operand: Expression | null;
};
export type CallNode = { readonly kind: "call"; readonly callee: Expression; readonly args: ArgumentNodes };

export type Expression =
  | { readonly kind: "literal"; readonly value: Literal }
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "list" | "tuple" | "concat"; readonly items: readonly Expression[] }
  | { readonly kind: "dict"; readonly pairs: readonly (readonly [Expression, Expression])[] }
  | { readonly kind: "attribute"; readonly object: Expression; readonly name: string }
  | { readonly kind: "item"; readonly object: Expression; readonly key: Expression }
  | { readonly kind: "slice"; readonly bounds: readonly (Expression | null)[] }
  | CallNode
  | FilterNode
  | { readonly kind: "test"; readonly operand: Expression; readonly name: string; readonly args: ArgumentNodes }
  | { readonly kind: "not" | "negative" | "positive"; readonly operand: Expression }
  | {
      readonly kind: "binary";
      readonly operator: BinaryOperator;
      readonly left: Expression;
      readonly right: Expression;
    }
  | {
      readonly kind: "compare";
      readonly first: Expression;
      readonly rest: readonly (readonly [CompareOperator, Expression])[];
    }
  | { readonly kind: "and" | "or"; readonly left: Expression; readonly right: Expression }
  | {
      readonly kind: "conditional";
      readonly test: Expression;
      readonly yes: Expression;
      readonly no: Expression | null;
    };

/** The target of an assignment. */
export type Target =
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "tuple"; readonly items: readonly Target[] }
  | { readonly kind: "member"; readonly object: string; readonly name: string };

export interface Signature {
  readonly names: readonly string[];
  /** Defaults of the last parameters. */
  readonly defaults: readonly Expression[];
}

/** A macro, or the block of a `call`, which is a macro named `caller`. */
export interface MacroNode extends Signature {
  readonly kind: "macro";
  readonly name: string | null;
  readonly body: readonly Statement[];
  /** Which of `caller`, `kwargs` and `varargs` the body uses without declaring them. */
  readonly special: ReadonlySet<string>;
}

export interface ForNode {
  readonly kind: "for";
  readonly target: Target;
  readonly iterable: Expression;
  readonly condition: Expression | null;
  readonly isRecursive: boolean;
  readonly body: readonly Statement[];
  readonly otherwise: readonly Statement[];
}

export interface BlockNode {
  readonly kind: "block";
  readonly name: string;
  readonly isScoped: boolean;
  readonly isRequired: boolean;
  readonly body: readonly Statement[];
}

export type Statement =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "print"; readonly value: Expression }
  | {
      readonly kind: "if";
      readonly branches: readonly { readonly test: Expression; readonly body: readonly Statement[] }[];
      readonly otherwise: readonly Statement[];
    }
  | ForNode
  | MacroNode
  | BlockNode
  | { readonly kind: "set"; readonly target: Target; readonly value: Expression }
  | {
      readonly kind: "set-block";
      readonly target: Target;
      readonly filter: FilterNode | null;
      readonly body: readonly Statement[];
    }
  | {
      readonly kind: "with";
      readonly pairs: readonly (readonly [Target, Expression])[];
      readonly body: readonly Statement[];
    }
  | { readonly kind: "call-block"; readonly call: CallNode; readonly macro: MacroNode }
  | { readonly kind: "filter-block"; readonly filter: FilterNode; readonly body: readonly Statement[] }
  | { readonly kind: "autoescape"; readonly value: Expression; readonly body: readonly Statement[] }
  /** `include`, `import`, `from`, `extends`: correct, but there is no other template to load. */
  | { readonly kind: "load"; readonly tag: string };

/** A template that can be compiled. */
export interface Template {
  readonly body: readonly Statement[];
  readonly blocks: ReadonlyMap<string, BlockNode>;
}

/** An expression as a target; null: it cannot be assigned to. */
export function asTarget(node: Expression): Target | null {
  if (node.kind === "name") return node;
  if (node.kind !== "tuple") return null;
  const items = node.items.map(asTarget);
  return items.includes(null) ? null : { kind: "tuple", items: items.flatMap((item) => item ?? []) };
}

/** True if the target assigns to the variable. */
export function assigns(target: Target, name: string): boolean {
  if (target.kind === "tuple") return target.items.some((item) => assigns(item, name));
  return target.kind === "name" && target.name === name;
}

/** True if a statement at any depth assigns to the variable `loop`. */
export function assignsLoop(body: readonly Statement[]): boolean {
  return body.some((one) => {
    const targets = "target" in one ? [one.target] : one.kind === "with" ? one.pairs.map(([target]) => target) : [];
    const isMacro = one.kind === "macro" && (one.name === "loop" || one.names.includes("loop"));
    return isMacro || targets.some((target) => assigns(target, "loop")) || bodiesOf(one).some(assignsLoop);
  });
}

/**
 * Without the bodies of a loop, which was checked on its own: nested loops are not read again by each loop around them.
 */
function bodiesOf(one: Statement): readonly (readonly Statement[])[] {
  if (one.kind === "if") return [...one.branches.map(({ body }) => body), one.otherwise];
  if (one.kind === "for") return [];
  if (one.kind === "call-block") return [one.macro.body];
  return "body" in one ? [one.body] : [];
}
