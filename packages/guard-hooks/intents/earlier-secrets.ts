import { relative } from "node:path";
import { isInside } from "../../../src/fs/paths.ts";
import { type JsonObject, stringOf } from "../../../src/protocol/json/read.ts";
import { argumentsOf } from "../../../src/protocol/payload/tool-call.ts";
import type { EarlierSecrets } from "../../guards/effects/earlier-secrets.ts";
import type { Examined } from "../../guards/examine.ts";
import type { Judged } from "../../guards/judge.ts";
import type { GuardPlace } from "../guard-place.ts";
import { changeIntents, type Intents, readIntents, remembersNothing, shortHash } from "./intents.ts";
import type { CallMemory, RememberedCall } from "./memory.ts";

/** Rules of the guard `secrets` about calls after which the agent knows a secret. */
const READS = new Set(["read-credentials", "print-environment", "print-variable", "print-credential"]);

const MOST_NAMES = 5;

/** The call with the secrets that the agent may know. `isProgram`: a program of it sends something. */
export async function withEarlierSecrets(
  examined: Examined,
  { payload: { members }, place: { valuesOf }, memory }: RememberedCall,
  isProgram: boolean,
): Promise<Examined> {
  const tool = sendingTool(members, examined);
  if (tool === null && !isProgram) return examined;
  const read = remembersNothing(memory.folder) ? [] : (await readIntents(memory.folder, memory.nowMs)).secrets;
  const session = shortHash(memory.session);
  const names = [...new Set(read.filter((one) => one.session === session).map(({ name }) => name))].slice(-MOST_NAMES);
  const input = members.get("tool_input")?.raw ?? "";
  const withoutValues = valuesOf(memory.session)?.(input, "") ?? input;
  return { ...examined, earlier: { names, tool, isValueSent: withoutValues !== input } };
}

/** The tool of the agent or of an MCP server that may send its arguments to another machine. */
function sendingTool(members: JsonObject, { addresses }: Examined): EarlierSecrets["tool"] {
  const [name, kind] = [members.get("tool_name"), members.get("tool_kind")].map((span) =>
    span?.kind === "string" ? stringOf(span) : "",
  );
  if (kind !== "mcp" && (kind !== "web" || addresses.length === 0)) return null;
  const input = members.get("tool_input");
  const all = input === undefined ? [] : argumentsOf(input);
  const hasBody = all.some(([key, { raw }]) => BODY_KEY.test(key) || (key === "method" && SENDING_METHOD.test(raw)));
  return { name: name ?? "", hasBody };
}

const BODY_KEY = /^(?:body|data|payload|json|form|formdata|postdata|content|file|files|upload)$/;
const SENDING_METHOD = /^"(?:POST|PUT|PATCH)"$/i;

/** The secrets that the agent knows after a call with these findings. */
export function secretsRead(judged: readonly Judged[], { project }: GuardPlace, { session, nowMs }: CallMemory) {
  const targets = judged
    .filter(({ finding }) => READS.has(finding.rule))
    .flatMap(({ finding }) => finding.targets ?? []);
  return [...new Set(targets)].slice(0, MOST_NAMES).map((target) => ({
    name: target.startsWith("/") && isInside(project, target) ? relative(project, target) : target,
    session: shortHash(session),
    atMs: nowMs,
  }));
}

/** Remembers the secrets that a call reads that nothing stops. */
export async function noteRead(judged: readonly Judged[], place: GuardPlace, memory: CallMemory): Promise<void> {
  const secrets = secretsRead(judged, place, memory);
  if (secrets.length === 0) return;
  await changeIntents(memory.folder, memory.nowMs, (before) => withSecrets(before, secrets));
}

/** The same secret, read again, is remembered once. */
export const withSecrets = (before: Intents, secrets: Intents["secrets"]): Intents => ({
  ...before,
  secrets: [
    ...before.secrets.filter(
      (old) => !secrets.some(({ name, session }) => name === old.name && session === old.session),
    ),
    ...secrets,
  ],
});
