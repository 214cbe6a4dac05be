import type { Call } from "../../command/call.ts";
import { codeOf, plainName } from "../../command/inline-code/interpreters.ts";

/** A dangerous effect of inline code. */
type CodeEffect = "reverse shell" | "runs what it fetches";

/** Judges the literal code of an interpreter; null if it neither opens a shell to the network nor hides its code. */
export function effectOfCode(call: Call): CodeEffect | null {
  for (const code of codeOf(call)) {
    if (opensSocketShell(code)) return "reverse shell";
    if (code.length <= MOST_CODE && runsWhatItBrings(code)) return "runs what it fetches";
  }
  return isEncoded(call) ? "runs what it fetches" : null;
}

/** Functions that run a text as code or as a command. */
const RUNS_TEXT =
  /(?<![\w.])(?:exec|eval|execfile|iex|invoke-expression|compile|function|instance_eval|class_eval|loadstring|load|assert|runInThisContext|runInNewContext)\s*\(|(?:os\.(?:system|popen|exec\w*)|subprocess\.\w+|commands\.getoutput|child_process|execSync|spawnSync|vm\.run\w+|new\s+Function|shell_exec|passthru|popen|proc_open|Kernel\.exec|IO\.popen|Open3|system|os\.execute|io\.popen)\b|(?:^|[;{|&\s(])(?:eval|exec|iex|invoke-expression|system|qx)\b\s*[^\s=,)]|\.then\(\s*eval\b/i;

/** Functions that fetch or decode a text. */
const BRINGS_TEXT =
  /b64decode|b32decode|b16decode|a85decode|decodebytes|decodestring|fromhex|unhexlify|codecs\.decode|zlib\.decompress|marshal\.loads|atob\s*\(|['"]base64['"]|['"]hex['"]\s*\)|decode_base64|base64_decode|urlsafe_decode64|strict_decode64|decode64|unpack1?\s*\(?\s*['"]m|pack\s*\(?\s*['"]H\*|gzinflate|str_rot13|FromBase64String|chr\(\d+\)\s*[+.]|urlopen|urlretrieve|requests['"]?\)?\.get|httpx\.get|\bfetch\s*\(|https?\.get\s*\(|Net::HTTP|open-uri|URI\.open|https?['"]\)\.get|LWP::Simple|file_get_contents\s*\(\s*['"]https?:|DownloadString|Invoke-WebRequest|Invoke-RestMethod|\biwr\b|\birm\b|axios/i;

/** A longer program may well fetch something and run something else. */
const MOST_CODE = 2000;

const runsWhatItBrings = (code: string): boolean => {
  const plain = code.replace(/#[^\n'"]*$/gm, "").replace(SENTENCE, '""');
  const hosts = [...plain.matchAll(ADDRESS)].map(([, host = ""]) => host);
  const isLocal = hosts.length > 0 && hosts.every((host) => LOCAL_HOST.test(host));
  return BRINGS_TEXT.test(isLocal ? plain.replace(REQUEST, "") : plain) && RUNS_TEXT.test(withoutKnownStarts(plain));
};

/** A text of several words: `System program` starts nothing. */
const SENTENCE = /(["'])(?=[\w.:!?-]{1,100} )[\w ,.:!?-]{1,400}\1/g;

/** The hosts of the addresses in code. If all are this machine, its requests bring nothing. */
const ADDRESS = /\bhttps?:\/\/([^/"'`\s)]{1,200})/g;
const LOCAL_HOST = /^(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\])(?::[^/]*)?$/;
const REQUEST = /\burlopen|requests\.get|httpx\.get|\bfetch\s*\(|https?\.get\s*\(|axios/g;

const TEXT = String.raw`"(?:[^"\\\n]|\\.){0,400}"|'(?:[^'\\\n]|\\.){0,400}'`;
const ITEM = String.raw`\s{0,20}(?:${TEXT}|sys\.executable|process\.execPath)\s{0,20}`;

/** `subprocess.run(["npm", "test"])`: the program and its arguments are written out, and are judged as a call of their own. */
const KNOWN_START = new RegExp(
  String.raw`(?:subprocess\.\w{1,20}|os\.(?:system|popen)|(?:child_process\.|cp\.)?(?:execSync|spawnSync|execFileSync|execFile|spawn))\((?:${ITEM}|\s{0,20}\[${ITEM}(?:,${ITEM}){0,40},?\s{0,20}\]\s{0,20})(?=[,)])`,
  "g",
);
const STARTER_NAMES = "exec|execSync|execFile|execFileSync|spawn|spawnSync";
const IMPORT_OF_STARTERS = new RegExp(
  String.raw`\{\s*(?:${STARTER_NAMES})(?:\s*,\s*(?:${STARTER_NAMES}))*\s*\}\s*(?:=\s*require\s*\(\s*|from\s+)["'](?:node:)?child_process["']`,
  "g",
);
/** Values of \`subprocess\` that start nothing. */
const CONSTANT_OF_SUBPROCESS =
  /subprocess\.(?:PIPE|DEVNULL|STDOUT|TimeoutExpired|CalledProcessError|CompletedProcess)\b/g;

const withoutKnownStarts = (code: string): string =>
  code.replace(CONSTANT_OF_SUBPROCESS, "").replace(KNOWN_START, "started(").replace(IMPORT_OF_STARTERS, "");

/** A connection, or a server that waits for one. */
const SOCKET =
  /\bsocket\b[\s\S]*(?:connect|bind|accept|listen)|IO::Socket|fsockopen|stream_socket_client|TCPSocket|TCPServer|['"]net['"]\)[\s\S]*\bconnect\(|\bztcp\b|\bnet(?:['"]\))?\.(?:connect|createConnection|createServer|Socket)|Net\.Sockets|\/inet\/(?:tcp|udp)\/|\/dev\/(?:tcp|udp)\//i;

/** A shell, or descriptors that a shell gets. */
const SHELL =
  /dup2|pty\.spawn|fdopen|\/bin\/(?:ba|z|da|k)?sh\b|cmd(?:\.exe)?['"]|powershell|<&3|>&3|\biex\b|getline|["'`](?:ba|z|da|k)?sh(?:\s+-[il]+)?["'`](?!\s{0,9},\s{0,9}\[?\s{0,9}["']-c)/i;

const opensSocketShell = (code: string): boolean => SOCKET.test(code) && (SHELL.test(code) || runsWhatItReceives(code));

const RECEIVES = String.raw`recv\w*|gets|fgets|fread|readline|sysread|makefile|getline|receive\w*|read`;
const ASSIGNED = new RegExp(
  String.raw`([A-Za-z_]\w*)\s{0,9}(?:=(?!=)|\bin\b)[^\n;=]{0,200}?(?:\b(?:${RECEIVES})\b|<\$?\w{1,20}>)`,
  "g",
);
const CALLBACK =
  /\.on\w*\(\s*['"](?:data|message|line)['"]\s*,\s*(?:async\s*)?(?:function\s*\w*\s*)?\(?\s*([A-Za-z_]\w*)/g;
const STARTS = String.raw`(?:subprocess\.\w+|os\.(?:system|popen|exec\w*|spawn\w*|execute)|(?<![\w.])(?:exec\w*|eval|spawn\w*|system|popen\w*|shell_exec|passthru|proc_open|qx|Popen|check_output)|\.(?:exec|execSync|spawn|spawnSync|popen\w*|Popen|check_output|check_call|getoutput))[\s({[]`;

/** `while cmd = s.gets; IO.popen(cmd)`: what comes from the connection is run. */
function runsWhatItReceives(code: string): boolean {
  const received = new Set([...code.matchAll(ASSIGNED), ...code.matchAll(CALLBACK)].map(([, name = ""]) => name));
  for (const [, name = "", text = ""] of code.matchAll(/([A-Za-z_]\w*)\s{0,9}=(?!=)([^\n;]{0,200})/g))
    if ([...text.matchAll(/[A-Za-z_]\w*/g)].some(([word]) => received.has(word))) received.add(name);
  const starts = code.matchAll(new RegExp(`${STARTS}([^\\n;]{0,200})`, "g"));
  return [...starts].some(([, text = ""]) =>
    [...text.replace(PLAIN_TEXTS, "").matchAll(/[A-Za-z_]\w*/g)].some(
      ([word]) => received.has(word) || /^(?:recv|gets|fgets|makefile)$/.test(word),
    ),
  );
}

/** Texts without interpolation. */
const PLAIN_TEXTS = /(?<![\w$])(?:"[^"\\\n$#{]{0,400}"|'(?:[^'\\\n]|\\.){0,400}')/g;

/** `powershell -enc …` */
const isEncoded = ({ program, args }: Call): boolean =>
  /^(?:pwsh|powershell)$/.test(plainName(program)) && args.some(({ text }) => /^[-/](?:e|ec|en|enc\w*)$/i.test(text));
