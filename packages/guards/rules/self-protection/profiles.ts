import { isDisarmingVariable } from "../../../../src/protocol/disarming-variables.ts";

/** Files that shells of the person read when they start, relative to the home. */
const PROFILE =
  /^(?:\.(?:bashrc|bash_profile|bash_login|bash_aliases|bash_logout|profile|zshrc|zshenv|zprofile|zlogin|kshrc|mkshrc|pam_environment)|\.config\/(?:fish\/(?:config\.fish|conf\.d\/[^/]+\.fish|functions\/[^/]+\.fish)|environment\.d\/[^/]+\.conf))$/;
const SYSTEM_PROFILE =
  /^\/etc\/(?:profile|bash\.bashrc|bashrc|environment|zshenv|zprofile|zshrc|profile\.d\/[^/]+|zsh\/[^/]+)$/;

/** True for a file that prepares the shells in which agents and their hooks start. */
export const isProfile = (path: string, home: string): boolean =>
  SYSTEM_PROFILE.test(path) || (path.startsWith(`${home}/`) && PROFILE.test(path.slice(home.length + 1)));

/** The words that registered commands are made of. */
const USED = String.raw`(?:hookctl|printf|case|esac|test|\[|command|exec|env|exit|true|false|node|bun|npx|if|then|eval|unset)`;
const FUNCTION = new RegExp(
  String.raw`(?:^|[;&|{("']|\bthen\b|\bdo\b)\s*(?:function\s+(${USED})(?=[\s({;]|$)|(${USED})\s*\(\s*\))`,
);
/** Ends the shell, or replaces it by another program, before the registered line runs. */
const ENDS_SHELL = /(?:^|["'])\s*(?:exit|logout|exec\s+(?!\d*[<>]))\b/;
const ALIAS = new RegExp(String.raw`\balias\s+(?:-\w+\s+)*(?:[^;&|]*\s)?["']?(${USED})["']?(?:=|\s)`);
const BUILTIN = new RegExp(String.raw`\b(?:enable\s+-n|unalias\s+-a;)[^;&|]*\b(${USED})\b`);
/** `NAME=value` with or without a word before it, and fish's `set -x NAME value`. */
const ASSIGNMENT =
  /(?:^|[;&|({\s"'])(?:["']?([A-Za-z_][\w%]*)["']?(\+?=)((?:"[^"]*"|'[^']*'|[^\s;&|])*)|set\s+(?:-\w+\s+)*["']?([A-Za-z_][\w%]*)["']?\s+(?=["'\w/$~])([^;&|]*))/g;

/** What a changed profile does that could take hooks out of later sessions, as parts of a sentence. */
export function profileLosses(before: string, after: string): readonly string[] {
  const known = new Set(linesOf(before));
  return linesOf(after).flatMap((line) => (known.has(line) ? [] : lossesIn(line)));
}

/** Logical lines without comments. */
const linesOf = (text: string): readonly string[] =>
  text
    .replace(/\\\n/g, "")
    .split("\n")
    .map((line) => line.replace(/(?:^|\s)#.*$/, "").trim())
    .filter((line) => line !== "");

function lossesIn(line: string): readonly string[] {
  const functions = FUNCTION.exec(line);
  const redefined = functions?.[1] ?? functions?.[2] ?? ALIAS.exec(line)?.[1] ?? BUILTIN.exec(line)?.[1];
  const variables = [...line.matchAll(ASSIGNMENT)]
    .map(([, name, sign = "", value = "", ofSet = "", values = ""]) => ({
      name: name ?? ofSet,
      sign,
      value: value || values,
    }))
    .filter(({ name, sign, value }) => isDisarmingVariable(name) && !isOrdinary(name, sign, value))
    .map(({ name }) => `sets ${name} for later sessions`);
  const ends = ENDS_SHELL.test(line) ? ["ends the shells of later sessions"] : [];
  return [
    ...ends,
    ...(redefined === undefined ? [] : [`redefines ${redefined}, which registered hooks use`]),
    ...variables,
  ];
}

/** A longer search path, more memory for Node and the folders of the XDG standard are in many profiles. */
function isOrdinary(name: string, sign: string, value: string): boolean {
  const plain = value.replace(/["']/g, "");
  if (name === "PATH" || name === "CDPATH") return sign.startsWith("+") || /\$(?:PATH|\{PATH|CDPATH)\b/.test(plain);
  if (name === "NODE_OPTIONS")
    return !/(?:^|\s)-(?!-(?:max-|no-warnings|no-deprecation|stack-trace|trace-))/.test(plain);
  if (name === "SHELL" || name === "IFS" || name === "PS4" || name === "NODE_EXTRA_CA_CERTS") return true;
  // Of the system or of a program that root installed.
  if (name === "LD_LIBRARY_PATH") return /^(?:\/(?:usr|opt|lib)|\$\{?(?:LD_LIBRARY_PATH|CUDA))/.test(plain);
  return /^XDG_(?:CONFIG|STATE|CACHE|DATA)_HOME$/.test(name) && /^(?:\$HOME|\$\{HOME\}|~)\/\./.test(plain);
}
