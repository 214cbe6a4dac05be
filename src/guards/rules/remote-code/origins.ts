import { nameSet } from "../../../shell/table.ts";
import type { Call, Word } from "../../command/call.ts";
import { rowFinder } from "../../command/named-rows.ts";
import { hasOption, optionValues, type ParsedOptions, parseOptions } from "../../command/options.ts";
import { isSocketPath } from "../../command/paths.ts";
import { CURL, WGET } from "../../command/transfer-options.ts";
import { plainName } from "../interpreters.ts";

/** The origin of text that nobody has reviewed: another machine, or a decoder. */
export type Origin = "network" | "decoder";

const isLocal = (url: string): boolean => /^file:/i.test(url);

/** The origin of a program's output, if nobody has reviewed it. */
const SOURCES: Readonly<Record<string, (call: Call) => Origin | null>> = {
  curl: (call) => (printsDownload(call) ? "network" : null),
  wget: ({ args }) => {
    const parsed = parseOptions(args, WGET);
    if (hasOption(parsed, "--help --version -h -V --spider") || parsed.operands.length === 0) return null;
    return optionValues(parsed, "-O --output-document").some(({ text }) => isStdout(text)) ? "network" : null;
  },
  "http https httpie xh xhs": ({ args }) => {
    const parsed = parseOptions(args, { values: "-o --output -a --auth --session --verify --proxy" });
    const isOff = hasOption(parsed, "--help --version --offline --download -d -o --output");
    return !isOff && parsed.operands.length > 0 ? "network" : null;
  },
  "fetch aria2c lwp-request get lynx links elinks w3m links2 curlie httpx ht axel": ({ program, args }) => {
    const words = args.map(({ text }) => text);
    const isPrinting =
      plainName(program) === "get" ||
      words.some((text) => /^-{1,2}(?:source|dump\w*|output=?-|o-?)$/.test(text) || text === "-");
    return isPrinting && words.some((text) => !text.startsWith("-")) ? "network" : null;
  },
  "nc ncat netcat nc.openbsd nc.traditional telnet": ({ args }) => {
    const parsed = parseOptions(args, { values: "-p -s -w -q -i -e -c -x -X", flags: "--listen" });
    if (hasOption(parsed, "--help --version -z -h")) return null;
    return parsed.operands.length > 0 || hasOption(parsed, "-l --listen") ? "network" : null;
  },
  socat: ({ args }) => (args.some(({ text }) => isNetworkAddress(text)) ? "network" : null),
  "ssh rsh": ({ args }) =>
    args.length > 0 && !hasOption(parseOptions(args, SSH), "-V -N -G --help --version") ? "network" : null,
  "dig host nslookup drill kdig": () => "network",
  openssl: ({ args }) => {
    const words = args.map(({ text }) => text);
    const [command = ""] = words;
    if (command === "s_client") return "network";
    const isCipher = /^(?:enc|base64|aes|des|camellia|aria|chacha|rc4|bf|zlib)/.test(command);
    return isCipher && words.some((text) => text === "-d" || text === "--d") ? "decoder" : null;
  },
  "base64 gbase64 base32 basenc base58": ({ args }) => {
    const parsed = parseOptions(args, {
      values: "-w -b --wrap --break -o --output",
      flags: "--decode --ignore-garbage",
    });
    return hasOption(parsed, "-d -D --decode") ? "decoder" : null;
  },
  xxd: ({ args }) => (args.some(({ text }) => /^-[a-z]*r/.test(text) || text === "--revert") ? "decoder" : null),
  "uudecode rev tac-r ascii85 rot13 caesar unhex": () => "decoder",
  // Turns each letter into another one, as rot13 does; `tr -d '\r'` and `tr a-z A-Z` hide nothing.
  tr: ({ args }) => (args.length === 2 && isScrambling(args) ? "decoder" : null),
  "gpg gpg2": ({ args }) => (hasOption(parseOptions(args), "-d --decrypt") ? "decoder" : null),
  "tar bsdtar": ({ args }) => (printsArchive(args) ? "decoder" : null),
  "unzip 7z 7za unrar": ({ args }) => (args.some(({ text }) => /^(?:-p|-so|p)$/.test(text)) ? "decoder" : null),
  "gh glab": ({ args: [first, second] }) =>
    first?.text === "api" || (first?.text === "gist" && second?.text === "view") ? "network" : null,
  aws: ({ args }) => (args.some(({ text }) => text === "s3") && args.at(-1)?.text === "-" ? "network" : null),
  "gsutil rclone": ({ args }) => (args.some(({ text }) => text === "cat") ? "network" : null),
};

const SSH = { values: "-b -B -c -D -e -E -F -I -i -J -L -l -m -O -o -p -P -Q -R -S -W -w", endsAtOperand: true };

const sourceNamed = rowFinder(SOURCES);

/** The origin of a program's own output; null if it only passes its input on. */
const sourceOf = (call: Call): Origin | null => sourceNamed(plainName(call.program))?.(call) ?? null;

function printsDownload({ args }: Call): boolean {
  const parsed = parseOptions(args, CURL);
  const urls = curlUrls(parsed);
  if (hasOption(parsed, "--help --version -V -h") || urls.length === 0 || urls.every(({ text }) => isLocal(text)))
    return false;
  const outputs = optionValues(parsed, "-o --output");
  if (outputs.length >= urls.length) return outputs.some(({ text }) => isStdout(text));
  return !hasOption(parsed, "-O --remote-name --remote-name-all");
}

export const curlUrls = (parsed: ParsedOptions): readonly Word[] => [
  ...parsed.operands,
  ...optionValues(parsed, "--url"),
];

export const isStdout = (path: string): boolean => /^(?:-|\/dev\/stdout|\/dev\/fd\/1|\/proc\/self\/fd\/1)$/.test(path);

export const isNetworkAddress = (address: string): boolean =>
  /^(?:tcp|udp|sctp|dccp|openssl|ssl|socks|proxy|ip|quic|vsock)[46a-z0-9]*(?:-[a-z]+)*[:,]/i.test(address);

function isScrambling(args: readonly Word[]): boolean {
  const [from = "", to = ""] = args.map(({ text }) => text.replace(/[[\]]/g, ""));
  return /^[a-z]-[a-z]|[A-Z]-[A-Z]/i.test(from) && to.length > 3 && /[a-z]-[a-z][a-z]-[a-z]/i.test(to);
}

function printsArchive(args: readonly Word[]): boolean {
  const words = args.map(({ text }) => text);
  return words.some(
    (text, at) =>
      text === "--to-stdout" ||
      /^-[A-Za-z]*O/.test(text) ||
      (at === 0 && /^[a-zA-Z]*x[a-zA-Z]*O|^[a-zA-Z]*O[a-zA-Z]*x/.test(text)),
  );
}

/** Programs whose output does not contain their input. */
const PRINTS_OWN = nameSet("echo printf true : date pwd wc test [ sha256sum md5sum sha1sum");

/** Finds where text comes from; null: nothing unread is in it. */
export interface Origins {
  readonly ofOutput: (call: Call) => Origin | null;
  readonly ofInput: (call: Call) => Origin | null;
  readonly ofWord: (word: Word) => Origin | null;
}

/** Follows pipes and substitutions and looks at each call once. */
export function createOrigins(): Origins {
  const known = new Map<Call, Origin | null>();
  const ofOutput = (call: Call): Origin | null => {
    const before = known.get(call);
    if (before !== undefined) return before;
    known.set(call, null);
    const found = sourceOf(call) ?? (PRINTS_OWN.has(call.program) ? null : ofInput(call)) ?? ofWords(call);
    known.set(call, found);
    return found;
  };
  const ofAny = (calls: readonly Call[]): Origin | null => firstOf(calls, ofOutput);
  const ofWord = ({ printedBy }: Word): Origin | null => ofAny(printedBy);
  const ofWords = ({ args, redirections }: Call): Origin | null =>
    redirections.some(({ kind, target }) => kind === "read" && isSocketPath(target.text))
      ? "network"
      : firstOf(args, ofWord);
  const ofInput = ({ input }: Call): Origin | null => {
    if (input.kind === "pipe") return ofAny(input.from);
    return input.kind === "file" ? (isSocketPath(input.file.text) ? "network" : ofWord(input.file)) : null;
  };
  return { ofOutput, ofInput, ofWord };
}

function firstOf<T>(items: readonly T[], originOf: (item: T) => Origin | null): Origin | null {
  for (const item of items) {
    const origin = originOf(item);
    if (origin !== null) return origin;
  }
  return null;
}
