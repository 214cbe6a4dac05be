import { tableOf } from "../../../shell/table.ts";
import type { Call } from "../../command/call.ts";
import type { Finding } from "../../guard.ts";
import { commandRules, judgeByForm, lineOf } from "../command-rules.ts";
import table from "./rules.json" with { type: "json" };

/** Command lines that print a stored credential. */
export const PRINTING = commandRules(tableOf(table));

/** A command that prints a stored credential. */
export const judgePrinting = (call: Call): Finding | null => (showsMetadata(call) ? null : judgeByForm(call, PRINTING));

/** `kubectl get secret db -o jsonpath='{.metadata.name}'` shows no secret value. */
function showsMetadata(call: Call): boolean {
  if (call.program !== "kubectl" && call.program !== "oc") return false;
  const { options } = lineOf(call, PRINTING);
  const formats = options.filter(({ name }) => /^(?:-o|--output|--template)$/.test(name));
  return formats.length > 0 && formats.every(({ value }) => METADATA_ONLY.test(value?.text ?? ""));
}

/** Annotations are missing: they may hold the content as it was applied. */
const FIELD = String.raw`(?:\.items\[\*\]|@)?\.(?:metadata\.(?:name|namespace|uid|labels|creationTimestamp)|type|kind)`;
const METADATA_ONLY = new RegExp(
  String.raw`^(?:jsonpath=(?:\{(?:range \.items\[\*\]|end|"[^"{}]*"|${FIELD})\})+|custom-columns=(?:[\w-]+:${FIELD}(?:,(?=.)|$))+)$`,
);
