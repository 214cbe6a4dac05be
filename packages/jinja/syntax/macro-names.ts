import type { Statement } from "./nodes.ts";

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

/** Visits each name of a tree in its order. The names in a block belong to the block. */
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
