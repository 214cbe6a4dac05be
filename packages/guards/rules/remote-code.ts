import { UNKNOWN } from "../../../src/shell/unknown.ts";
import type { Call, CommandAnalysis } from "../command/call.ts";
import { type Finding, type Guard, strictest } from "../guard.ts";
import { fullSource, readRules } from "./command-rules.ts";
import { beginsUnknown, codeOf, plainName, runsWhat } from "./interpreters.ts";
import { runOfDownload } from "./remote-code/downloads.ts";
import { createOrigins, type Origin, type Origins } from "./remote-code/origins.ts";
import { opensShell } from "./remote-code/reverse-shell.ts";
import table from "./remote-code/rules.json" with { type: "json" };

const RULES = readRules(table);

export const remoteCode: Guard = {
  ...RULES.guard,
  judgeCommand: ({ calls }) => {
    const origins = createOrigins();
    return strictest(calls.map((call) => judgeCall(call, { origins, calls }))) ?? judgeDownloads(calls, origins);
  },
};

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
  return isUrl ? RULES.find("run-url", call.source) : null;
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
  for (const call of calls) {
    const origin = call.isCaptured ? origins.ofOutput(call) : null;
    if (origin !== null) return origin;
  }
  return null;
}

function judgeDownloads(calls: readonly Call[], origins: Origins): Finding | null {
  const found = runOfDownload(calls, origins);
  return found === null ? null : RULES.find("run-download", found.call.source);
}

/** Functions that run a text as code or as a command. */
const RUNS_TEXT =
  /(?<![\w.])(?:exec|eval|execfile|iex|invoke-expression|compile|function|instance_eval|class_eval|loadstring|load|assert|runInThisContext|runInNewContext)\s*\(|(?:os\.(?:system|popen|exec\w*)|subprocess\.\w+|commands\.getoutput|child_process|execSync|spawnSync|vm\.run\w+|new\s+Function|shell_exec|passthru|popen|proc_open|Kernel\.exec|IO\.popen|Open3|system|os\.execute|io\.popen)\b|(?:^|[;{|&\s(])(?:eval|exec|iex|invoke-expression|system|qx)\b\s*[^\s=,)]/i;

/** Functions that fetch or decode a text. */
const BRINGS_TEXT =
  /b64decode|b32decode|b16decode|a85decode|decodebytes|decodestring|fromhex|unhexlify|codecs\.decode|zlib\.decompress|marshal\.loads|atob\s*\(|['"]base64['"]|['"]hex['"]\s*\)|decode_base64|base64_decode|urlsafe_decode64|strict_decode64|decode64|unpack1?\s*\(?\s*['"]m|pack\s*\(?\s*['"]H\*|gzinflate|str_rot13|FromBase64String|chr\(\d+\)\s*[+.]|urlopen|urlretrieve|requests\.get|httpx\.get|\bfetch\s*\(|https?\.get\s*\(|Net::HTTP|open-uri|URI\.open|LWP::Simple|file_get_contents\s*\(\s*['"]https?:|DownloadString|Invoke-WebRequest|Invoke-RestMethod|\biwr\b|\birm\b|axios/i;

const SOCKET =
  /\bsocket\b|IO::Socket|fsockopen|stream_socket_client|TCPSocket|net\.(?:connect|createConnection|Socket)|Net\.Sockets|\/inet\/(?:tcp|udp)\/|\/dev\/(?:tcp|udp)\//i;
const GIVES_SHELL =
  /dup2|pty\.spawn|fdopen|subprocess|os\.(?:system|popen|exec\w*)|child_process|\bexec\w*\b|\bsystem\b|popen|proc_open|shell_exec|\/bin\/(?:ba|z|da)?sh|cmd(?:\.exe)?['"]|<&3|>&3|iex\b|getline/i;

/** A dangerous effect of inline code. */
type CodeEffect = "reverse shell" | "runs what it fetches";

/** Judges the literal code of an interpreter; null if it neither opens a shell to the network nor hides its code. */
function effectOfCode(call: Call): CodeEffect | null {
  for (const code of codeOf(call)) {
    if (SOCKET.test(code) && GIVES_SHELL.test(code)) return "reverse shell";
    if (code.length <= MOST_CODE && runsWhatItBrings(code)) return "runs what it fetches";
  }
  return isEncoded(call) ? "runs what it fetches" : null;
}

/** A longer program may well fetch something and run something else. */
const MOST_CODE = 2000;

const runsWhatItBrings = (code: string): boolean => {
  const plain = code.replace(/#[^\n'"]*$/gm, "");
  return BRINGS_TEXT.test(plain) && RUNS_TEXT.test(plain);
};

/** `powershell -enc …` */
const isEncoded = ({ program, args }: Call): boolean =>
  /^(?:pwsh|powershell)$/.test(plainName(program)) && args.some(({ text }) => /^[-/](?:e|ec|en|enc\w*)$/i.test(text));
