import { raise } from "../faults.ts";
import {
  Iterator,
  isNumber,
  isText,
  PythonObject,
  Range,
  Tuple,
  textOf,
  typeNameOf,
  Undefined,
  type Value,
} from "./value.ts";

/** A Python dict: in the order of insertion, with keys that are equal if Python says so (1, 1.0 and True are one). */
export class Dict extends PythonObject {
  readonly typeName = "dict";
  private readonly members = new Map<unknown, readonly [Value, Value]>();

  constructor(entries: Iterable<readonly [Value, Value]> = []) {
    super();
    for (const [key, value] of entries) this.set(key, value);
  }

  get size(): number {
    return this.members.size;
  }

  get(key: Value): Value | undefined {
    return this.members.get(hashOf(key))?.[1];
  }

  has(key: Value): boolean {
    return this.members.has(hashOf(key));
  }

  set(key: Value, value: Value): void {
    const hash = hashOf(key);
    this.members.set(hash, [this.members.get(hash)?.[0] ?? key, value]);
  }

  delete(key: Value): void {
    this.members.delete(hashOf(key));
  }

  clear(): void {
    this.members.clear();
  }

  /** The entries; a change of the size during the walk is an error, as in Python. */
  *entries(): Generator<readonly [Value, Value]> {
    const { size } = this;
    for (const entry of this.members.values()) {
      yield entry;
      if (this.size !== size) raise("TemplateRuntimeError", "dictionary changed size during iteration");
    }
  }
}

const VIEW_TYPES = { keys: "dict_keys", values: "dict_values", items: "dict_items" } as const;

/** The result of `keys()`, `values()` and `items()`: a live view of the dict. */
export class DictView extends PythonObject {
  readonly typeName: (typeof VIEW_TYPES)[keyof typeof VIEW_TYPES];
  readonly dict: Dict;
  private readonly part: keyof typeof VIEW_TYPES;
  constructor(dict: Dict, part: keyof typeof VIEW_TYPES) {
    super();
    this.dict = dict;
    this.part = part;
    this.typeName = VIEW_TYPES[part];
  }
  *values(): Generator<Value> {
    for (const [key, value] of this.dict.entries()) {
      yield this.part === "keys" ? key : this.part === "values" ? value : new Tuple([key, value]);
    }
  }
}

/** A hash that is equal for keys that Python treats as equal. Lists and dicts cannot be keys. */
export function hashOf(key: Value): unknown {
  if (key === null) return "none";
  if (isText(key)) return `s${textOf(key)}`;
  if (isNumber(key)) return numberHash(key);
  if (key instanceof Tuple) return `t${key.items.map((item) => partHash(hashOf(item))).join("")}`;
  if (key instanceof Undefined) {
    key.check();
    return "undefined";
  }
  if (key instanceof Range || key instanceof Iterator) return key;
  if (Array.isArray(key) || key instanceof Dict || key instanceof DictView) {
    return raise("TypeError", `unhashable type: '${typeNameOf(key)}'`);
  }
  return key;
}

function numberHash(key: bigint | number | boolean): string {
  if (typeof key === "number") return Number.isInteger(key) ? `n${BigInt(key)}` : `n${key}`;
  return `n${BigInt(key)}`;
}

const identities = new WeakMap<object, number>();
let lastIdentity = 0;

/** The hash of a tuple's item with its length, so that different tuples have different hashes. */
function partHash(hash: unknown): string {
  if (typeof hash === "string") return `${hash.length}:${hash}`;
  const object = Object(hash);
  const known = identities.get(object);
  if (known !== undefined) return `#${known};`;
  lastIdentity += 1;
  identities.set(object, lastIdentity);
  return `#${lastIdentity};`;
}
