import type { RecordedPayload } from "../../../../src/audit/payload-log.ts";
import { REDACTED } from "../../../../src/audit/redact.ts";
import { type CommandResult, print } from "../../../../src/cli/command-result.ts";
import { findUnknownField } from "../../../../src/dialects/payload-paths.ts";
import type { Host } from "../../../../src/engine/host.ts";
import type { RunContext } from "../../../../src/engine/run-context.ts";
import { AGENT_NAMES } from "../../../../src/protocol/agent-names.ts";
import { findEvent } from "../../../../src/protocol/event.ts";
import { GUARD_NAMES } from "../../../../src/protocol/guard-settings.ts";
import {
  EMPTY_OBJECT,
  type JsonObject,
  type JsonSpan,
  membersOf,
  NULL,
  objectOf,
  stringOf,
} from "../../../../src/protocol/json/read.ts";
import { type JsonRecord, printableJson, rawJson } from "../../../../src/protocol/json/write.ts";
import { findPayload } from "./find-run.ts";

/** `hookctl log --case RUN`: prints a file with one test case, whose expectation is the recorded decision. */
export function printCase(prefix: string, { auditFile, scopes }: RunContext, host: Host): CommandResult {
  const recorded = findPayload(auditFile, prefix);
  const folders = [recorded.cwd, recorded.project ?? "", scopes.homeDir ?? ""];
  const one = caseOf(recorded, (raw) => withoutFolders(raw, recorded, scopes.homeDir), folders);
  return print(`{"cases": [\n  ${printableJson(one)}\n]}\n`, host);
}

type Rewrite = (raw: string) => string;

function caseOf(recorded: RecordedPayload, rewrite: Rewrite, folders: readonly string[]): JsonRecord {
  const { runId, time, agent, native, event, decidedBy, payload } = recorded;
  const isNative = native !== null && AGENT_NAMES.some((name) => name === agent);
  const sent = isNative ? membersOf(native.payload) : fieldsOfRun(membersOf(payload ?? EMPTY_OBJECT), event);
  return {
    name: `run ${runId} of ${time}`,
    ...subjectOf(decidedBy),
    event: isNative ? native.event : event,
    as: isNative ? (agent ?? undefined) : undefined,
    payload: rawJson(rewrite(objectOf(sent).raw)),
    expect: expectationOf(recorded, rewrite, folders),
  };
}

/** The hook or guard that decided, else all of them. */
function subjectOf(decidedBy: string | null): JsonRecord {
  if (decidedBy === null) return { chain: true };
  return GUARD_NAMES.some((name) => name === decidedBy) ? { guard: decidedBy } : { hook: decidedBy };
}

/** A test decides the folder and the event itself, and refuses a field that looks like a spelling mistake. */
function fieldsOfRun(members: JsonObject, event: string): JsonObject {
  const named = findEvent(event);
  const tool = members.get("tool_name");
  const toolName = tool?.kind === "string" ? stringOf(tool) : "";
  const isMistake = (key: string, value: JsonSpan): boolean =>
    named !== null && (findUnknownField(named, new Map([[key, value]]), toolName)?.nearest ?? null) !== null;
  return new Map([...members].filter(([key]) => !["cwd", "event"].includes(key) && !isMistake(key, NULL)));
}

function expectationOf(recorded: RecordedPayload, rewrite: Rewrite, folders: readonly string[]): JsonRecord {
  const { decision, reason, change } = recorded;
  const isShown = (text: string): boolean =>
    !text.includes(REDACTED) && !folders.some((folder) => folder !== "" && text.includes(folder));
  return {
    decision: decision === "continue" ? "allow" : decision,
    reason: reason !== null && isShown(reason) ? reason : undefined,
    change: change !== null && isShown(change.raw) ? rawJson(rewrite(change.raw)) : undefined,
  };
}

/** Paths in the project become relative to it, and those in HOME begin with `~`: a test runs in other folders. */
function withoutFolders(raw: string, { cwd, project }: RecordedPayload, home: string | null): string {
  const inProject = [project, cwd].filter((folder) => folder !== null && folder !== "" && folder !== "/");
  const relative = inProject.reduce(
    (text: string, folder) => moved(text, folder ?? "", { inside: "", itself: "." }),
    raw,
  );
  return home === null || home === "/" ? relative : moved(relative, home, { inside: "~/", itself: "~" });
}

function moved(raw: string, folder: string, to: { readonly inside: string; readonly itself: string }): string {
  const written = JSON.stringify(folder).slice(1, -1);
  return raw.split(written).reduce((done, rest) => {
    if (rest.startsWith("/")) return done + to.inside + rest.slice(1);
    return /^[\w.-]/.test(rest) ? done + written + rest : done + to.itself + rest;
  });
}
