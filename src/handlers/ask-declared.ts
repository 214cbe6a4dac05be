import type { Asked } from "../contract/asked.ts";
import type { PlacedEntry } from "../contract/entry.ts";
import type { Hook } from "../contract/hook.ts";
import type { Payload } from "../contract/payload.ts";
import { NO_REPLY, type Reply } from "../contract/reply.ts";
import { ok } from "../contract/result.ts";
import { readReply } from "../dialects/read-reply.ts";
import { entryFolder } from "../process/working-folder.ts";
import { type AskGround, askProgram } from "./ask-executable.ts";

/** Asks a hook that a settings file declares: a rule answers at once, anything else is a process (SPEC 9). */
export async function askDeclared(hook: Hook, entry: PlacedEntry, payload: Payload, ground: AskGround): Promise<Asked> {
  const rule = ruleReply(entry);
  if (rule !== null) return { ...SILENT, reply: ok(rule) };
  if (entry.scheme === "tool") return (await import("./ask-tool.ts")).askTool(hook, entry, payload, ground);
  const { value } = entry;
  const [file = "", ...args] = typeof value === "string" ? ["/bin/sh", "-c", value] : value;
  // It runs for its effect: what it prints means nothing, only that it failed does.
  const isEffect = entry.scheme === "shell_exec";
  const read = (stdout: Uint8Array) => (isEffect ? ok(null) : readReply(hook, payload.event, stdout));
  return askProgram(hook, payload, { ...ground, cwd: entryFolder(entry) }, { file, args, read });
}

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
  const text = typeof value === "string" ? value : value.join(" ");
  if (scheme === "block" || scheme === "ask") return { ...NO_REPLY, decision: scheme, reason: text };
  return scheme === "inject" ? { ...NO_REPLY, context: [text] } : null;
}
