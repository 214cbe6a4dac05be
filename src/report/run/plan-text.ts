import { entryProgram } from "../../protocol/entry.ts";
import type { EventName } from "../../protocol/event.ts";
import type { Hook, NotReady } from "../../protocol/hook.ts";
import { type JsonRecord, printableJson } from "../../protocol/json/write.ts";
import { explain } from "../../protocol/problem-messages/explain.ts";
import { sandboxText } from "../../protocol/sandbox.ts";
import { escapeControls, truncateEscaped } from "../../protocol/text/text.ts";
import { formatDuration } from "../../protocol/text/units.ts";
import { warningLine } from "../problem-text.ts";
import { nameColumn, type Style } from "../text-style.ts";

/** The plan of a run for a person. */
export function planText(event: EventName, hooks: readonly Hook[], warnings: readonly string[], style: Style): string {
  const warningLines = warnings.map((warning) => warningLine(warning, style)).join("");
  if (hooks.length === 0) return `${warningLines}No hooks for ${event}: nothing would run.\n`;
  const named = nameColumn(hooks.map(({ name }) => name));
  const lines = hooks.map((hook, index) => {
    const words = [
      truncateEscaped(commandOf(hook).join(" ") || (hook.kind === "template_push" ? "a template" : "no process"), 200),
      `timeout ${formatDuration(hook.timeoutMs)}`,
      hook.sandbox === undefined ? "sandbox off" : `sandbox ${truncateEscaped(sandboxText(hook.sandbox), 120)}`,
      statusText(hook),
    ];
    return `${String(index + 1).padStart(3)}  ${named(hook.name)} ${words.join("   ")}\n`;
  });
  return `${warningLines}${style.strong(event)}\n${lines.join("")}Nothing was started.\n`;
}

/** The plan of a run for a program, with `--strict` also what would not start. */
export function planJson(hooks: readonly Hook[], notReady: readonly NotReady[] | null, isJson: boolean): string {
  const schema = isJson ? "hookctl.plan/1" : undefined;
  return printableJson({ schema, plan: hooks.map(planEntry), not_ready: notReady?.map((one) => ({ ...one })) });
}

function planEntry(hook: Hook): JsonRecord {
  return {
    name: hook.name,
    path: hook.path,
    source: hook.source,
    kind: hook.kind,
    command: commandOf(hook),
    priority: hook.priority,
    timeout_ms: hook.timeoutMs,
    fail_open: hook.failOpen,
    observe: hook.observe,
    sandbox: hook.sandbox === undefined ? null : sandboxText(hook.sandbox),
    trust: hook.trust,
    would_start: hook.state === "ready",
    // False: the hook has not declared its events yet; this event is mentioned in its text.
    identified: hook.events.length > 0,
    hindrance: hook.refusal?.code,
  };
}

function commandOf({ kind, entry, path }: Hook): readonly string[] {
  if (kind === "guard") return [];
  return entry === null ? [path, "run"] : entryProgram(entry);
}

function statusText(hook: Hook): string {
  if (hook.disabledReason !== null) return hook.disabledReason;
  if (hook.refusal !== null) return `✖ ${escapeControls(explain(hook.refusal).summary)}`;
  return hook.events.length > 0 ? "✔ would start" : "• would be identified first";
}
