import type { Expression, Statement, Target } from "./nodes.ts";

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

/** Without those of a loop, which was checked by itself: nested loops are not read again by each loop around them. */
function bodiesOf(one: Statement): readonly (readonly Statement[])[] {
  if (one.kind === "if") return [...one.branches.map(({ body }) => body), one.otherwise];
  if (one.kind === "for") return [];
  if (one.kind === "call-block") return [one.macro.body];
  return "body" in one ? [one.body] : [];
}
