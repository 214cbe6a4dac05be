import { isLess } from "./operators.ts";
import type { Value } from "./value.ts";

interface SortOptions {
  readonly isReverse?: boolean;
  readonly keyOf?: (item: Value) => Value;
}

/** Python's `sorted()`: items that are equal keep their order, in reverse too. */
export function sorted(
  items: Iterable<Value>,
  { isReverse = false, keyOf = (item) => item }: SortOptions = {},
): Value[] {
  const keyed = [...items].map((item) => [keyOf(item), item] as const);
  const order = keyed.sort(
    ([left], [right]) => (isLess(left, right) ? -1 : isLess(right, left) ? 1 : 0) * (isReverse ? -1 : 1),
  );
  return order.map(([, item]) => item);
}
