/** Computes a value when it is first needed, once. */
export function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Computes a value once for each argument. */
export function memoize<Key extends string, T>(make: (of: Key) => T): (of: Key) => T {
  const made = new Map<Key, { readonly value: T }>();
  return (of) => {
    const known = made.get(of) ?? { value: make(of) };
    made.set(of, known);
    return known.value;
  };
}
