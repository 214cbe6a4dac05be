import type { Statement } from "./nodes.ts";

const SPECIAL = ["caller", "kwargs", "varargs"];

/** Which of `caller`, `kwargs` and `varargs` a macro's body reads before it assigns to them. */
export function specialNames(body: readonly Statement[]): ReadonlySet<string> {
  const waiting = new Set(SPECIAL);
  const used = new Set<string>();
  visit(body, (name, isAssigned) => {
    if (!isAssigned && waiting.has(name)) used.add(name);
    if (isAssigned) waiting.delete(name);
  });
  return used;
}

/** Looks at each name of a tree in its order. A block's names are its own. */
function visit(node: unknown, seen: (name: string, isAssigned: boolean) => void, isAssigned = false): void {
  if (typeof node !== "object" || node === null) return;
  if (Array.isArray(node)) {
    for (const item of node) visit(item, seen, isAssigned);
    return;
  }
  const { kind, name } = node as { readonly kind?: unknown; readonly name?: unknown };
  if (kind === "block" || node instanceof Set) return;
  if (kind === "name" && typeof name === "string") seen(name, isAssigned);
  else if (kind === "with") visitWith(node as WithNode, seen);
  else for (const [key, value] of Object.entries(node)) visit(value, seen, isAssigned || key === "target");
}

type WithNode = Extract<Statement, { kind: "with" }>;

function visitWith({ pairs, body }: WithNode, seen: (name: string, isAssigned: boolean) => void): void {
  for (const [target] of pairs) visit(target, seen, true);
  for (const [, value] of pairs) visit(value, seen);
  visit(body, seen);
}
