import * as jinja from "@huggingface/jinja";
import { fail, ok, type Result } from "../contract/result.ts";

/** What templates may name: only this, nothing of the process around them. */
export type Values = ReadonlyMap<string, unknown>;

export interface RenderFault {
  readonly why: string;
  /** A name in it stands for nothing. */
  readonly isMissing: boolean;
}

interface Value {
  readonly type: string;
  readonly value: unknown;
}

/** A part of a template; of each kind only the members that are looked into here. */
interface Node {
  readonly type: string;
  readonly value?: unknown;
  readonly object?: Node;
  readonly property?: Node;
  readonly operand?: Node;
  readonly test?: Node;
  readonly filter?: Node;
  readonly callee?: Node;
}

interface Scope {
  readonly variables: Map<string, unknown>;
  set(name: string, value: unknown): void;
}

interface Engine {
  evaluate(node: Node | undefined, scope: Scope): Value | undefined;
  run(program: Node): Value;
}

// The types of the library name their files without endings, which TypeScript does not find from an ES module.
const { Environment, Interpreter, parse, tokenize } = jinja as unknown as {
  readonly Environment: new (parent?: Scope) => Scope;
  readonly Interpreter: new (scope: Scope) => Engine;
  readonly parse: (tokens: unknown) => Node;
  readonly tokenize: (template: string) => unknown;
};

/** More than any message needs; a loop that goes on ends here, in well under a second. */
const STEP_LIMIT = 100_000;
const LONGEST_RANGE = 10_000;

class Missing extends Error {}

/** Jinja2 text -> what it says of these values. What one step does with memory is bounded by the process around it. */
export function render(template: string, values: Values): Result<string, RenderFault> {
  try {
    const program = parse(tokenize(template));
    return ok(String(new StrictInterpreter(scopeOf(values)).run(program).value));
  } catch (error) {
    return fail({ why: whyOf(error), isMissing: error instanceof Missing });
  }
}

/**
 * Counts its steps, and takes no name that stands for nothing, as Jinja's StrictUndefined: an empty place in a message
 * would go unseen. `is defined` and `default` may ask for one.
 */
class StrictInterpreter extends Interpreter {
  private steps = 0;
  private readonly askedFor = new WeakSet<Node>();

  override evaluate(node: Node | undefined, scope: Scope): Value | undefined {
    if (++this.steps > STEP_LIMIT) throw new Error(`it takes more than ${STEP_LIMIT} steps`);
    if (node?.operand !== undefined && mayBeMissing(node)) this.askedFor.add(node.operand);
    const value = super.evaluate(node, scope);
    if (node === undefined || this.askedFor.has(node) || (value !== undefined && value.type !== "UndefinedValue")) {
      return value;
    }
    const isName = node.type === "Identifier" || node.type === "MemberExpression";
    if (isName || value === undefined) throw new Missing(`there is no "${pathOf(node)}"`);
    return value;
  }
}

/** The payload lies behind the constants: a field named `true` must not change what a template says. */
function scopeOf(values: Values): Scope {
  const payload = new Environment();
  payload.variables.clear();
  for (const [key, value] of values) payload.set(key, value);
  const scope = new Environment(payload);
  for (const [name, value] of [
    ["true", true],
    ["false", false],
    ["none", null],
  ] as const) {
    scope.set(name, value);
    scope.set(`${name[0]?.toUpperCase()}${name.slice(1)}`, value);
  }
  scope.set("range", rangeOf);
  return scope;
}

function rangeOf(first: number, second?: number, step = 1): readonly number[] {
  const [start, stop] = second === undefined ? [0, first] : [first, second];
  const length = Math.max(0, Math.ceil((stop - start) / step));
  if (!(length <= LONGEST_RANGE)) throw new Error(`range() gives at most ${LONGEST_RANGE} numbers`);
  return Array.from({ length }, (_, index) => start + index * step);
}

function mayBeMissing({ type, test, filter }: Node): boolean {
  if (type === "TestExpression") return test?.value === "defined" || test?.value === "undefined";
  return type === "FilterExpression" && (filter?.callee ?? filter)?.value === "default";
}

/** As it stands in the template: `task.id`. */
function pathOf({ type, value, object, property }: Node): string {
  if (type === "Identifier") return String(value);
  if (object === undefined) return "(…)";
  const key = property?.value;
  return pathOf(object) + (typeof key === "string" ? `.${key}` : "[…]");
}

function whyOf(error: unknown): string {
  if (error instanceof RangeError) return "it is nested too deeply or grows too long";
  return error instanceof Error ? error.message : String(error);
}
