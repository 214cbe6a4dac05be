import { raise } from "../faults.ts";
import { isNumber, isText, PythonObject, Tuple, textOf, typeNameOf, Undefined, type Value } from "./value.ts";

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

type ViewPart = "keys" | "values" | "items";

/** The result of `keys()`, `values()` and `items()`: a live view of the dict. */
export class DictView extends PythonObject {
  readonly typeName: `dict_${ViewPart}`;
  readonly dict: Dict;
  private readonly part: ViewPart;
  constructor(dict: Dict, part: ViewPart) {
    super();
    this.dict = dict;
    this.part = part;
    this.typeName = `dict_${part}`;
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
  // An int and a float are the same key if they are equal.
  if (isNumber(key)) return `n${typeof key === "number" && !Number.isInteger(key) ? key : BigInt(key)}`;
  if (key instanceof Tuple) return `t${key.items.map((item) => partHash(hashOf(item))).join("")}`;
  if (Array.isArray(key) || key instanceof Dict || key instanceof DictView) {
    return raise("TypeError", `unhashable type: '${typeNameOf(key)}'`);
  }
  if (!(key instanceof Undefined)) return key;
  key.check();
  return "undefined";
}

const identities = new WeakMap<object, number>();
let lastIdentity = 0;

/** The hash of a tuple's item with its length, so that different tuples have different hashes. */
function partHash(hash: unknown): string {
  if (typeof hash === "string") return `${hash.length}:${hash}`;
  const object = Object(hash);
  const identity = identities.get(object) ?? ++lastIdentity;
  identities.set(object, identity);
  return `#${identity};`;
}
