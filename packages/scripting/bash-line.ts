import type { Candidate } from "./completion.ts";

/** A bash command line up to the cursor. */
export interface BashLine {
  /** The words before the current one, without their quotes and without redirections. */
  readonly words: readonly string[];
  readonly current: BashWord;
  /** True if the current word is the file of a redirection. */
  readonly isRedirected: boolean;
}

interface BashWord {
  readonly text: string;
  /** As it was typed. */
  readonly raw: string;
  /** The quote that is still open. */
  readonly quote: Quote | null;
}

type Quote = '"' | "'";

const NO_WORD: BashWord = { text: "", raw: "", quote: null };
const TOKEN = /\\[\s\S]|[\s\S]/gu;

/** Splits a line as bash does. Expansions stay as they are typed: nothing is evaluated. */
export function readBashLine(line: string): BashLine {
  const words: string[] = [];
  let [current, isRedirected] = [NO_WORD, false];
  const endWord = (): void => {
    if (current.raw !== "" && !isRedirected) words.push(current.text);
    if (current.raw !== "") isRedirected = false;
    current = NO_WORD;
  };
  for (const [token] of line.matchAll(TOKEN)) {
    if (current.quote !== null) current = inQuotes(current, token);
    else if (/^\s$/.test(token)) endWord();
    else if (token === "<" || token === ">") {
      // Digits directly before it are a descriptor: `2>`.
      if (/^\d*$/.test(current.raw)) current = NO_WORD;
      endWord();
      isRedirected = true;
    } else current = unquoted(current, token);
  }
  return { words, current, isRedirected };
}

function unquoted({ text, raw }: BashWord, token: string): BashWord {
  const isQuote = token === '"' || token === "'";
  return { text: isQuote ? text : text + escapedBy(token), raw: raw + token, quote: isQuote ? token : null };
}

const escapedBy = (token: string): string =>
  token === "\\\n" ? "" : token.length > 1 && token.startsWith("\\") ? token.slice(1) : token;

function inQuotes({ text, raw, quote }: BashWord, token: string): BashWord {
  const after = { raw: raw + token, quote };
  if (token === quote) return { ...after, text, quote: null };
  // A backslash escapes nothing between single quotes: it may stand before the closing one.
  if (quote === "'" && token.endsWith("'")) return { ...after, text: text + token.slice(0, -1), quote: null };
  const isEscape = quote === '"' && /^\\["$`\\\n]$/.test(token);
  return { ...after, text: text + (isEscape ? escapedBy(token) : token) };
}

/**
 * Returns the text by which bash has to replace `replaced`, the end of the current word, so that the word means the value;
 * null if the value cannot be written there.
 */
export function bashReply({ value }: Candidate, { raw, quote }: BashWord, replaced: string): string | null {
  const head = readBashLine(raw.slice(0, raw.length - replaced.length)).current.text;
  if (!raw.endsWith(replaced) || !value.startsWith(head)) return null;
  const rest = value.slice(head.length);
  if (quote === "'") return rest.replaceAll("'", "'\\''");
  // Between double quotes nothing keeps an interactive bash from reading `!` as history.
  if (quote === '"') return rest.includes("!") ? null : rest.replace(/["$`\\]/g, "\\$&");
  return rest.replace(/[\x20-\x7e]/g, (char) => (/[\w@%+=:,./-]/.test(char) ? char : `\\${char}`));
}
