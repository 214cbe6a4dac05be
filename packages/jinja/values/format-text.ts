import { raise } from "../faults.ts";
import { Dict } from "./dict.ts";
import { formatValue } from "./format-number.ts";
import { escapeHtml } from "./html.ts";
import { ascii, repr, str } from "./represent.ts";
import { type Arguments, Callable, Markup, orElse, textOf, Undefined, type Value } from "./value.ts";

/** How a field `{0.name}` or `{0[key]}` is looked up: as `a.b` and `a[b]` in the template. */
interface Lookup {
  readonly attribute: (object: Value, name: string) => Value;
  readonly item: (object: Value, key: Value) => Value;
}

/** `text.format(…)` and `text.format_map(dict)`. */
export function formatMethod(lookup: Lookup, text: string | Markup, name: "format" | "format_map"): Callable {
  return new Callable(name, (args) => {
    const formatter = new Formatter(lookup, text instanceof Markup, name === "format" ? args : mapped(args));
    const formatted = formatter.format(textOf(text), 2);
    return text instanceof Markup ? new Markup(formatted) : formatted;
  });
}

function mapped({ positional: [values], keywords }: Arguments): Arguments {
  if (!(values instanceof Dict) || keywords.size > 0) return raise("TypeError", "format_map() takes one dict");
  const texts = [...values.entries()].map(([key, value]) => [str(key), value] as const);
  return { positional: [], keywords: new Map(texts) };
}

const FIELD_NAME = /^([^.[]*)((?:\.[^.[]+|\[[^\]]+\])*)$/s;
const STEP = /\.([^.[]+)|\[([^\]]+)\]/gs;

class Formatter {
  private readonly lookup: Lookup;
  private readonly isHtml: boolean;
  private readonly args: Arguments;
  /** The number of the next `{}`; null once a field has named its number. */
  private nextNumber: number | null = 0;

  constructor(lookup: Lookup, isHtml: boolean, args: Arguments) {
    this.lookup = lookup;
    this.isHtml = isHtml;
    this.args = args;
  }

  /** Fields may be nested in the format of a field, up to this depth. */
  format(text: string, levels: number): string {
    if (levels < 0) return raise("ValueError", "Max string recursion exceeded");
    let written = "";
    for (let at = 0; at < text.length; at += 1) {
      const one = text[at] ?? "";
      if (one !== "{" && one !== "}") {
        written += one;
      } else if (text[at + 1] === one) {
        written += one;
        at += 1;
      } else if (one === "}") {
        raise("ValueError", "Single '}' encountered in format string");
      } else {
        const end = endOfField(text, at);
        written += this.field(text.slice(at + 1, end), levels);
        at = end;
      }
    }
    return written;
  }

  private field(text: string, levels: number): string {
    const [, name = "", conversion, spec = ""] = /^((?:\[[^\]]*\]|[^![:])*)(?:!([^:]*))?(?::(.*))?$/s.exec(text) ?? [];
    const value = this.converted(this.lookUp(name), conversion);
    const form = this.format(spec, levels - 1);
    if (!this.isHtml) return formatValue(value, form);
    if (value instanceof Markup && form === "") return value.text;
    if (value instanceof Markup) return raise("ValueError", "a format does not fit HTML");
    return escapeHtml(formatValue(value, form));
  }

  private converted(value: Value, conversion: string | undefined): Value {
    if (conversion === undefined) return value;
    if (conversion === "s") return str(value);
    if (conversion === "r") return repr(value);
    return conversion === "a" ? ascii(value) : raise("ValueError", `Unknown conversion specifier '${conversion}'`);
  }

  private lookUp(name: string): Value {
    const [, first = "", rest = ""] =
      FIELD_NAME.exec(name) ?? raise("ValueError", "a field of the format is not valid");
    let value = this.argument(first);
    for (const [, attribute, item] of rest.matchAll(STEP)) {
      if (attribute !== undefined) value = this.lookup.attribute(value, attribute);
      else value = this.lookup.item(value, /^\d+$/.test(item ?? "") ? BigInt(item ?? 0) : (item ?? ""));
    }
    if (value instanceof Undefined) value.check();
    return value;
  }

  private argument(name: string): Value {
    if (name !== "" && !/^\d+$/.test(name)) return orElse(this.args.keywords.get(name), () => raise("KeyError", name));
    const isNumbered = name !== "";
    if (isNumbered ? this.nextNumber !== null && this.nextNumber > 0 : this.nextNumber === null) {
      raise("ValueError", "cannot switch between {} and {0}");
    }
    const index = isNumbered ? Number(name) : (this.nextNumber ?? 0);
    this.nextNumber = isNumbered ? null : index + 1;
    return orElse(this.args.positional[index], () => raise("IndexError", "a field of the format has no argument"));
  }
}

function endOfField(text: string, start: number): number {
  let depth = 0;
  let isInKey = false;
  for (let at = start; at < text.length; at += 1) {
    const one = text[at];
    if (isInKey) isInKey = one !== "]";
    else if (one === "[" && depth === 1 && !text.slice(start, at).includes(":")) isInKey = true;
    else if (one === "{") depth += 1;
    else if (one === "}") depth -= 1;
    if (depth === 0) return at;
  }
  return raise("ValueError", "expected '}' before end of string");
}
