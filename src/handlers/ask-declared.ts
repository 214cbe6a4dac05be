import { dirname } from "node:path";
import type { Asked } from "../contract/asked.ts";
import type { PlacedEntry, SchemeName } from "../contract/entry.ts";
import { commandOf } from "../contract/entry-text.ts";
import type { Hook } from "../contract/hook.ts";
import type { Payload } from "../contract/payload.ts";
import { NO_REPLY, type Reply } from "../contract/reply.ts";
import { ok } from "../contract/result.ts";
import { readDirective } from "../dialects/read-directive.ts";
import { readReply } from "../dialects/read-reply.ts";
import { type AskGround, askProgram } from "./ask-executable.ts";
import { askTemplates } from "./ask-templates.ts";

/** Asks a hook that a settings file declares: a rule answers at once, anything else is a process (SPEC 9). */
export async function askDeclared(hook: Hook, entry: PlacedEntry, payload: Payload, ground: AskGround): Promise<Asked> {
  const rule = ruleReply(entry);
  if (rule !== null) return { ...SILENT, reply: ok(rule) };
  if (typeof entry.value === "object" && "message" in entry.value) {
    return askTemplates(hook, entry.value, payload, ground);
  }
  const command = commandOf(entry) ?? [];
  const [file = "", ...args] = typeof command === "string" ? ["/bin/sh", "-c", command] : command;
  const read = (stdout: Uint8Array) => READERS[entry.scheme]?.(hook, stdout) ?? readReply(hook, payload.event, stdout);
  return askProgram(hook, payload, { ...ground, cwd: dirname(entry.file) }, { file, args, read });
}

/** Reyn's commands have words of their own: nothing at all, or one push. Neither can stop the agent. */
const READERS: Partial<Readonly<Record<SchemeName, (hook: Hook, stdout: Uint8Array) => Asked["reply"]>>> = {
  shell_exec: () => ok(null),
  shell_push: readDirective,
};

const SILENT: Asked = {
  reply: ok(null),
  isHindered: false,
  exitCode: null,
  signal: null,
  durationMs: 0,
  stderr: "",
  warnings: [],
};

/** What a rule says; null for an entry that is none. */
function ruleReply({ scheme, value }: PlacedEntry): Reply | null {
  const text = String(value);
  if (scheme === "block" || scheme === "ask") return { ...NO_REPLY, decision: scheme, reason: text };
  return scheme === "inject" ? { ...NO_REPLY, context: [text] } : null;
}
