import { wordsOf } from "./text.ts";

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ["&", "&amp;"],
  [">", "&gt;"],
  ["<", "&lt;"],
  ["'", "&#39;"],
  ['"', "&#34;"],
]);
export const escapeHtml = (text: string): string => text.replace(/[&><'"]/g, (one) => ESCAPES.get(one) ?? one);

/** The text of HTML: without comments and tags, white space as one space each, entities as their characters. */
export function stripTags(html: string): string {
  const text = withoutParts(withoutParts(html, "<!--", "-->"), "<", ">");
  return unescapeHtml(wordsOf(text).join(" "));
}

/** Searches each part separately: one pattern would search for the end from each beginning, in quadratic time. */
function withoutParts(text: string, begin: string, end: string): string {
  let kept = "";
  let position = 0;
  for (;;) {
    const start = text.indexOf(begin, position);
    const stop = start === -1 ? -1 : text.indexOf(end, start + begin.length);
    if (stop === -1) return kept + text.slice(position);
    kept += text.slice(position, start);
    position = stop + end.length;
  }
}

const ENTITY = /&(?:#(?:[xX]([0-9a-fA-F]+)|([0-9]+));?|([^\t\n\f <&#;]{1,32});?)/g;

export const unescapeHtml = (html: string): string =>
  html.replace(ENTITY, (whole: string, hex?: string, decimal?: string, name?: string) => {
    if (name !== undefined) return named(whole, name);
    return numbered(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16));
  });

/** Decodes the longest known name at the beginning of an entity without a semicolon. */
function named(whole: string, name: string): string {
  const isEnded = whole.endsWith(";");
  const found = SHORT_ENTITIES.get(name) ?? (isEnded ? LONG_ENTITIES.get(name) : undefined);
  if (found !== undefined) return found;
  for (let length = name.length - 1; length > 1; length -= 1) {
    const begun = SHORT_ENTITIES.get(name.slice(0, length));
    if (begun !== undefined) return begun + name.slice(length) + (isEnded ? ";" : "");
  }
  return whole;
}

/** HTML reads the numbers of control characters as Windows-1252. */
const WINDOWS = "€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ";

function numbered(code: number): string {
  if (code >= 0x80 && code <= 0x9f) return WINDOWS[code - 0x80] ?? "";
  if (code === 0 || (code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff) return "\ufffd";
  return code === 13 ? "\r" : isNoCharacter(code) ? "" : String.fromCodePoint(code);
}

function isNoCharacter(code: number): boolean {
  const isControl = (code < 0x20 && ![9, 10, 12].includes(code)) || code === 0x7f;
  return isControl || (code >= 0xfdd0 && code <= 0xfdef) || (code & 0xfffe) === 0xfffe;
}

const words = (text: string): readonly string[] => text.split(" ");
const pairs = (text: string): readonly (readonly [string, string])[] =>
  words(text).map((pair) => {
    const [name = "", code = ""] = pair.split("=");
    return [name, String.fromCodePoint(Number.parseInt(code, 16))] as const;
  });

/** The names of the characters from 160 to 255 in their order. They count without a semicolon, too. */
const LATIN = [
  ...words("nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn"),
  ...words("sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave"),
  ...words("Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml"),
  ...words("ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN"),
  ...words("szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute"),
  ...words("icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml"),
  ...words("yacute thorn yuml"),
];

/** Entity names that are valid without a semicolon. */
const SHORT_ENTITIES: ReadonlyMap<string, string> = new Map([
  ...LATIN.map((name, at) => [name, String.fromCodePoint(160 + at)] as const),
  ...pairs("amp=26 AMP=26 lt=3c LT=3c gt=3e GT=3e quot=22 QUOT=22 COPY=a9 REG=ae"),
]);

/** The other names of HTML 4, and `apos`. */
const LONG_ENTITIES: ReadonlyMap<string, string> = new Map([
  ...pairs("apos=27"),
  ...pairs("OElig=152 oelig=153 Scaron=160 scaron=161 Yuml=178 fnof=192 circ=2c6 tilde=2dc Alpha=391"),
  ...pairs("Beta=392 Gamma=393 Delta=394 Epsilon=395 Zeta=396 Eta=397 Theta=398 Iota=399 Kappa=39a"),
  ...pairs("Lambda=39b Mu=39c Nu=39d Xi=39e Omicron=39f Pi=3a0 Rho=3a1 Sigma=3a3 Tau=3a4 Upsilon=3a5 Phi=3a6"),
  ...pairs("Chi=3a7 Psi=3a8 Omega=3a9 alpha=3b1 beta=3b2 gamma=3b3 delta=3b4 epsilon=3b5 zeta=3b6 eta=3b7"),
  ...pairs("theta=3b8 iota=3b9 kappa=3ba lambda=3bb mu=3bc nu=3bd xi=3be omicron=3bf pi=3c0 rho=3c1"),
  ...pairs("sigmaf=3c2 sigma=3c3 tau=3c4 upsilon=3c5 phi=3c6 chi=3c7 psi=3c8 omega=3c9 thetasym=3d1"),
  ...pairs("upsih=3d2 piv=3d6 ensp=2002 emsp=2003 thinsp=2009 zwnj=200c zwj=200d lrm=200e rlm=200f"),
  ...pairs("ndash=2013 mdash=2014 lsquo=2018 rsquo=2019 sbquo=201a ldquo=201c rdquo=201d bdquo=201e"),
  ...pairs("dagger=2020 Dagger=2021 bull=2022 hellip=2026 permil=2030 prime=2032 Prime=2033 lsaquo=2039"),
  ...pairs("rsaquo=203a oline=203e frasl=2044 euro=20ac image=2111 weierp=2118 real=211c trade=2122"),
  ...pairs("alefsym=2135 larr=2190 uarr=2191 rarr=2192 darr=2193 harr=2194 crarr=21b5 lArr=21d0 uArr=21d1"),
  ...pairs("rArr=21d2 dArr=21d3 hArr=21d4 forall=2200 part=2202 exist=2203 empty=2205 nabla=2207 isin=2208"),
  ...pairs("notin=2209 ni=220b prod=220f sum=2211 minus=2212 lowast=2217 radic=221a prop=221d infin=221e"),
  ...pairs("ang=2220 and=2227 or=2228 cap=2229 cup=222a int=222b there4=2234 sim=223c cong=2245 asymp=2248"),
  ...pairs("ne=2260 equiv=2261 le=2264 ge=2265 sub=2282 sup=2283 nsub=2284 sube=2286 supe=2287 oplus=2295"),
  ...pairs("otimes=2297 perp=22a5 sdot=22c5 lceil=2308 rceil=2309 lfloor=230a rfloor=230b lang=2329"),
  ...pairs("rang=232a loz=25ca spades=2660 clubs=2663 hearts=2665 diams=2666"),
]);
