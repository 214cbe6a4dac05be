import type { Call } from "../../command/call.ts";
import type { Finding } from "../../guard.ts";
import { SECRET_RULES } from "./findings.ts";

/** A command that prints a stored credential. */
export const judgePrinting = (call: Call): Finding | null =>
  showsMetadata(call) ? null : SECRET_RULES.judgeByForm(call);

/** `kubectl get secret db -o jsonpath='{.metadata.name}'` shows no secret value. */
function showsMetadata(call: Call): boolean {
  if (call.program !== "kubectl" && call.program !== "oc") return false;
  const { options } = SECRET_RULES.lineOf(call);
  const formats = options.filter(({ name }) => /^(?:-o|--output|--template)$/.test(name));
  return formats.length > 0 && formats.every(({ value }) => METADATA_ONLY.test(value?.text ?? ""));
}

/** Annotations are missing: they may hold the content as it was applied. */
const FIELD = String.raw`(?:\.items\[\*\]|@)?\.(?:metadata\.(?:name|namespace|uid|labels|creationTimestamp)|type|kind)`;
const METADATA_ONLY = new RegExp(
  String.raw`^(?:jsonpath=(?:\{(?:range \.items\[\*\]|end|"[^"{}]*"|${FIELD})\})+|custom-columns=(?:[\w-]+:${FIELD}(?:,(?=.)|$))+)$`,
);
