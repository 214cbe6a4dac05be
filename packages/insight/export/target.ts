import { ProblemError } from "../../../src/protocol/result.ts";
import { type Attributes, type KeyValue, keyValues, SIGNAL_NAMES, SIGNALS, type Signal, safeText } from "./otlp.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** The endpoint of one signal. */
export interface Endpoint {
  readonly url: URL;
  /** Secrets, as a rule: never shown. */
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly isCompressed: boolean;
  /** A file with the certificates to trust; null for Node's certificates. */
  readonly certificateFile: string | null;
}

/** Null for a signal that the environment switches off. */
export type Target = Readonly<Record<Signal, Endpoint | null>>;

const DEFAULT_TIMEOUT_MS = 10_000;
const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that a header cannot hold.
const NO_HEADER_VALUE = /[\u0000-\u0008\u000a-\u001f\u007f]|[^\u0000-\u00ff]/;

/**
 * Reads the collector from the setting `export`, else from OpenTelemetry's variables; null if neither names a collector. A
 * setting overrides all variables, because a project can set those of an agent.
 */
export function readTarget(setting: string | null, env: Env): Target | null {
  const endpoints: Record<Signal, Endpoint | null> = { traces: null, metrics: null, logs: null };
  let isNamed = false;
  for (const signal of SIGNAL_NAMES) {
    const url = readUrl(signal, setting, env);
    if (url === null) continue;
    isNamed = true;
    const isOff = env[`OTEL_${signal.toUpperCase()}_EXPORTER`]?.trim() === "none";
    if (!isOff) endpoints[signal] = readEndpoint(url, signal, env);
  }
  return isNamed ? endpoints : null;
}

/** A setting or variable that cannot be used. Its value is not shown: it may hold a password. */
const badValue = (name: string, detail: string): ProblemError =>
  new ProblemError({ code: "EXPORT_BAD_VALUE", name, detail });

function readEndpoint(url: URL, signal: Signal, env: Env): Endpoint {
  const protocol = variable("PROTOCOL", signal, env);
  if (protocol?.value === "grpc")
    throw badValue(protocol.name, "hookctl sends http/json, not grpc; a collector takes it on port 4318");
  const headers = readHeaders(variable("HEADERS", signal, env));
  const timeout = variable("TIMEOUT", signal, env);
  const timeoutMs = timeout === null ? DEFAULT_TIMEOUT_MS : Number(timeout.value);
  if (timeout !== null && !(timeoutMs >= 1 && timeoutMs <= 600_000))
    throw badValue(timeout.name, "it must be a number of milliseconds, at most 600000");
  return {
    url,
    headers,
    timeoutMs,
    isCompressed: variable("COMPRESSION", signal, env)?.value !== "none",
    certificateFile: variable("CERTIFICATE", signal, env)?.value ?? null,
  };
}

interface Variable {
  readonly name: string;
  readonly value: string;
}

/** The variable of this signal, else the one of all signals. */
function variable(what: string, signal: Signal, env: Env): Variable | null {
  const names = [`OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_${what}`, `OTEL_EXPORTER_OTLP_${what}`];
  return names.map((name) => ({ name, value: env[name]?.trim() ?? "" })).find(({ value }) => value !== "") ?? null;
}

/** The endpoint of one signal is used unchanged; for that of all signals, the signal's path is appended. */
function readUrl(signal: Signal, setting: string | null, env: Env): URL | null {
  const found = setting === null ? variable("ENDPOINT", signal, env) : { name: "export", value: setting };
  if (found === null) return null;
  const { name, value } = found;
  const isOfSignal = name === `OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_ENDPOINT`;
  const text = isOfSignal ? value : `${value.replace(/\/+$/, "")}/${SIGNALS[signal].path}`;
  if (!URL.canParse(text)) throw badValue(name, "it is not a URL such as http://localhost:4318");
  const url = new URL(text);
  if (url.protocol === "http:" || url.protocol === "https:") return url;
  throw badValue(name, "it must begin with http:// or https://");
}

/** `name=value,name=value`, with the values percent-encoded; a value that cannot be decoded is null. */
function pairsIn(text: string): readonly { readonly name: string; readonly value: string | null }[] {
  return text.split(",").map((pair) => {
    const at = pair.indexOf("=");
    return { name: pair.slice(0, Math.max(0, at)).trim(), value: decoded(pair.slice(at + 1).trim()) };
  });
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

function readHeaders(found: Variable | null): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const [index, { name, value }] of pairsIn(found?.value ?? "").entries()) {
    if (name === "" && value === "") continue;
    if (!HEADER_NAME.test(name) || value === null || NO_HEADER_VALUE.test(value))
      throw badValue(found?.name ?? "", `its entry ${index + 1} is not a header: NAME=VALUE,NAME=VALUE`);
    headers[name.toLowerCase()] = value;
  }
  return headers;
}

/** The URL as it may be shown: a query or a password may be a secret. */
export const shownUrl = ({ origin, pathname }: URL): string => `${origin}${pathname}`;

/** The resource: attributes from the user's variables come last, so they win. */
export function resourceOf(own: Attributes, env: Env): readonly KeyValue[] {
  const given = pairsIn(env.OTEL_RESOURCE_ATTRIBUTES ?? "").flatMap(({ name, value }) =>
    name === "" || value === null ? [] : [{ key: safeText(name), value: { stringValue: safeText(value) } }],
  );
  const service = keyValues({ "service.name": (env.OTEL_SERVICE_NAME ?? "").trim() });
  const all = [...keyValues(own), ...given, ...service];
  return [...new Map(all.map((one) => [one.key, one])).values()];
}
