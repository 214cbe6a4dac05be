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

/** Computes a value when it is first needed, and keeps it. */
export function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Computes a value once for each argument. */
export function memoize<T>(make: (of: string) => T): (of: string) => T {
  const made = new Map<string, { readonly value: T }>();
  return (of) => {
    const known = made.get(of) ?? { value: make(of) };
    made.set(of, known);
    return known.value;
  };
}
