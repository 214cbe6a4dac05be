import type { RunContext } from "./run-context.ts";

/**
 * Computes a value once for all runs that have these fields in common, as those of a server have that share a preparation.
 * Only these fields can be read.
 */
export function oncePerPreparation<Field extends keyof RunContext, T>(
  fields: readonly (Field | "scopes")[],
  make: (context: Pick<RunContext, Field | "scopes">) => T,
): (context: Pick<RunContext, Field | "scopes">) => T {
  const made = new WeakMap<object, { readonly from: readonly unknown[]; readonly value: T }>();
  return (context) => {
    const known = made.get(context.scopes);
    if (known !== undefined && fields.every((field, at) => context[field] === known.from[at])) return known.value;
    const value = make(context);
    made.set(context.scopes, { from: fields.map((field) => context[field]), value });
    return value;
  };
}
