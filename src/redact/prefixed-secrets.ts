import { isPlaceholder, isReference } from "./assignments.ts";
import type { Clue } from "./clues.ts";
import { looksRandom } from "./token-kinds.ts";

interface PrefixedSecret {
  readonly kind: string;
  /** Each text with such a secret contains one of these clues. */
  readonly clues: readonly Clue[];
  /** Two groups: the text before the secret, and the secret. Made when a text has a clue, which is seldom. */
  readonly pattern: () => RegExp;
  readonly isSecret: (secret: string, before: string) => boolean;
}

/** Secrets that are recognised by the text before them. */
export const AFTER_PREFIX: readonly PrefixedSecret[] = [
  {
    kind: "URL password",
    clues: ["://"],
    pattern: () => /(:\/\/[^\s/:@"'`\\<>]{0,200}:)([^\s/@"'`\\<>&]{1,400})(?=@)/g,
    isSecret: (password, before) =>
      !isPlaceholder(password) && !/^[$%{]/.test(password) && before !== `://${password}:`,
  },
  {
    kind: "webhook address",
    clues: [".com/"],
    pattern: () =>
      /(hooks\.slack\.com\/(?:services|workflows|triggers)\/|hooks\.zapier\.com\/hooks\/catch\/|webhook\.office\.com\/webhookb2\/|outlook\.office(?:365)?\.com\/webhook\/|discord(?:app)?\.com\/api\/webhooks\/)([A-Za-z0-9/_@-]{20,})/g,
    isSecret: looksRandom,
  },
  {
    kind: "signature",
    clues: ["sig=", "signature="],
    pattern: () => /([?&;](?:sig|X-Amz-Signature|X-Goog-Signature|Signature)=)([A-Za-z0-9%+/_-]{16,})/g,
    isSecret: looksRandom,
  },
  {
    kind: "bearer token",
    clues: ["bearer"],
    pattern: () => /(\bbearer[ \t]{1,8})([A-Za-z0-9._~+/-]{16,})/gi,
    isSecret: isRandomToken,
  },
  {
    kind: "basic credentials",
    clues: ["basic"],
    pattern: () => /(\bbasic[ \t]{1,8})([A-Za-z0-9+/_-]{8,}={0,2})/gi,
    isSecret: isUserAndPassword,
  },
  {
    kind: "basic credentials",
    clues: ['"auth'],
    pattern: () => /("auth\\{0,4}":[ \t]{0,8}\\{0,4}")([A-Za-z0-9+/]{8,}={0,2})/g,
    isSecret: isUserAndPassword,
  },
  {
    kind: "authorization header",
    clues: ["authorization"],
    pattern: () =>
      /(\bauthorization["']?[ \t]{0,8}[:=][ \t]{0,8}["']?(?:[A-Za-z][A-Za-z0-9-]{1,20} {1,8})?)([^\s"'`\\,;<>(){}]{8,})/gi,
    isSecret: isRandomToken,
  },
  {
    kind: "cookie",
    clues: ["cookie"],
    pattern: () => /(\b(?:set-)?cookie["']?[ \t]{0,8}:[ \t]{0,8}["']?)([^\s=;,"'`\\]{1,100}=[^\r\n"'`\\]{8,8192})/gi,
    isSecret: looksRandom,
  },
  {
    kind: "password",
    clues: ["machine"],
    pattern: () =>
      /(\bmachine[ \t]{1,8}[^\s]{1,200}\s{1,8}login[ \t]{1,8}[^\s]{1,200}\s{1,8}password[ \t]{1,8})([^\s]{1,400})/g,
    isSecret: (password) => !isPlaceholder(password) && !isReference(password),
  },
  {
    kind: "password hash",
    clues: [":$"],
    pattern: () => /(^[A-Za-z_][\w.@-]{0,63}:)(\$(?:[1-9a-z]{1,8})\$[A-Za-z0-9./$,=+-]{20,})(?=[:\s]|$)/gm,
    isSecret: looksRandom,
  },
  {
    kind: "password hash",
    clues: [":{"],
    pattern: () => /(^[A-Za-z_][\w.@-]{0,63}:)(\{S?SHA\d{0,3}\}[A-Za-z0-9+/]{20,}={0,2})/gm,
    isSecret: looksRandom,
  },
  {
    kind: "password",
    clues: ["login"],
    pattern: () =>
      /(\b(?:docker|podman|nerdctl|buildah|skopeo|helm registry|oras|az|cf|vsts)[ \t]{1,4}login\b[^\n|;&]{0,200}?[ \t](?:-p|--password)(?:=|[ \t]{1,4})?["']?)([^\s"'`\\$-][^\s"'`\\]{5,400})/g,
    isSecret: isRandomToken,
  },
  {
    kind: "password",
    clues: ["</"],
    pattern: () => /(<(?:[\w:.-]{0,40}(?:password|passphrase|passwd|secret|token))>)([^<>\s"'`\\]{6,400})(?=<\/)/gi,
    isSecret: isRandomToken,
  },
  {
    kind: "password",
    clues: [":5", ":6", ":*"],
    pattern: () =>
      /(^(?:\*|localhost|[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}):(?:\*|[56]\d{3}):(?:\*|[A-Za-z_][\w-]{0,62}):(?:\*|[A-Za-z_][\w@.-]{0,62}):)([^\s:]{6,400})$/gm,
    isSecret: isRandomToken,
  },
  {
    kind: "password",
    clues: ["userpassword"],
    pattern: () => /(\buserPassword::?[ \t]{1,8})([^\s"'`\\,;()]{6,400})/gi,
    isSecret: (value) => value.startsWith("{") || isRandomToken(value),
  },
  {
    kind: "network key",
    clues: ["psk="],
    pattern: () => /(\bpsk=["']?)([^\s"'`\\]{8,64})/g,
    isSecret: isRandomToken,
  },
  {
    kind: "private key",
    clues: ["private-"],
    pattern: () => /(\bPrivate-Lines: \d{1,4}\r?\n)((?:[A-Za-z0-9+/=]{1,80}\r?\n?){1,400})/g,
    isSecret: looksRandom,
  },
  {
    kind: "private key",
    clues: ["private-"],
    pattern: () => /(\bPrivate-(?:MAC|Hash): )([0-9a-f]{40,64})/g,
    isSecret: looksRandom,
  },
  {
    kind: "private key",
    clues: ["kty"],
    pattern: () => /(\\{0,4}"(?:d|dp|dq|qi|k)\\{0,4}"[ \t]{0,8}:[ \t]{0,8}\\{0,4}")([A-Za-z0-9_-]{40,})(?=\\{0,4}")/g,
    isSecret: looksRandom,
  },
  {
    kind: "project key",
    clues: ["infura", "alchemy", "quiknode"],
    pattern: () =>
      /(infura\.io\/(?:ws\/)?v3\/|alchemy(?:api)?\.(?:com|io)\/(?:nft\/)?v[23]\/|quiknode\.pro\/)([A-Za-z0-9_-]{20,})/g,
    isSecret: looksRandom,
  },
];

/** True for a token, false for a word of a sentence or an expression. */
function isRandomToken(token: string): boolean {
  return looksRandom(token) && /[0-9]/.test(token) && !isPlaceholder(token) && !isReference(token);
}

/** True for base64 of `user:password`. */
function isUserAndPassword(base64: string): boolean {
  return /^[\x20-\x7e]{1,200}:[\x20-\x7e]{1,400}$/.test(Buffer.from(base64, "base64").toString("latin1"));
}
