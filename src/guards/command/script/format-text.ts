import { UNKNOWN } from "../call.ts";

const SIMPLE: Readonly<Record<string, string>> = {
  ...{ a: "\x07", b: "\b", e: "\x1b", E: "\x1b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v", "\\": "\\" },
  ...{ '"': '"', "'": "'" },
};

/** Text with the escapes of `echo -e` and `printf` replaced. */
export const unescaped = (text: string): string =>
  text.replace(
    /\\(?:x([\da-f]{1,2})|u([\da-f]{1,4})|0?([0-7]{1,3})|([\s\S]))/gi,
    (whole, hex, unicode, octal, char) => {
      if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
      if (unicode !== undefined) return String.fromCharCode(Number.parseInt(unicode, 16));
      if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8) & 255);
      return SIMPLE[char] ?? whole;
    },
  );

/** What `printf` prints: its format is used again until no argument is left. */
export function printfText(words: readonly string[]): string {
  const args = words[0] === "--" ? words.slice(1) : words;
  const [format, ...values] = args;
  if (format === undefined) return "";
  const directives = format.match(/%[-+ #0]{0,5}[\d*]{0,5}(?:\.[\d*]{0,5})?[a-zA-Z]/g) ?? [];
  const rounds = directives.length === 0 ? 1 : Math.max(1, Math.ceil(values.length / directives.length));
  let next = 0;
  // An escape that stands for `%` begins no directive.
  const once = () =>
    format.replace(
      /%%|%[-+ #0]{0,5}([\d*]{0,5})(?:\.[\d*]{0,5})?([a-zA-Z])|(?:\\[\s\S]|[^%\\])+/g,
      (whole, width: string | undefined, kind: string | undefined) => {
        if (whole === "%%") return "%";
        if (kind === undefined) return unescaped(whole);
        const value = values[next++] ?? "";
        return width?.includes("*") ? UNKNOWN : formatted(value, kind);
      },
    );
  return Array.from({ length: Math.min(rounds, 1000) }, once).join("");
}

function formatted(value: string, kind: string): string {
  if (kind === "s" || kind === "q") return value;
  if (kind === "b") return unescaped(value);
  if (kind === "c") return value.slice(0, 1);
  if (/[diuxXo]/.test(kind)) return /^-?\d+$/.test(value) && !/[xXo]/.test(kind) ? value : UNKNOWN;
  return UNKNOWN;
}
