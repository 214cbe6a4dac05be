import { nameSet, namesIn, tableOf } from "../../../../src/protocol/json/table.ts";
import type { Call, Word } from "../../command/call.ts";
import { plainName } from "../../command/inline-code/interpreters.ts";
import { rowFinder } from "../../command/named-rows.ts";
import {
  CURL,
  hasOption,
  type OptionSpec,
  optionValues,
  type ParsedOptions,
  parseOptions,
  WGET,
} from "../../command/options.ts";
import { isSocketPath } from "../../command/paths.ts";
import table from "./origins.json" with { type: "json" };

/** The origin of text that nobody has reviewed: another machine, or a decoder. */
export type Origin = "network" | "decoder";

/** When the output of a program is unread text. A row without conditions: always. */
interface OriginRow extends OptionSpec {
  readonly origin: Origin;
  /** Options with which it prints no unread text, and options of which it needs one. */
  readonly unless?: string;
  readonly only?: string;
  /** True if it needs an operand, or one of the options `instead`. */
  readonly needsOperand?: true;
  readonly instead?: string;
  /** Words of which one must be among the arguments, just as they are. */
  readonly words?: string;
  /** A condition in code, below. */
  readonly rule?: keyof typeof CONDITIONS;
}

const rowOf = rowFinder<OriginRow>(tableOf(table));

function isUnread(row: OriginRow, call: Call): boolean {
  const { unless = "", only, needsOperand, instead = "", words, rule } = row;
  const parsed = parseOptions(call.args, row);
  if (hasOption(parsed, unless) || (only !== undefined && !hasOption(parsed, only))) return false;
  if (needsOperand === true && parsed.operands.length === 0 && !hasOption(parsed, instead)) return false;
  if (words !== undefined && !call.args.some(({ text }) => namesIn(words).includes(text))) return false;
  return rule === undefined || CONDITIONS[rule](call);
}

type Condition = (call: Call) => boolean;

/** The download is printed, and not only saved. */
const curl: Condition = ({ args }) => {
  const parsed = parseOptions(args, CURL);
  const urls = curlUrls(parsed);
  if (hasOption(parsed, "--help --version -V -h") || urls.every(({ text }) => /^file:/i.test(text))) return false;
  const outputs = optionValues(parsed, "-o --output");
  if (outputs.length >= urls.length) return outputs.some(({ text }) => isStdout(text));
  return !hasOption(parsed, "-O --remote-name --remote-name-all");
};

const wget: Condition = ({ args }) => {
  const parsed = parseOptions(args, WGET);
  if (hasOption(parsed, "--help --version -h -V --spider") || parsed.operands.length === 0) return false;
  return optionValues(parsed, "-O --output-document").some(({ text }) => isStdout(text));
};

const browser: Condition = ({ program, args }) => {
  const words = args.map(({ text }) => text);
  const isPrinting =
    plainName(program) === "get" ||
    words.some((text) => /^-{1,2}(?:source|dump\w*|output=?-|o-?)$/.test(text) || text === "-");
  return isPrinting && words.some((text) => !text.startsWith("-"));
};

const socat: Condition = ({ args }) => args.some(({ text }) => isNetworkAddress(text));

const hexdump: Condition = ({ args }) => args.some(({ text }) => /^-[a-z]*r/.test(text) || text === "--revert");

/** Turns each letter into another one, as rot13 does; `tr -d '\r'` and `tr a-z A-Z` hide nothing. */
const scrambled: Condition = ({ args }) => {
  const [from = "", to = ""] = args.map(({ text }) => text.replace(/[[\]]/g, ""));
  const isOfLetters = /^[a-z]-[a-z]|[A-Z]-[A-Z]/i.test(from) && /[a-z]-[a-z][a-z]-[a-z]/i.test(to);
  return args.length === 2 && isOfLetters && to.length > 3;
};

/** The archive is extracted to standard output. */
const archive: Condition = ({ args }) =>
  args.some(
    ({ text }, at) =>
      text === "--to-stdout" ||
      /^-[A-Za-z]*O/.test(text) ||
      (at === 0 && /^[a-zA-Z]*x[a-zA-Z]*O|^[a-zA-Z]*O[a-zA-Z]*x/.test(text)),
  );

const github: Condition = ({ args: [first, second] }) =>
  first?.text === "api" || (first?.text === "gist" && second?.text === "view");

const toStdout: Condition = ({ args }) => args.at(-1)?.text === "-";

const CONDITIONS = { archive, browser, curl, github, hexdump, scrambled, socat, toStdout, wget };

/** The origin of a program's own output; null if it only passes its input on. */
function sourceOf(call: Call): Origin | null {
  const program = plainName(call.program);
  if (program === "openssl") return originOfOpenssl(call);
  const row = rowOf(program);
  return row !== undefined && isUnread(row, call) ? row.origin : null;
}

function originOfOpenssl({ args }: Call): Origin | null {
  const [command = "", ...words] = args.map(({ text }) => text);
  if (command === "s_client") return "network";
  const isCipher = /^(?:enc|base64|aes|des|camellia|aria|chacha|rc4|bf|zlib)/.test(command);
  return isCipher && words.some((text) => text === "-d" || text === "--d") ? "decoder" : null;
}

export const curlUrls = (parsed: ParsedOptions): readonly Word[] => [
  ...parsed.operands,
  ...optionValues(parsed, "--url"),
];

export const isStdout = (path: string): boolean => /^(?:-|\/dev\/stdout|\/dev\/fd\/1|\/proc\/self\/fd\/1)$/.test(path);

export const isNetworkAddress = (address: string): boolean =>
  /^(?:tcp|udp|sctp|dccp|openssl|ssl|socks|proxy|ip|quic|vsock)[46a-z0-9]*(?:-[a-z]+)*[:,]/i.test(address);

/** Programs whose output does not contain their input. */
const PRINTS_OWN = nameSet("echo printf true : date pwd wc test [ sha256sum md5sum sha1sum");

/** Finds where text comes from; null if nothing unread is in it. */
export interface Origins {
  readonly ofOutput: (call: Call) => Origin | null;
  readonly ofInput: (call: Call) => Origin | null;
  readonly ofWord: (word: Word) => Origin | null;
}

/** Follows pipes and substitutions and visits each call once. */
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
  const ofAny = (calls: readonly Call[]): Origin | null => calls.map(ofOutput).find((one) => one !== null) ?? null;
  const ofWord = ({ printedBy }: Word): Origin | null => ofAny(printedBy);
  const ofWords = ({ args, redirections }: Call): Origin | null =>
    redirections.some(({ kind, target }) => kind === "read" && isSocketPath(target.text))
      ? "network"
      : ofAny(args.flatMap(({ printedBy }) => printedBy));
  const ofInput = ({ input }: Call): Origin | null => {
    if (input.kind === "pipe") return ofAny(input.from);
    return input.kind === "file" ? (isSocketPath(input.file.text) ? "network" : ofWord(input.file)) : null;
  };
  return { ofOutput, ofInput, ofWord };
}
