import { fail, ok, type Result } from "../../../src/protocol/result.ts";
import { type Attributes, type KeyValue, keyValues, SIGNALS, type Signal, safeText } from "./otlp.ts";

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

/** A setting or variable that cannot be used. Its value is not shown: it may hold a password. */
export interface BadTarget {
  readonly name: string;
  readonly detail: string;
}

const DEFAULT_TIMEOUT_MS = 10_000;
const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that a header cannot hold.
const NO_HEADER_VALUE = /[\u0000-\u0008\u000a-\u001f\u007f]|[^\u0000-\u00ff]/;

/**
 * Reads the collector from the setting `export`, else from OpenTelemetry's variables; null if neither names a collector. A
 * setting overrides all variables, because a project can set those of an agent.
 */
export function readTarget(setting: string | null, env: Env): Result<Target | null, BadTarget> {
  const signals = Object.keys(SIGNALS) as readonly Signal[];
  const endpoints: Partial<Record<Signal, Endpoint | null>> = {};
  let isNamed = false;
  for (const signal of signals) {
    const read = readEndpoint(signal, setting, env);
    if (!read.ok) return read;
    isNamed ||= read.value !== "unnamed";
    endpoints[signal] = typeof read.value === "string" ? null : read.value;
  }
  const { traces = null, metrics = null, logs = null } = endpoints;
  return ok(isNamed ? { traces, metrics, logs } : null);
}

function readEndpoint(
  signal: Signal,
  setting: string | null,
  env: Env,
): Result<Endpoint | "off" | "unnamed", BadTarget> {
  const url = readUrl(signal, setting, env);
  if (!url.ok) return url;
  if (url.value === null) return ok("unnamed");
  if (env[`OTEL_${signal.toUpperCase()}_EXPORTER`]?.trim() === "none") return ok("off");
  const protocol = variable("PROTOCOL", signal, env);
  if (protocol?.value === "grpc")
    return fail({
      name: protocol.name,
      detail: "hookctl sends http/json, not grpc; a collector takes it on port 4318",
    });
  const headers = readHeaders(variable("HEADERS", signal, env));
  if (!headers.ok) return headers;
  const timeout = variable("TIMEOUT", signal, env);
  const timeoutMs = timeout === null ? DEFAULT_TIMEOUT_MS : Number(timeout.value);
  if (timeout !== null && !(timeoutMs >= 1 && timeoutMs <= 600_000))
    return fail({ name: timeout.name, detail: "it is a number of milliseconds, at most 600000" });
  return ok({
    url: url.value,
    headers: headers.value,
    timeoutMs,
    isCompressed: variable("COMPRESSION", signal, env)?.value !== "none",
    certificateFile: variable("CERTIFICATE", signal, env)?.value ?? null,
  });
}

/** The variable of this signal, else the one of all signals. */
function variable(what: string, signal: Signal, env: Env): { readonly name: string; readonly value: string } | null {
  const names = [`OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_${what}`, `OTEL_EXPORTER_OTLP_${what}`];
  const found = names.flatMap((name) => ({ name, value: env[name]?.trim() ?? "" })).find(({ value }) => value !== "");
  return found ?? null;
}

/** The endpoint of one signal is used unchanged; for that of all signals, the signal's path is appended. */
function readUrl(signal: Signal, setting: string | null, env: Env): Result<URL | null, BadTarget> {
  if (setting !== null) return parseUrl("export", withPath(setting, signal));
  const own = `OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_ENDPOINT`;
  const found = variable("ENDPOINT", signal, env);
  if (found === null) return ok(null);
  return parseUrl(found.name, found.name === own ? found.value : withPath(found.value, signal));
}

const withPath = (base: string, signal: Signal): string => `${base.replace(/\/+$/, "")}/${SIGNALS[signal].path}`;

function parseUrl(name: string, text: string): Result<URL, BadTarget> {
  if (!URL.canParse(text)) return fail({ name, detail: "it is no URL such as http://localhost:4318" });
  const url = new URL(text);
  if (url.protocol === "http:" || url.protocol === "https:") return ok(url);
  return fail({ name, detail: "it must begin with http:// or https://" });
}

/** `name=value,name=value`, with the values percent-encoded. */
function readHeaders(found: ReturnType<typeof variable>): Result<Readonly<Record<string, string>>, BadTarget> {
  const headers: Record<string, string> = {};
  for (const [index, pair] of (found?.value ?? "").split(",").entries()) {
    if (pair.trim() === "") continue;
    const at = pair.indexOf("=");
    const name = pair.slice(0, Math.max(0, at)).trim();
    const value = decoded(pair.slice(at + 1).trim());
    if (!HEADER_NAME.test(name) || value === null || NO_HEADER_VALUE.test(value))
      return fail({ name: found?.name ?? "", detail: `its entry ${index + 1} is no header: NAME=VALUE,NAME=VALUE` });
    headers[name.toLowerCase()] = value;
  }
  return ok(headers);
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** The URL as it may be shown: a query or a password may be a secret. */
export const shownUrl = ({ origin, pathname }: URL): string => `${origin}${pathname}`;

/** The resource: attributes from the user's variables come last, so they win. */
export function resourceOf(own: Attributes, env: Env): readonly KeyValue[] {
  const given = (env.OTEL_RESOURCE_ATTRIBUTES ?? "").split(",").flatMap((pair) => {
    const at = pair.indexOf("=");
    const value = decoded(pair.slice(at + 1).trim());
    const key = pair.slice(0, Math.max(0, at)).trim();
    return key === "" || value === null ? [] : [{ key: safeText(key), value: { stringValue: safeText(value) } }];
  });
  const name = (env.OTEL_SERVICE_NAME ?? "").trim();
  const service = name === "" ? [] : keyValues({ "service.name": name });
  const all = [...keyValues(own), ...given, ...service];
  return [...new Map(all.map((one) => [one.key, one])).values()];
}
