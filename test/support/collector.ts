import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";
import type { Signal } from "../../packages/insight/export/otlp.ts";

export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
  readonly status?: { readonly code: number; readonly message: string };
}

export interface ReceivedRequest {
  readonly signal: Signal;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

/** How the collector treats one request. `answer` may do anything with the response; true: it keeps what was sent. */
export type Treat = (request: ReceivedRequest, response: ServerResponse, count: number) => boolean;

export interface Collector extends AsyncDisposable {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  /** What was kept, in its order. */
  readonly kept: ReceivedRequest[];
  /** How many requests came. */
  readonly count: () => number;
  treat: Treat;
}

/** Answers with this status, and keeps what came if it is 200. */
export const answering =
  (status: number, headers: Readonly<Record<string, string>> = {}, body = "{}"): Treat =>
  (_request, response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(body);
    return status === 200;
  };

/** An OpenTelemetry collector on the loopback, as far as a client can tell. */
export async function collector(port = 0): Promise<Collector> {
  const kept: ReceivedRequest[] = [];
  let count = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("error", () => undefined);
    request.on("end", () => {
      const bytes = Buffer.concat(chunks);
      const text = request.headers["content-encoding"] === "gzip" ? gunzipSync(bytes) : bytes;
      const signal = request.url?.split("/").at(-1) as Signal;
      const received = { signal, headers: request.headers, body: JSON.parse(text.toString("utf8")) as unknown };
      if (self.treat(received, response, count++)) kept.push(received);
    });
  });
  await new Promise<void>((ready) => server.listen(port, "127.0.0.1", ready));
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  };
  const self: Collector = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ kept, count: () => count, treat: answering(200) },
    [Symbol.asyncDispose]: close,
  };
  return self;
}

/** The spans of all requests that were kept. */
export const spansIn = ({ kept }: Collector): readonly ReceivedSpan[] => itemsIn(kept, "traces", "scopeSpans", "spans");

export const recordsIn = ({ kept }: Collector): readonly ReceivedRecord[] =>
  itemsIn(kept, "logs", "scopeLogs", "logRecords");

export const metricsIn = ({ kept }: Collector): readonly ReceivedMetric[] =>
  itemsIn(kept.slice(kept.findLastIndex(({ signal }) => signal === "metrics")), "metrics", "scopeMetrics", "metrics");

export interface ReceivedRecord extends Pick<ReceivedSpan, "traceId" | "spanId" | "attributes"> {
  readonly eventName: string;
  readonly severityText: string;
  readonly body: { readonly stringValue: string };
}

export interface ReceivedMetric {
  readonly name: string;
  readonly sum?: { readonly dataPoints: readonly { readonly asInt: string }[] };
  readonly histogram?: { readonly dataPoints: readonly { readonly count: string }[] };
}

const RESOURCES: Readonly<Record<Signal, string>> = {
  traces: "resourceSpans",
  metrics: "resourceMetrics",
  logs: "resourceLogs",
};

function itemsIn<Item>(
  kept: readonly ReceivedRequest[],
  signal: Signal,
  scope: string,
  items: string,
): readonly Item[] {
  const under = (value: unknown, key: string): readonly unknown[] =>
    (value as Readonly<Record<string, readonly unknown[]>>)[key] ?? [];
  return kept
    .filter((one) => one.signal === signal)
    .flatMap(({ body }) => under(body, RESOURCES[signal]))
    .flatMap((resource) => under(resource, scope))
    .flatMap((one) => under(one, items)) as readonly Item[];
}
