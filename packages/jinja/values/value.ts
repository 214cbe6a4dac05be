import { raise } from "../faults.ts";

/**
 * A value of a template, as Python has it: an int is a bigint, a float a number, a list an array. Everything else is an
 * instance of a class below, never a plain JavaScript object, so no lookup can reach a prototype.
 */
export type Value = null | boolean | bigint | number | string | Value[] | PythonObject;

/** Arguments of a call. */
export interface Arguments {
  readonly positional: readonly Value[];
  readonly keywords: ReadonlyMap<string, Value>;
}

/** A value of a Python class. `typeName` is the name of the class. */
export abstract class PythonObject {
  abstract readonly typeName: string;
  /** The attribute of this name; undefined if it is missing. */
  attribute(_name: string): Value | undefined {
    return undefined;
  }
  /** Python's `repr()`, where it does not depend on other values. */
  describe(_around: readonly Value[] = []): string {
    return `<${this.typeName} object>`;
  }
}

/** An object of which only the attributes matter. */
export class Instance extends PythonObject {
  readonly typeName: string;
  override readonly attribute: (name: string) => Value | undefined;
  private readonly description: string;
  constructor(typeName: string, attribute: (name: string) => Value | undefined, description = "object") {
    super();
    this.typeName = typeName;
    this.attribute = attribute;
    this.description = description;
  }
  override describe(): string {
    return `<${this.typeName} ${this.description}>`;
  }
}

/** Text that is HTML already and is not escaped again. */
export class Markup extends PythonObject {
  readonly typeName = "Markup";
  readonly text: string;
  constructor(text: string) {
    super();
    this.text = text;
  }
}

export class Tuple extends PythonObject {
  readonly typeName: string = "tuple";
  readonly items: readonly Value[];
  constructor(items: readonly Value[]) {
    super();
    this.items = items;
  }
}

/** A group of `groupby`: a tuple whose items have names, too. */
export class Group extends Tuple {
  override readonly typeName = "_GroupTuple";
  override attribute(name: string): Value | undefined {
    if (name === "grouper") return this.items[0];
    return name === "list" ? this.items[1] : undefined;
  }
}

export class Range extends PythonObject {
  readonly typeName = "range";
  readonly start: number;
  readonly stop: number;
  readonly step: number;
  readonly length: number;
  constructor(start: number, stop: number, step: number) {
    super();
    this.start = start;
    this.stop = stop;
    this.step = step;
    this.length = Math.max(0, Math.ceil((stop - start) / step));
  }
  at(index: number): bigint {
    return BigInt(this.start + index * this.step);
  }
  override attribute(name: string): Value | undefined {
    return name === "start" || name === "stop" || name === "step" ? BigInt(this[name]) : undefined;
  }
}

/** A generator or another iterator. Items that were consumed are gone. */
export class Iterator extends PythonObject {
  readonly typeName: string;
  private readonly source: globalThis.Iterator<Value>;
  constructor(source: globalThis.Iterator<Value>, typeName = "generator") {
    super();
    this.source = source;
    this.typeName = typeName;
  }
  next(): IteratorResult<Value> {
    return this.source.next();
  }
}

export class Callable extends PythonObject {
  readonly typeName: string;
  readonly name: string;
  readonly call: (args: Arguments) => Value;
  constructor(name: string, call: (args: Arguments) => Value, typeName = "builtin_function_or_method") {
    super();
    this.name = name;
    this.call = call;
    this.typeName = typeName;
  }
  override describe(_around: readonly Value[] = []): string {
    return `<${this.typeName} ${this.name}>`;
  }
}

/** A part of a sequence: `start:stop:step`. */
export class Slice extends PythonObject {
  readonly typeName = "slice";
  readonly bounds: readonly (bigint | null)[];
  constructor(bounds: readonly (bigint | null)[]) {
    super();
    this.bounds = bounds;
  }
}

/** The value of a missing name, attribute or item. */
export class Undefined extends PythonObject {
  readonly typeName: string;
  readonly isStrict: boolean;
  private readonly message: string;
  constructor(message: string, isStrict: boolean) {
    super();
    this.message = message;
    this.isStrict = isStrict;
    this.typeName = isStrict ? "StrictUndefined" : "Undefined";
  }
  fail(): never {
    return raise("UndefinedError", this.message);
  }
  /** Printing, iterating, comparing: allowed unless undefined values are strict. */
  check(): void {
    if (this.isStrict) this.fail();
  }
}

export const isText = (value: Value): value is string | Markup => typeof value === "string" || value instanceof Markup;
export const textOf = (value: string | Markup): string => (typeof value === "string" ? value : value.text);
export const isNumber = (value: Value): value is bigint | number | boolean =>
  typeof value === "bigint" || typeof value === "number" || typeof value === "boolean";
/** A bool is an int in Python. */
export const isInteger = (value: Value): value is bigint | boolean =>
  typeof value === "bigint" || typeof value === "boolean";

/** The value, or a default if it is undefined. `??` would replace None, too. */
export const orElse = (value: Value | undefined, otherwise: () => Value): Value =>
  value === undefined ? otherwise() : value;

/** The name of a value's class in Python. */
export function typeNameOf(value: Value): string {
  if (value === null) return "NoneType";
  if (Array.isArray(value)) return "list";
  if (value instanceof PythonObject) return value.typeName;
  switch (typeof value) {
    case "boolean":
      return "bool";
    case "bigint":
      return "int";
    case "number":
      return "float";
    default:
      return "str";
  }
}
