/** The comments of scripting languages whose mark cannot stand in a pattern; in JavaScript `/[//]/` is none. */
const STRINGS = String.raw`"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*'|\`(?:[^\`\\]|\\[\s\S])*\``;
const COMMENTS: readonly (readonly [programs: RegExp, comment: string])[] = [
  [/^(?:i|j)?py(?:thon|py)?/, String.raw`#[^\n]*`],
  [/^j?ruby/, String.raw`^=begin\b[\s\S]*?^=end[^\n]*|(?<![^\s;])#[^\n]*`],
  [/^perl/, String.raw`^=\w[\s\S]*?^=cut[^\n]*|(?<![^\s;])#[^\n]*`],
  [/^php/, String.raw`//[^\n]*|/\*[\s\S]*?\*/|#[^\n]*`],
  [/^lua/, String.raw`--\[\[[\s\S]*?\]\]|--[^\n]*`],
  [/^julia/, String.raw`#=[\s\S]*?=#|#[^\n]*`],
  [/^(?:R|Rscript)$/, String.raw`#[^\n]*`],
];

/** The code without its comments. An open block comment at the end counts as code. */
export function withoutComments(code: string, program: string): string {
  const comment = COMMENTS.find(([programs]) => programs.test(program))?.[1];
  if (comment === undefined) return code;
  return code.replace(new RegExp(`(${STRINGS})|${comment}`, "gm"), (_, string: string | undefined) => string ?? " ");
}

/** Code in which the arguments that are strings of several lines, as some languages have them, have escapes for line ends. */
export function withStringsOnOneLine(code: string, program: string): string {
  if (!/^(?:perl|j?ruby|php)/.test(program)) return code;
  return code.replace(
    /(?=["'])(?<=[(,=]\s{0,9}|\w\s{1,9})(?:"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\]|\\[\s\S])*')/g,
    (string) => string.replaceAll("\n", "\\n"),
  );
}
