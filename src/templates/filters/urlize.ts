export interface LinkOptions {
  /** What each link has beside its address. */
  readonly attributes: string;
  /** Further beginnings of addresses: `ftp://`. */
  readonly prefixes: readonly string[];
  readonly shorten: (address: string) => string;
}

const W = "\\p{L}\\p{N}_";
const REST = "(?::\\d{1,5})?(?:[/?#]\\S*)?$";
const ADDRESSES = [
  `^(?:https?://|www\\.)(?:[${W}%-]+\\.)*(?:[a-z]{2,63}|xn--[${W}%]{2,59})${REST}`,
  `^(?:[${W}%-]{2,63}\\.)+(?:com|net|int|edu|gov|org|info|mil)${REST}`,
  `^https?://(?:\\d{1,3}(?:\\.\\d{1,3}){3}|\\[(?:[\\da-f]{0,4}:){2}(?:[\\da-f]{0,4}:?){1,6}\\])${REST}`,
].map((pattern) => new RegExp(pattern, "iu"));
const EMAIL = new RegExp(`^\\S+@[${W}][${W}.-]*\\.[${W}]+$`, "u");
const BEFORE = /^(?:[(<]|&lt;)+/;
const AFTER = /(?:[)>.,\n]|&gt;)+$/;
const BRACKETS = [
  ["(", ")"],
  ["<", ">"],
  ["&lt;", "&gt;"],
] as const;

/** HTML text in which the addresses are links. */
export const urlize = (html: string, options: LinkOptions): string =>
  html
    .split(/(\s+)/)
    .map((word) => linked(word, options))
    .join("");

function linked(word: string, options: LinkOptions): string {
  const before = BEFORE.exec(word)?.[0] ?? "";
  const rest = word.slice(before.length);
  const after = AFTER.exec(rest)?.[0] ?? "";
  const [address, behind] = balanced(rest.slice(0, rest.length - after.length), after);
  return before + linkOf(address, options) + behind;
}

/** A closing bracket behind an address belongs to it if one was opened in it. */
function balanced(address: string, after: string): readonly [string, string] {
  let [inside, outside] = [address, after];
  for (const [open, close] of BRACKETS) {
    const opened = countOf(inside, open);
    if (opened <= countOf(inside, close)) continue;
    for (let left = Math.min(opened, countOf(outside, close)); left > 0; left -= 1) {
      const end = outside.indexOf(close) + close.length;
      [inside, outside] = [inside + outside.slice(0, end), outside.slice(end)];
    }
  }
  return [inside, outside];
}

const countOf = (text: string, part: string): number => text.split(part).length - 1;

function linkOf(address: string, { attributes, prefixes, shorten }: LinkOptions): string {
  if (ADDRESSES.some((pattern) => pattern.test(address))) {
    const scheme = /^https?:\/\//.test(address) ? "" : "https://";
    return `<a href="${scheme}${address}"${attributes}>${shorten(address)}</a>`;
  }
  const mail = address.startsWith("mailto:") ? address.slice("mailto:".length) : null;
  if (mail !== null && EMAIL.test(mail)) return `<a href="${address}">${mail}</a>`;
  const isMail = address.includes("@") && !address.startsWith("www.") && !address.includes(":") && EMAIL.test(address);
  if (isMail) return `<a href="mailto:${address}">${address}</a>`;
  return prefixes.reduce((link, prefix) => {
    const isLink = link !== prefix && link.startsWith(prefix);
    return isLink ? `<a href="${link}"${attributes}>${link}</a>` : link;
  }, address);
}
