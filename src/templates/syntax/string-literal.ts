import { TemplateSyntaxError } from "../faults.ts";

const SIMPLE: ReadonlyMap<string, string> = new Map([
  ["\n", ""],
  ["\\", "\\"],
  ["'", "'"],
  ['"', '"'],
  ["a", "\x07"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ["v", "\v"],
]);
const HEX_DIGITS: ReadonlyMap<string, number> = new Map([
  ["x", 2],
  ["u", 4],
  ["U", 8],
]);
const ESCAPE = /\\(?:([0-7]{1,3})|([xuU])([0-9a-fA-F]*)|(N)|([\s\S]|$))/gu;

/** The text between the quotes, with Python's escapes. Jinja2 writes what is not ASCII as an escape first. */
export function unescapeLiteral(raw: string, line: number): string {
  const ascii = raw.replace(/[^\0-\x7f]/gu, asEscape);
  return ascii.replace(ESCAPE, (whole: string, octal?: string, kind?: string, hex?: string, name?: string) => {
    if (octal !== undefined) return String.fromCodePoint(Number.parseInt(octal, 8));
    if (kind !== undefined) return fromHex(kind, hex ?? "", line);
    if (name !== undefined) throw new TemplateSyntaxError("\\N{…} is not supported in a string", line);
    const character = whole.slice(1);
    if (character === "") throw new TemplateSyntaxError("a string ends with \\", line);
    return SIMPLE.get(character) ?? whole;
  });
}

function asEscape(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code <= 0xff) return `\\x${code.toString(16).padStart(2, "0")}`;
  return code <= 0xffff ? `\\u${code.toString(16).padStart(4, "0")}` : `\\U${code.toString(16).padStart(8, "0")}`;
}

function fromHex(kind: string, hex: string, line: number): string {
  const count = HEX_DIGITS.get(kind) ?? 0;
  if (hex.length < count) throw new TemplateSyntaxError(`a string has \\${kind} without ${count} digits`, line);
  const code = Number.parseInt(hex.slice(0, count), 16);
  if (code > 0x10ffff) throw new TemplateSyntaxError("a string has \\U with a code that is no character", line);
  return String.fromCodePoint(code) + hex.slice(count);
}
