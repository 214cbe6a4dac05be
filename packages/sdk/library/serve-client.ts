import type { Source } from "../../../src/protocol/hook.ts";
import { faultText, JSON_DEPTH, readJson } from "../../../src/protocol/json/read.ts";
import type { AnyEventName, PayloadInput } from "./event-types.ts";
import { HookctlError } from "./hookctl-error.ts";
import type { ListValue, RunValue } from "./result-types.ts";
import type { ServeLink, ServerPlace } from "./serve-link.ts";
import type { StateStore } from "./session-store.ts";

/** Facts about the caller of a request. */
export interface RequestOptions {
  /** The project, as an absolute path. Default: the server's folder. */
  readonly directory?: string;
  /** Variables for hooks, if the server lets requests set them. */
  readonly env?: Readonly<Record<string, string>>;
  /** Cancels the request: its hooks are ended, and it rejects. */
  readonly signal?: AbortSignal;
}

export interface ServerRunOptions extends RequestOptions {
  /** The number of hooks above this call. Default: `HOOKCTL_DEPTH` of this process. */
  readonly depth?: number;
}

export interface InboxValue {
  readonly messages: readonly { readonly role: "system"; readonly hook: string; readonly content: string }[];
  /** True if one of them starts a turn. */
  readonly wake: boolean;
}

/** The hooks of a running `hookctl serve`. Every call rejects with a HookctlError when there is no answer. */
export interface HookServer extends AsyncDisposable {
  /** Like `run` of `createHooks()`. **Treat a rejection as a block.** */
  readonly run: <N extends AnyEventName>(
    event: N,
    payload: PayloadInput<N> | string,
    options?: ServerRunOptions,
  ) => Promise<RunValue>;
  /** The result as JSON text, which preserves the digits of large numbers. */
  readonly runText: <N extends AnyEventName>(
    event: N,
    payload: PayloadInput<N> | string,
    options?: ServerRunOptions,
  ) => Promise<string>;
  readonly list: (
    options?: RequestOptions & { readonly event?: AnyEventName; readonly source?: Source },
  ) => Promise<ListValue>;
  /** The values of a session. */
  readonly state: (session: string) => StateStore;
  /** The messages that hooks left for a session; `drain` removes them if one starts a turn, with `all` in any case. */
  readonly inbox: (
    session: string,
    options?: { readonly action?: "show" | "drain"; readonly all?: boolean },
  ) => Promise<InboxValue>;
  /** Ends the server when all requests are answered. */
  readonly shutdown: () => Promise<void>;
  /** Leaves the server, which ends the hooks of pending requests. */
  readonly close: () => Promise<void>;
}

/** Connects to a server with the first call, and reconnects with the first call after the connection was lost. */
export function connect(place: ServerPlace): HookServer {
  let link: ServeLink | null = null;
  let isClosed = false;

  const ask = async (method: string, params: Readonly<Record<string, string | undefined>>, signal?: AbortSignal) => {
    // Loaded by the first call, so that importing the library is cheap.
    const { openLink } = await import("./serve-link.ts");
    if (isClosed) throw new HookctlError({ code: "USAGE_CLOSED" });
    if (link?.isOpen() !== true) link = openLink(place);
    const members = Object.entries(params).flatMap(([name, json]) =>
      json === undefined ? [] : [`${JSON.stringify(name)}:${json}`],
    );
    return link.request(method, `{${members.join(",")}}`, signal);
  };
  const runText: HookServer["runText"] = async (event, payload, { directory, env, depth, signal } = {}) =>
    ask(
      "run",
      {
        event: JSON.stringify(event),
        payload: payloadText(payload),
        directory: JSON.stringify(directory),
        env: JSON.stringify(env),
        depth: JSON.stringify(depth ?? ownDepth()),
      },
      signal,
    );
  const close = async (): Promise<void> => {
    isClosed = true;
    await link?.close();
  };
  return {
    runText,
    run: async (event, payload, options) => JSON.parse(await runText(event, payload, options)) as RunValue,
    list: async ({ event, source, directory, env, signal } = {}) => {
      const params = { event, source, directory, env };
      return JSON.parse(await ask("list", textsOf(params), signal)) as ListValue;
    },
    state: (session) => stateOf((params) => ask("state", textsOf({ session, ...params }))),
    inbox: async (session, options = {}) =>
      JSON.parse(await ask("inbox", textsOf({ session, ...options }))) as InboxValue,
    shutdown: async () => void (await ask("shutdown", {})),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Members that are undefined have no text. */
const textsOf = (values: Readonly<Record<string, unknown>>): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, JSON.stringify(value)]));

function stateOf(ask: (params: Readonly<Record<string, unknown>>) => Promise<string>): StateStore {
  const valueIn = (text: string): unknown => (text === "null" ? undefined : JSON.parse(text).value);
  return {
    get: async (key) => valueIn(await ask({ action: "get", key })),
    set: async (key, value) => void (await ask({ action: "set", key, value })),
    increment: async (key, by = 1) => Number(valueIn(await ask({ action: "incr", key, value: by }))),
    delete: async (key) => void (await ask({ action: "unset", key })),
  };
}

/** Text is sent unchanged, so that its numbers keep their digits. It must be one value, or it could end the request. */
function payloadText(payload: unknown): string {
  if (typeof payload !== "string") return JSON.stringify(payload) ?? "null";
  const read = readJson(payload, JSON_DEPTH);
  if (!read.ok) {
    const { line } = read.error;
    throw new HookctlError({ code: "PAYLOAD_NOT_JSON", line, detail: faultText(read.error) });
  }
  // Outside of strings, which have none, a line break is space.
  return read.value.raw.replace(/[\r\n]+/g, " ");
}

/** A hook's own calls count as its children, so that hooks do not call each other without end. */
function ownDepth(): number {
  const text = process.env.HOOKCTL_DEPTH ?? "";
  return /^\d{1,6}$/.test(text) ? Number(text) : 0;
}
