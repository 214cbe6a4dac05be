import { type CodeValue, combined, joinedTexts, oneText, UNKNOWN_VALUE } from "./code-values.ts";
import type { Run } from "./run.ts";
import { tokensOf, unescaped } from "./tokens.ts";

const MOST_PARTS = 1000;

/** The value of a string, with the values in it. */
export function textValue(
  run: Run,
  { body, isRaw, isInterpolated }: { readonly body: string; readonly isRaw: boolean; readonly isInterpolated: boolean },
): CodeValue {
  const plain = (text: string): string => (isRaw ? text : unescaped(text));
  const pattern = isInterpolated ? PARTS[run.language.interpolation] : null;
  if (pattern === null) return oneText(plain(body));
  let value = oneText("");
  let at = 0;
  let count = 0;
  for (const match of body.matchAll(pattern)) {
    const inner = match.slice(1).find((part) => part !== undefined);
    value = combined(value, oneText(plain(body.slice(at, match.index))), joinedTexts);
    value = combined(
      value,
      inner === undefined || count++ > MOST_PARTS ? UNKNOWN_VALUE : innerValue(run, inner),
      joinedTexts,
    );
    at = match.index + match[0].length;
  }
  return combined(value, oneText(plain(body.slice(at))), joinedTexts);
}

const INNER = String.raw`\{((?:[^{}]|\{[^{}]{0,200}\}){0,500})\}`;
const PARTS = {
  prefix: new RegExp(`(?<!\\{)${INNER}(?!\\})`, "g"),
  template: new RegExp(`\\$${INNER}`, "g"),
  hash: new RegExp(`#${INNER}`, "g"),
  dollar: new RegExp(
    String.raw`(?<!\\)(?:\$${INNER}|\{(\$[^{}]{0,200})\}|@\{\[([^\]]{0,200})\]\}|([$@][A-Za-z_]\w*(?:\{['"]?\w{1,40}['"]?\}|(?:->)?\[['"\w]{1,40}\])?))`,
    "g",
  ),
  none: null,
};

/** The value of code in a string. */
function innerValue(run: Run, code: string): CodeValue {
  // A format behind the value: `{x:>10}`, `{x!r}`.
  const plain = run.language.interpolation === "prefix" ? code.replace(/(?:![rsa])?(?::[^'"()[\]]*)?=?$/, "") : code;
  const tokens = tokensOf(
    /^\w+$/.test(plain) && run.language.interpolation === "dollar" ? `$${plain}` : plain,
    run.language,
  );
  const inner: Run = { ...run, tokens, at: 0, brackets: 0, depth: run.depth + 1 };
  return run.evaluator.expression(inner, tokens.length);
}
