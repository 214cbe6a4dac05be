import type { Hook } from "../../protocol/hook.ts";
import { EMPTY_RESPONSE, type HookResponse } from "../../protocol/hook-response.ts";
import {
  type JsonKind,
  type JsonObject,
  membersOf,
  objectOf,
  readJsonLenient,
  stringOf,
} from "../../protocol/json/read.ts";
import type { Problem } from "../../protocol/problem.ts";
import { fail, ok, type Result } from "../../protocol/result.ts";
import { nearest } from "../../protocol/text/nearest.ts";
import { decodeUtf8Lossy, isBlank } from "../../protocol/text/text.ts";
import type { Warning } from "../../protocol/warning.ts";
import { jsonFault } from "./read-response.ts";
import { shortValue } from "./response-keys.ts";

type HookPath = { readonly hook: string; readonly path: string };

/** The type of each field of Reyn's push directive. A field that allows null may be missing. */
const MEMBERS: Readonly<Record<string, { readonly kinds: readonly JsonKind[]; readonly expected: string }>> = {
  push_when: { kinds: ["boolean"], expected: "true or false" },
  wake: { kinds: ["boolean"], expected: "true or false" },
  message: { kinds: ["string"], expected: "a text that is not blank" },
  session: { kinds: ["string", "null"], expected: "a text or null" },
};

/**
 * Reads the push directive from the stdout of a `shell_push` entry. No other keys are known, and any fault skips the push.
 * Never throws.
 */
export function readPush(hook: Pick<Hook, "name" | "path">, stdout: Uint8Array): Result<HookResponse, Problem> {
  const at = { hook: hook.name, path: hook.path };
  const { text, isUtf8 } = decodeUtf8Lossy(stdout);
  const read = readJsonLenient(text);
  if (!read.ok) return fail({ ...at, ...jsonFault(read.error, text, isUtf8) });
  if (read.value.kind !== "object") return fail({ code: "REPLY_NOT_OBJECT", ...at, found: read.value.kind });
  const members = membersOf(read.value);
  const problem = firstProblem(members, at);
  if (problem !== null) return fail(problem);
  const isWanted = members.get("push_when")?.raw === "true";
  const warnings = [...(isUtf8 ? [] : [{ code: "NOT_UTF8", hook: at.hook } as const]), ...unknownKeys(members, at)];
  return ok({ ...EMPTY_RESPONSE, pushes: isWanted ? [directiveText(members)] : [], warnings });
}

function firstProblem(members: JsonObject, at: HookPath): Problem | null {
  for (const [key, { kinds, expected }] of Object.entries(MEMBERS)) {
    const span = members.get(key);
    const saysNothing = key === "message" && span?.kind === "string" && isBlank(stringOf(span));
    if (kinds.includes(span?.kind ?? "null") && !saysNothing) continue;
    return { code: "REPLY_WRONG_TYPE", ...at, key, expected, found: span === undefined ? "nothing" : shortValue(span) };
  }
  return null;
}

function directiveText(members: JsonObject): string {
  return objectOf([...members].filter(([key]) => Object.hasOwn(MEMBERS, key))).raw;
}

/** Unknown keys are reported, because a misspelt `session` would not be noticed otherwise. */
function unknownKeys(members: JsonObject, { hook }: HookPath): readonly Warning[] {
  return [...members.keys()]
    .filter((key) => !Object.hasOwn(MEMBERS, key))
    .map((key) => ({ code: "UNKNOWN_KEY", hook, key, nearest: nearest(key, Object.keys(MEMBERS)) }));
}
