import {
  callInput,
  changedResult,
  type FieldPaths,
  failedOutput,
  firstOf,
  lastMessage,
  rawAt,
  spanAt,
  type TargetChange,
  textAt,
  toolOutput,
} from "../../src/dialects/field-paths.ts";
import type { AgentName } from "../../src/protocol/agent-names.ts";
import type { EventName } from "../../src/protocol/event.ts";
import { type JsonObject, stringOf } from "../../src/protocol/json/read.ts";
import { tableOf } from "../../src/protocol/json/table.ts";
import { type JsonRecord, type JsonValue, rawJson } from "../../src/protocol/json/write.ts";
import type { AgentTools } from "../../src/protocol/tools/tool-table.ts";
import type { Agent, AnswerFormats, AskBehavior, NativeCall, NativeEvent, RaisedEvent } from "./agent.ts";
import claudeProtocol from "./claude/protocol.json" with { type: "json" };
import { KNOWN_AGENTS } from "./known-agents.ts";
import { filled, type Template } from "./template.ts";

/** Patterns for the JSON text of the values at these paths. */
type Patterns = Readonly<Record<string, string>>;
type Paths = string | readonly string[];

/** Where a payload has a field: at a path, at the first of several paths, or in one of these forms. */
type FieldJson =
  | Paths
  | { readonly arguments: Paths }
  | { readonly result: Paths; readonly failedIf?: Patterns }
  | { readonly error: string }
  | { readonly lastMessage: string }
  /** The first text that is not empty. */
  | { readonly text: readonly string[]; readonly else?: string; readonly prefix?: string }
  | { readonly object: Readonly<Record<string, string>> }
  | { readonly matches: Patterns }
  | { readonly value: JsonValue };
type TextJson = Extract<FieldJson, { readonly text: unknown }>;
type FieldsJson = Readonly<Record<string, FieldJson>>;

interface RaisedJson {
  readonly event: EventName;
  /** The name of fields that several events have. */
  readonly fieldSet?: string;
  readonly fields?: FieldsJson;
  readonly if?: Patterns;
  readonly unless?: Patterns;
}

/** A format: a template, or the name of a template. It is null if the agent does not support it, although Claude Code does. */
type FormatJson = string | Template | null;
type AnswersJson = Partial<Readonly<Record<Exclude<keyof AnswerFormats, "canAskWithChange">, FormatJson>>> & {
  readonly canAskWithChange?: true | null;
  /** Other changes are not supported. */
  readonly changeIf?: Patterns;
};

interface EventJson extends Pick<NativeEvent, "isSettingsChange" | "isOnRequest" | "limitMs"> {
  /** What is not here is as in Claude Code's event of this name. */
  readonly like?: "claude";
  readonly raises?: readonly RaisedJson[];
  readonly answers?: AnswersJson;
}

interface ProtocolJson {
  /** What is not here, but for the events, is as in Claude Code's protocol. */
  readonly like?: "claude";
  readonly mcp?: string;
  readonly mcpOf?: { readonly server: string; readonly tool: string };
  readonly baseFields: FieldsJson;
  readonly subagent?: FieldsJson;
  readonly asks?: AskBehavior | null;
  /** A payload before a tool call, and the name of the shell. */
  readonly call: { readonly event: string; readonly shell: string; readonly payload: Template };
  readonly fieldSets?: Readonly<Record<string, FieldsJson>>;
  readonly formats?: Readonly<Record<string, Template>>;
  readonly events: Readonly<Record<string, EventJson>>;
}

/** What the table of an agent cannot say. */
interface AgentParts extends Omit<AgentTools, "mcp"> {
  /** The pattern of MCP tools, if it is not in the table. */
  readonly mcp?: RegExp;
  /** How a changed value is answered, by the event. */
  readonly changes?: Readonly<Record<string, NonNullable<AnswerFormats["change"]>>>;
}

const CLAUDE = tableOf<ProtocolJson>(claudeProtocol);

/** An agent by its `protocol.json`. */
export function agentOf(name: AgentName, json: unknown, { changes = {}, mcp, ...tools }: AgentParts): Agent {
  const own = tableOf<ProtocolJson>(json);
  const protocol = own.like === undefined ? own : { ...CLAUDE, ...own, call: { ...CLAUDE.call, ...own.call } };
  const { mcpOf, call, subagent, asks } = protocol;
  const payload = (values: NativeCall): JsonRecord => filled(call.payload, { ...values });
  const events = Object.entries(own.events).map(([event, row]) => [event, eventOf(event, row, own)] as const);
  const changed = Object.entries(changes).flatMap(([event, change]) => {
    const row = events.find(([known]) => known === event)?.[1];
    return row === undefined ? [] : [[event, { ...row, answers: { ...row.answers, change } }] as const];
  });
  return {
    ...KNOWN_AGENTS[name],
    name,
    baseFields: fieldsOf(protocol.baseFields),
    tools: { ...tools, mcp: mcp ?? new RegExp(protocol.mcp ?? "") },
    ...(mcpOf === undefined ? {} : { mcpOf: (native) => mcpToolOf(native, mcpOf) }),
    ...(subagent === undefined ? {} : { subagent: fieldsOf(subagent) }),
    ...(asks == null ? {} : { asks }),
    call: { event: call.event, payload },
    sampleShellCall: {
      event: call.event,
      payload: (command) =>
        payload({ session: "hookctl-doctor", tool: call.shell, input: { command }, id: "hookctl-doctor", time: 0 }),
    },
    events: Object.fromEntries([...events, ...changed]),
  };
}

function mcpToolOf(native: JsonObject, paths: NonNullable<ProtocolJson["mcpOf"]>) {
  const [server, tool] = [textAt(native, paths.server), textAt(native, paths.tool)];
  return server === "" || tool === "" ? null : { server, tool };
}

function eventOf(name: string, own: EventJson, { fieldSets, formats }: ProtocolJson): NativeEvent {
  const base = own.like === undefined ? {} : CLAUDE.events[name];
  const { like: _like, raises = [], answers: _answers, ...event } = { ...base, ...own };
  const sets = { ...CLAUDE.fieldSets, ...fieldSets };
  return {
    ...event,
    raises: raises.map((row) => raisedOf(row, sets)),
    answers: answersOf(name, { ...base?.answers, ...own.answers }, { ...CLAUDE.formats, ...formats }),
  };
}

function raisedOf(row: RaisedJson, sets: NonNullable<ProtocolJson["fieldSets"]>): RaisedEvent {
  const shared = row.fieldSet === undefined ? {} : sets[row.fieldSet];
  const [needed, excluded] = [row.if, row.unless].map((patterns) => patterns && matcher(patterns));
  const isUnconditional = needed === undefined && excluded === undefined;
  return {
    event: row.event,
    fields: fieldsOf({ ...shared, ...row.fields }),
    ...(isUnconditional ? {} : { when: (native) => needed?.(native) !== false && excluded?.(native) !== true }),
  };
}

/** Returns a function that is true for a payload in which a value has the pattern of its path. */
function matcher(patterns: Patterns): (native: JsonObject) => boolean {
  const tests = Object.entries(patterns).map(([path, pattern]) => ({ path, pattern: new RegExp(pattern) }));
  return (native) =>
    tests.some(({ path, pattern }) => {
      const span = spanAt(native, path);
      return span !== undefined && pattern.test(span.raw);
    });
}

const fieldsOf = (fields: FieldsJson): FieldPaths =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, fieldOf(field)]));

function fieldOf(field: FieldJson): FieldPaths[string] {
  if (typeof field === "string") return field;
  if (isList(field)) return firstOf(...field);
  if ("arguments" in field) return callInput(...[field.arguments].flat());
  if ("result" in field) {
    const hasFailed = matcher(field.failedIf ?? {});
    return toolOutput([field.result].flat(), (native) => !hasFailed(native));
  }
  if ("error" in field) return failedOutput(field.error);
  if ("lastMessage" in field) return (native) => lastMessage(native, field.lastMessage);
  if ("text" in field) return (native) => prefixedText(native, field);
  if ("object" in field)
    return (native) =>
      Object.fromEntries(Object.entries(field.object).map(([key, path]) => [key, rawAt(native, path)]));
  if ("matches" in field) return matcher(field.matches);
  return () => field.value;
}

const isList = (field: FieldJson): field is readonly string[] => Array.isArray(field);

function prefixedText(native: JsonObject, { text, else: otherwise, prefix = "" }: TextJson): string | undefined {
  const found = text.map((path) => textAt(native, path)).find((one) => one !== "");
  return found === undefined ? otherwise : found.startsWith(prefix) ? found : prefix + found;
}

function answersOf(event: string, json: AnswersJson, formats: NonNullable<ProtocolJson["formats"]>): AnswerFormats {
  const { canAskWithChange, change, changeIf, ...texts } = json;
  const templateOf = (format: FormatJson | undefined): Template | null =>
    typeof format === "string" ? (formats[format] ?? null) : (format ?? null);
  const changed = templateOf(change);
  const isSupported = changeIf === undefined ? () => true : matcher(changeIf);
  return {
    ...Object.fromEntries(
      Object.entries(texts).flatMap(([name, format]) => {
        const template = templateOf(format);
        return template === null ? [] : [[name, (text?: string) => filled(template, { event, text })]];
      }),
    ),
    ...(canAskWithChange === true ? { canAskWithChange } : {}),
    ...(changed === null
      ? {}
      : {
          change: (value) => (isSupported(value.native) ? filled(changed, { event, ...changeValues(value) }) : null),
        }),
  };
}

function changeValues(change: TargetChange) {
  const result = changedResult(change);
  return {
    value: rawJson(change.value.raw),
    allow: change.isAllowed ? "allow" : undefined,
    result: rawJson(result.raw),
    "result text": result.kind === "string" ? stringOf(result) : result.raw,
  };
}
