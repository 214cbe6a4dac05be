import type { Call } from "../../command/call.ts";
import { codeOf, plainName } from "../interpreters.ts";

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

/** What a piece of code in a command does that nobody can review. */
export type CodeEffect = "reverse shell" | "runs what it fetches";

/** Looks at the literal code of an interpreter; null if it neither opens a shell to the network nor hides what it runs. */
export function effectOfCode(call: Call): CodeEffect | null {
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
