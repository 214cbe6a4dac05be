import { namesIn, tableOf } from "../../../src/protocol/json/table.ts";
import { ownValue } from "../../../src/protocol/own-value.ts";
import { UNKNOWN } from "../../../src/shell/unknown.ts";
import type { Call, Word } from "./call.ts";
import table from "./connections.json" with { type: "json" };
import { codeOf } from "./inline-code/interpreters.ts";
import { rowFinder } from "./named-rows.ts";
import { CURL, hasOption, type OptionSpec, optionValues, type ParsedOptions, parseOptions, WGET } from "./options.ts";

/** A host to which a call connects. */
export interface Connection {
  /** In lower case; a part that is known only at run time is `UNKNOWN`. */
  readonly host: string;
  /** Null if it is not known. */
  readonly port: number | null;
  /** The method of HTTP; null for other protocols. */
  readonly method: string | null;
  /** True if the call sends data of this machine. */
  readonly isUpload: boolean;
  /** The word that names the host. */
  readonly source: string;
}

/** How a program names the hosts to which it connects. */
interface Row extends OptionSpec {
  /** The options are those of curl or wget. */
  readonly grammar?: "curl" | "wget";
  /**
   * `url`: a scheme may be missing; `given`: only with a scheme; `address`: `user@host:port`; `remote`: `host:path` or with a
   * scheme; `image`: `host/name:tag`; `mail`: `name@host`; `socat`: `TCP:host:port`.
   */
  readonly operands?: "url" | "given" | "address" | "remote" | "image" | "mail" | "socat";
  /** True if only the first operand is a host. */
  readonly first?: true;
  readonly hostOptions?: string;
  readonly ports?: string;
  /** The port if none is named; `second`: the second operand. */
  readonly port?: number | "second";
  /** The subcommands that connect; by default all. */
  readonly commands?: string;
  /** The host if none is named. */
  readonly default?: string;
  /** Options with which it does not connect. */
  readonly unless?: string;
  readonly methods?: string;
  readonly heads?: string;
  readonly bodies?: string;
  readonly puts?: string;
  /** Subcommands that send data. */
  readonly uploads?: string;
  /** True if it sends what it reads. */
  readonly sends?: true;
  readonly isGivenOnly?: true;
  readonly rule?: "httpie";
}

const rowOf = rowFinder<Row>(tableOf(table));

/** The hosts to which a program connects, as far as its arguments, its code and its redirections name them. */
export function connectionsOf(call: Call): readonly Connection[] {
  const row = rowOf(call.program.toLowerCase());
  return [...(row === undefined ? [] : ofProgram(call, row)), ...ofSockets(call), ...ofCode(call)];
}

/** The host of an address with a scheme: `https://example.org:8080/x`; null without one. */
export function connectionOfUrl(text: string): Connection | null {
  const [, scheme = "", host = "", port] =
    /^([a-z][\w+.-]*):\/\/(?:[^@/?#]*@)?(\[[^\]]*\]|[^:/?#\\]*)(?::(\d+))?/is.exec(text.trim()) ?? [];
  if (host === "" || /^(?:file|data|docker)$/i.test(scheme)) return null;
  const known = port === undefined ? ownValue(PORTS, scheme.toLowerCase().replace(/^git\+/, "")) : Number(port);
  const method = /^https?$/i.test(scheme) ? "GET" : null;
  return { host: hostName(host), port: known ?? null, method, isUpload: false, source: text };
}

const PORTS: Readonly<Record<string, number>> = {
  ...{ http: 80, https: 443, ws: 80, wss: 443, ftp: 21, ssh: 22, sftp: 22, git: 9418 },
  ...{ postgres: 5432, postgresql: 5432, mysql: 3306, redis: 6379, rediss: 6379, mongodb: 27017 },
};

/** One spelling of a host: `0x7f.1` and `2130706433` are 127.0.0.1. */
function hostName(host: string): string {
  const lower = host.toLowerCase().replace(/(?<=.)\.$/, "");
  if (lower.includes(UNKNOWN)) return lower;
  try {
    return new URL(`http://${lower}`).hostname;
  } catch {
    return lower;
  }
}

function ofProgram(call: Call, row: Row): readonly Connection[] {
  const spec = row.grammar === "curl" ? CURL : row.grammar === "wget" ? WGET : row;
  const parsed = parseOptions(call.args, spec);
  if (row.unless !== undefined && hasOption(parsed, row.unless)) return [];
  const words = parsed.operands;
  const command = row.commands === undefined ? undefined : words.find(({ text }) => isOneOf(text, row.commands));
  if (row.commands !== undefined && command === undefined) return [];
  const own = { ...transferOf(parsed, row), port: portOf(parsed, row) };
  const named = [
    ...optionValues(parsed, row.hostOptions ?? "").flatMap((word) => hostIn(word, "address")),
    ...operandsOf(parsed, row).flatMap((word) => hostIn(word, row.operands)),
  ];
  const hosts =
    named.length > 0 || row.default === undefined || row.isGivenOnly ? named : [ofDefault(row.default, call)];
  return hosts.map((one) => ({
    ...one,
    method: row.operands === "url" || row.methods !== undefined ? own.method : null,
    port: one.port ?? own.port,
    isUpload: own.isUpload || isRemoteTarget(one, parsed, row),
  }));
}

const isOneOf = (text: string, list = ""): boolean => namesIn(list).includes(text);

const ofDefault = (host: string, { source }: Call): Connection => ({
  ...{ host, port: 443, method: null, isUpload: false, source },
});

function operandsOf({ operands }: ParsedOptions, { first, rule, operands: kind }: Row): readonly Word[] {
  if (kind === undefined) return [];
  if (rule === "httpie") return operands.slice(METHOD.test(operands[0]?.text ?? "") ? 1 : 0).slice(0, 1);
  return first === true ? operands.slice(0, 1) : operands;
}

const METHOD = /^(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)$/i;

function hostIn(word: Word, kind: Row["operands"]): readonly Connection[] {
  const { text, source } = word;
  const withScheme = connectionOfUrl(text);
  if (withScheme !== null) return [{ ...withScheme, source }];
  const at = (host: string | undefined, port: string | undefined, method: string | null): readonly Connection[] =>
    host === undefined || host === ""
      ? []
      : [{ host: hostName(host), port: port === undefined ? null : Number(port), method, isUpload: false, source }];
  if (kind === "url" && !/^[-/.]/.test(text)) {
    const plain = connectionOfUrl(`http://${text}`);
    // `$URL` may have a scheme, and with it another port.
    return plain === null ? [] : [{ ...plain, source, port: text.startsWith(UNKNOWN) ? null : plain.port }];
  }
  if (kind === "address") {
    const [, host, port] = /^@?(?:[^@/]*@)?(\[[^\]]*\]|[^:/=\s]+)(?::(\d+))?(?=$|[,:/])/.exec(text) ?? [];
    return /^\d+$/.test(host ?? "") ? [] : at(host, port, null);
  }
  if (kind === "remote")
    return at(/^(?:[^@:/\s]+@)?(\[[^\]]*\]|[^:/\s=]{2,}):(?![\\/]{2})/.exec(text)?.[1], undefined, null);
  if (kind === "mail") return at(/@([\w.-]+)$/.exec(text)?.[1], undefined, null);
  if (kind === "socat") {
    const [, host, port] =
      /^(?:tcp|tcp4|tcp6|udp|udp4|udp6|openssl|ssl)(?:-connect)?:(\[[^\]]*\]|[^:,]+):(\d+)/i.exec(text) ?? [];
    return at(host, port, null);
  }
  if (kind !== "image" || isOneOf(text, "pull push login logout search copy")) return [];
  const [, host, port] = /^(?=[^/]*[.:]|localhost)([^/:]+)(?::(\d+))?(?:\/|$)/.exec(text) ?? [];
  const isTag = host !== undefined && !text.includes("/") && !host.includes(".");
  return host === undefined || isTag ? at("docker.io", "443", null) : at(host, port ?? "443", null);
}

function portOf({ operands, options }: ParsedOptions, { ports = "", port }: Row): number | null {
  const named = optionValues({ options }, ports).at(-1)?.text;
  const text = named ?? (port === "second" ? operands[1]?.text : undefined);
  if (text !== undefined && /^\d+$/.test(text)) return Number(text);
  return typeof port === "number" ? port : null;
}

/** The method of HTTP, and whether the call has a body or sends a file. */
function transferOf(parsed: ParsedOptions, row: Row): Pick<Connection, "method" | "isUpload"> {
  const { operands } = parsed;
  const items = row.rule === "httpie" ? operands.slice(1).filter(({ text }) => /^[\w.[\]-]+(?::?=|@)/.test(text)) : [];
  const isPut = hasOption(parsed, row.puts ?? "");
  const hasBody = hasOption(parsed, row.bodies ?? "") || items.length > 0;
  const first = row.rule === "httpie" && METHOD.test(operands[0]?.text ?? "") ? operands[0]?.text : undefined;
  const named = optionValues(parsed, row.methods ?? "").at(-1)?.text ?? first;
  const usual = isPut ? "PUT" : hasBody ? "POST" : hasOption(parsed, row.heads ?? "") ? "HEAD" : "GET";
  const isCommand = operands.some(({ text }) => isOneOf(text, row.uploads));
  return { method: (named ?? usual).toUpperCase(), isUpload: isPut || hasBody || isCommand || row.sends === true };
}

/** `scp x host:`: the last operand receives. */
const isRemoteTarget = ({ source }: Connection, { operands }: ParsedOptions, row: Row): boolean =>
  row.operands === "remote" && row.commands === undefined && operands.length > 1 && operands.at(-1)?.source === source;

/** `> /dev/tcp/host/port` */
const ofSockets = ({ redirections }: Call): readonly Connection[] =>
  redirections.flatMap(({ kind, target }) => {
    const [, host, port] = /^\/dev\/(?:tcp|udp)\/([^/]+)\/([^/]+)$/.exec(target.text) ?? [];
    if (host === undefined) return [];
    const known = port !== undefined && /^\d+$/.test(port) ? Number(port) : null;
    return [{ host: hostName(host), port: known, method: null, isUpload: kind !== "read", source: target.source }];
  });

/** The addresses in code: what it does with them is not followed. */
const ofCode = (call: Call): readonly Connection[] =>
  codeOf(call).flatMap((code) =>
    [...code.matchAll(/\b(?:https?|wss?|ftp):\/\/[^\s'"`\\)>]+/gi)].flatMap(([url]) => {
      const found = connectionOfUrl(url);
      return found === null ? [] : [{ ...found, method: null, isUpload: SENDS.test(code) }];
    }),
  );

const SENDS = /\b(?:post|put|patch|upload|send|sendall|data|body|json)\b/i;
