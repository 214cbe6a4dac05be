/** A return value as the text that a process would have printed. */
export interface SerializedValue {
  readonly text: string;
  /** The first part that JSON cannot represent and that may be a decision or a new value; null if there is none. */
  readonly fault: string | null;
}

export interface ReturnRules {
  /** True if the field at this path may decide or hold a new value. */
  readonly isDecisive: (path: string) => boolean;
  /** True if the payload holds a number such as 1e400, which JavaScript reads as infinite. */
  readonly mayBeInfinite: () => boolean;
}

/** Treats every field as decisive. */
const STRICT: ReturnRules = { isDecisive: () => true, mayBeInfinite: () => false };

/** Never throws. A decisive field that JSON would omit is written as null, so that it is still noticed. */
export function serializeReturnValue(value: unknown, rules: ReturnRules = STRICT): SerializedValue {
  if (value === undefined) return { text: "", fault: null };
  try {
    const converted = isObject(value) && hasToJson(value) ? value.toJSON("") : value;
    return isObject(converted) && !Array.isArray(converted)
      ? returnedObject(converted, rules)
      : returnedOther(converted, rules);
  } catch (error) {
    return { text: "", fault: errorText(error) };
  }
}

function returnedOther(value: unknown, rules: ReturnRules): SerializedValue {
  const text: string | undefined = JSON.stringify(value);
  if (text === undefined) return { text: "", fault: `a ${typeof value} is not a JSON value` };
  const fault = unfitPart(value, "", rules);
  return { text, fault: fault === null ? null : `it is ${fault}` };
}

function returnedObject(value: object, rules: ReturnRules): SerializedValue {
  const parts: string[] = [];
  const faults: string[] = isPlain(value) ? [] : [`it is ${classOf(value)}`];
  for (const key of Object.getOwnPropertyNames(value)) {
    const member: unknown = Reflect.get(value, key);
    const isSeen = Object.prototype.propertyIsEnumerable.call(value, key);
    const text: string | undefined = isSeen ? JSON.stringify(member) : undefined;
    const fault = text === undefined ? leftOut(member) : unfitPart(member, key, rules);
    const isLost = fault !== null && rules.isDecisive(key);
    if (isLost) faults.push(`"${key}" is ${fault}`);
    if (text !== undefined || isLost) parts.push(`${JSON.stringify(key)}:${text ?? "null"}`);
  }
  return { text: `{${parts.join(",")}}`, fault: faults[0] ?? null };
}

/** The first part of a value that JSON changes or omits, in words. An undefined field is fine: that removes it. */
function unfitPart(value: unknown, path: string, rules: ReturnRules): string | null {
  if (typeof value === "number") {
    const isFit = Number.isFinite(value) || (!Number.isNaN(value) && rules.mayBeInfinite());
    return isFit ? null : String(value);
  }
  if (typeof value === "function" || typeof value === "symbol") return leftOut(value);
  if (!isObject(value) || hasToJson(value)) return null;
  if (Array.isArray(value))
    return firstOf(value, (item) => (item === undefined ? leftOut(item) : unfitPart(item, "", rules)));
  if (!isPlain(value)) return classOf(value);
  return firstOf(Object.entries(value), ([key, member]) => {
    const inner = path === "" ? "" : `${path}.${key}`;
    if (member !== undefined) return unfitPart(member, inner, rules);
    return inner !== "" && rules.isDecisive(inner) ? `without a value for "${key}"` : null;
  });
}

const firstOf = <T>(items: readonly T[], faultOf: (item: T) => string | null): string | null =>
  items.map(faultOf).find((fault) => fault !== null) ?? null;

const leftOut = (value: unknown): string =>
  value === undefined ? "undefined" : `a ${typeof value}, which JSON leaves out`;

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

const hasToJson = (value: object): value is { toJSON: (key: string) => unknown } =>
  typeof Reflect.get(value, "toJSON") === "function";

/** True for plain objects, also those of another realm with its own `Object`. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (!isObject(prototype)) return true;
  return Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, "isPrototypeOf");
}

function classOf(value: object): string {
  const maker: unknown = Reflect.get(value, "constructor");
  const name = typeof maker === "function" && maker.name !== "" ? ` of the class ${maker.name.slice(0, 60)}` : "";
  return `an object${name}, which JSON cannot represent`;
}

/** The text of anything that was thrown, also of values that cannot be converted to a string. */
export function errorText(error: unknown): string {
  try {
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  } catch {
    return "something that is not a text";
  }
}

/** True if a value contains an infinite number. */
export const containsInfinity = (value: unknown): boolean =>
  isObject(value)
    ? Object.values(value).some(containsInfinity)
    : Math.abs(Number(typeof value === "number" && value)) === Infinity;
