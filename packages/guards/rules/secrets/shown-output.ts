import { nameSet } from "../../../../src/protocol/json/table.ts";
import { UNKNOWN } from "../../../../src/shell/unknown.ts";
import type { Call, CommandAnalysis } from "../../command/call.ts";
import { CURL, hasOption, optionValues, parseOptions, WGET } from "../../command/options.ts";
import { isSocketPath } from "../../command/paths.ts";
import { redirectionsOf } from "../command-rules.ts";
import { showsNamesOnly } from "./names-only.ts";

/** The destination of a call's output. */
export type Fate = "shown" | "sent" | "used";

/** Follows the output of the calls of a command. */
export function createFates({ calls }: CommandAnalysis): (call: Call) => Fate {
  const readers = new Map<Call, Call[]>();
  const printers = new Map<Call, Call[]>();
  const add = (map: Map<Call, Call[]>, key: Call, reader: Call) => map.set(key, [...(map.get(key) ?? []), reader]);
  for (const call of calls) {
    if (call.input.kind === "pipe") for (const from of writersOf(call.input.from)) add(readers, from, call);
    for (const word of call.args) for (const from of word.printedBy) add(printers, from, call);
  }
  const known = new Map<Call, Fate>();
  const fateOf = (call: Call): Fate => {
    // From the last call on, so that a long pipeline is no deep recursion.
    if (known.size === 0) for (const one of calls.toReversed()) stepTo(one);
    return stepTo(call);
  };
  const stepTo = (call: Call): Fate => {
    const before = known.get(call);
    if (before !== undefined) return before;
    known.set(call, "used");
    const fate = follow(call);
    known.set(call, fate);
    return fate;
  };
  const follow = (call: Call): Fate => {
    const target = outputOf(call);
    if (target !== null) return isSocketPath(target) ? "sent" : "used";
    const next = readers.get(call) ?? [];
    if (next.length > 0) return worst(next.map((one) => passed(one, sendsInput(one), passesOn(one))));
    const users = printers.get(call) ?? [];
    if (users.length > 0)
      return worst(users.map((one) => passed(one, postsOutput(one, call), PRINTS.test(one.program))));
    return call.isCaptured ? "used" : "shown";
  };
  const passed = (to: Call, isSent: boolean, isPassedOn: boolean): Fate =>
    isSent ? "sent" : isPassedOn ? stepTo(to) : "used";
  return fateOf;
}

/** The calls before a pipe that write to it, whose output another call may consume. */
function writersOf(calls: readonly Call[]): readonly Call[] {
  const taken = new Set(calls.flatMap((call) => takenBy(call).filter((one) => one !== call)));
  return calls.filter((one) => !taken.has(one));
}

const takenBy = ({ input, args }: Call): readonly Call[] => [
  ...(input.kind === "pipe" ? input.from : []),
  ...args.flatMap(({ printedBy }) => printedBy),
];

/** `curl -d "$(…)"`. */
function postsOutput(user: Call, printer: Call): boolean {
  if (user.program !== "curl" && user.program !== "wget") return false;
  const bodies = optionValues(parseOptions(user.args, user.program === "curl" ? CURL : WGET), BODIES);
  return bodies.some(({ printedBy }) => printedBy.includes(printer));
}

const BODIES =
  "-d --data --data-binary --data-raw --data-ascii --data-urlencode -F --form --json --post-data --body-data";

const worst = (fates: readonly Fate[]): Fate =>
  fates.includes("sent") ? "sent" : fates.includes("shown") ? "shown" : "used";

/** The file to which standard output goes; null if it is not redirected. */
function outputOf(call: Call): string | null {
  const files = redirectionsOf(call).filter(
    ({ kind, descriptor }) => kind !== "read" && (descriptor === null || descriptor === 1),
  );
  const target = files[0]?.target.text ?? null;
  return target !== null && /^\/dev\/(?:stdout|stderr|tty|fd\/[12])$/.test(target) ? null : target;
}

const PRINTS = /^(?:echo|printf|print|cat|tee)$/;

/** Programs that print what they read, in this form or another. Any other program most likely uses it: a login, a hash, a seal. */
const PRINTS_INPUT =
  /^(?:|g?cat|bat|batcat|g?tee|more|most|less|view|nl|od|hexdump|hd|xxd|strings|g?head|g?tail|tac|rev|fold|fmt|pr|expand|unexpand|column|paste|join|comm|cut|g?tr|g?sed|[gmn]?awk|[efz]?grep|ggrep|rg|ag|ack|ugrep|g?sort|uniq|shuf|base32|base64|basenc|uuencode|gzip|gunzip|zcat|bzip2|xz|zstd|lz4|pigz|jq|gojq|jaq|yq|dasel|mlr|csvtool|xmllint|envsubst|iconv|dd|pv|ts|sponge|split|csplit|while|for|read|xargs|parallel|rot13|(?:Format|Out|Select|Sort|Where|ConvertTo)-\w+|figlet|qrencode|cowsay|boxes|mapfile|readarray|lolcat|fzf|script|node|nodejs|deno|bun|ruby|perl|php|lua|python[\d.]*|sh|bash|zsh|dash|ksh|fish)$/;

/** True if a call shows what it reads from its standard input. */
export function passesOn(reader: Call): boolean {
  const { program, args } = reader;
  if (/^(?:[efz]?grep|ggrep|rg)$/.test(program))
    return !hasOption(parseOptions(args), "-q -c -l -L --quiet --silent --count --files-with-matches");
  return PRINTS_INPUT.test(program) && !args.some(({ text }) => /(?:^|[-_=:])stdin$/.test(text));
}

const SENDERS = nameSet(
  "nc ncat netcat telnet socat sendmail mail mailx mutt msmtp ftp lftp tftp sftp transfer wormhole croc pastebinit termbin sprunge 0x0 http https xh swaks telegram-send apprise ntfy gotify blat mpack nail rsh uuxqt bashupload transfersh ffsend",
);
const SENDS_INPUT = /^(?:@?-|.*@-|--post-file=-|--body-file=-|@?\/dev\/stdin)$/;

/** True if a program sends its input to another machine: the one definition for all guards. */
export function sendsInput({ program, args, redirections }: Call): boolean {
  const words = args.map(({ text }) => text);
  if (redirections.some(({ kind, target }) => kind !== "read" && isSocketPath(target.text))) return true;
  if (SENDERS.has(program)) return true;
  if (/^(?:curl|curlie|wget)$/.test(program)) return words.some((text) => SENDS_INPUT.test(text));
  if (/^(?:ssh|rsh)$/.test(program)) return args.length > 1;
  if (program === "openssl") return words[0] === "s_client";
  if (program === "gh" || program === "glab") return words[0] === "gist" || words[0] === "snippet";
  return (program === "aws" || program === "gsutil") && words.includes("cp");
}

/** `env | grep PATH` and `env | cut -d= -f1` show no secret. */
export function isFiltered(call: Call, { calls }: CommandAnalysis): boolean {
  const readers = calls.filter(({ input }) => input.kind === "pipe" && input.from.includes(call));
  return readers.length > 0 && readers.some(keepsSecretsOut);
}

function keepsSecretsOut(call: Call): boolean {
  const { program, args } = call;
  if (/^(?:e|f|g)?grep$|^rg$|^ag$/.test(program)) {
    const parsed = parseOptions(args, { values: "-e -f -A -B -C -m --regexp" });
    const [pattern = parsed.operands[0]] = optionValues(parsed, "-e --regexp");
    return !hasOption(parsed, "-v --invert-match") && isPlainPattern(pattern?.text ?? "");
  }
  return showsNamesOnly(call);
}

/** A pattern for names that hold no secret: `PATH`, `^NODE_`, `proxy`. */
const isPlainPattern = (pattern: string): boolean =>
  /[A-Za-z]{2}/.test(pattern) &&
  !pattern.includes(UNKNOWN) &&
  !/key|token|secret|pass|pwd|cred|auth|api|aws|azure|gcp|google|github|gh_|openai|anthropic|\.\*/i.test(pattern);
