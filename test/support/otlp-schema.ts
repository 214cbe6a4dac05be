import generated from "@opentelemetry/otlp-transformer/build/src/generated/root.js";
import { expect } from "vitest";
import type { Signal } from "../../packages/insight/export/otlp.ts";

/** The parts of a generated message type that are used here. */
interface MessageType {
  readonly fromObject: (value: object) => object;
  readonly encode: (message: object) => { readonly finish: () => Uint8Array };
  readonly decode: (bytes: Uint8Array) => object;
  readonly toObject: (message: object, options: object) => unknown;
}

type Services = Readonly<Record<string, { readonly v1: Readonly<Record<string, MessageType>> }>>;
interface Generated {
  readonly opentelemetry: { readonly proto: { readonly collector: Services } };
}
const { collector: services } = (generated as unknown as Generated).opentelemetry.proto;

const TYPES: Readonly<Record<Signal, readonly [room: string, type: string]>> = {
  traces: ["trace", "ExportTraceServiceRequest"],
  metrics: ["metrics", "ExportMetricsServiceRequest"],
  logs: ["logs", "ExportLogsServiceRequest"],
};

const IDS: Readonly<Record<string, number>> = { traceId: 32, spanId: 16, parentSpanId: 16 };

/**
 * Checks a request against the protobuf schema of OpenTelemetry, more strictly than a collector does: it has to survive the
 * way through protobuf unchanged, so an unknown field, a wrong type, a number where OTLP wants a text of a 64-bit integer,
 * an enum by its name and a lone surrogate are all faults.
 */
export function expectOtlp(signal: Signal, request: unknown): void {
  const [room, name] = TYPES[signal];
  const type = services[room]?.v1[name];
  if (type === undefined) throw new Error(`no schema for ${signal}`);
  const expected = withBase64Ids(request) as object;
  const bytes = type.encode(type.fromObject(expected)).finish();
  const found = type.toObject(type.decode(bytes), { longs: String, enums: Number, bytes: String });
  expect(found).toEqual(expected);
}

/** OTLP writes ids in hex, where protobuf's own JSON has base64. */
function withBase64Ids(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withBase64Ids);
  if (typeof value !== "object" || value === null) return value;
  // In protobuf an empty list and none are the same.
  const given = Object.entries(value).filter(([, member]) => !Array.isArray(member) || member.length > 0);
  const members = given.map(([key, member]) => {
    const length = IDS[key];
    if (length === undefined) return [key, withBase64Ids(member)];
    expect(member).toMatch(new RegExp(`^(?!0+$)[0-9a-f]{${length}}$`));
    return [key, Buffer.from(String(member), "hex").toString("base64")];
  });
  return Object.fromEntries(members);
}
