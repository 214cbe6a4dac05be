import { type Credential, credentialNames, KEY_FOLDER } from "../../../../src/redact/credential-files.ts";
import { UNKNOWN } from "../../../../src/shell/unknown.ts";
import type { Call, CommandAnalysis } from "../../command/call.ts";
import type { FileAccess } from "../../command/files/file-access.ts";
import { CURL, optionValues, parseOptions } from "../../command/options.ts";
import { isSocketPath } from "../../command/paths.ts";
import type { Finding } from "../../guard.ts";
import { fullSource, readRules } from "../command-rules.ts";
import { isSecretName, type Printed } from "./environment.ts";
import table from "./rules.json" with { type: "json" };
import type { Fate } from "./shown-output.ts";

export const SECRET_RULES = readRules(table);

const NAMES_ONLY = "Read the names with `cut -d= -f1 .env`, or ask the person for the one value that is needed.";

export const reads = (
  { path, source, call }: Pick<FileAccess, "path" | "source" | "call">,
  { what, certainty }: Credential,
): Finding =>
  SECRET_RULES.find("read-credentials", call?.source ?? source, {
    decision: certainty === "sure" ? "block" : "ask",
    effect: `reads ${what} (${source})`,
    targets: credentialNames(path),
    ...(what === "environment secrets" ? { instead: NAMES_ONLY } : {}),
  });

export const sendsIt = (
  { path, source }: Pick<FileAccess, "path" | "source">,
  call: Call,
  { what }: Pick<Credential, "what">,
): Finding =>
  SECRET_RULES.find("send-credentials", call.source, {
    effect: `sends ${what} (${source}) to another machine`,
    targets: credentialNames(path),
  });

/** The marks that hookctl puts in the place of secrets. Without a kind, only as a value: documents mention it otherwise. */
export const REDACTION_MARKS = /\[redacted [A-Za-z][A-Za-z0-9 .-]{1,40}\]|[:=][ \t]{0,8}["']?\[redacted\]/g;

export const writesMark = (part: string, file: string): Finding =>
  SECRET_RULES.find("write-redaction-mark", part, {
    effect: `writes a mark of a redacted secret into ${file}, where the real value would be lost`,
  });

export function judgeUpload(file: Pick<FileAccess, "path" | "source">, call: Call): Finding | null {
  if (/^\/etc\/(?:passwd|group|sudoers)$/.test(file.path))
    return sendsIt(file, call, { what: "the accounts of this machine" });
  return KEY_FOLDER.test(file.path) ? { ...sendsIt(file, call, { what: "a folder of keys" }), decision: "ask" } : null;
}

export function prints(call: Call, printed: Printed, isSent: boolean): Finding {
  const isEverything = printed.kind === "everything";
  const what = isEverything ? "all variables, with their secrets" : `the secret in $${printed.name}`;
  const found = SECRET_RULES.find(isEverything ? "print-environment" : "print-variable", call.source, {
    effect: `prints ${what}`,
    targets: [isEverything ? "all variables" : `$${printed.name}`],
  });
  return isSent
    ? { ...found, rule: "send-credentials", decision: "block", effect: `sends ${what} to another machine` }
    : found;
}

/** The secret variable that is the whole body of a request: `curl -d "$TOKEN"`; null if there is none. */
export function postedVariable({ program, args }: Call, copies: ReadonlySet<string>): string | null {
  if (program !== "curl") return null;
  const values = optionValues(
    parseOptions(args, CURL),
    "-d --data --data-binary --data-raw --data-ascii -A --user-agent -e --referer",
  );
  for (const { text, source } of values) {
    const [, name = ""] = /\$\{?([A-Za-z_]\w*)\}?["']?$/.exec(source) ?? [];
    if (text === UNKNOWN && (isSecretName(name) || copies.has(name))) return name;
  }
  return null;
}

/** True if a call archives a folder and a program other than ssh sends the archive to the network. */
export function sendsFolder(call: Call, { calls }: CommandAnalysis, fateOf: (call: Call) => Fate): boolean {
  if (!/^(?:g|bsd)?tar$|^cpio$/.test(call.program)) return false;
  const words = call.args.map(({ text }) => text);
  const isCreating = words.some(
    (text, at) =>
      /^--c(?:r|re|rea|reat|reate)?$/.test(text) || /^-[a-zA-Z]*c/.test(text) || (at === 0 && /^[a-zA-Z]*c/.test(text)),
  );
  if (!isCreating || calls.some(({ program }) => program === "ssh")) return false;
  const opensSocket = calls.some(({ redirections }) => redirections.some(({ target }) => isSocketPath(target.text)));
  const toDescriptor = />\s*&\s*["$\d]/.test(fullSource(call)) || words.some((text) => /\/fd\//.test(text));
  return fateOf(call) === "sent" || (opensSocket && toDescriptor);
}

/** A command that prints a stored credential. */
export const judgePrinting = (call: Call): Finding | null =>
  showsMetadata(call) ? null : SECRET_RULES.judgeByForm(call);

/** `kubectl get secret db -o jsonpath='{.metadata.name}'` shows no secret value. */
function showsMetadata(call: Call): boolean {
  if (call.program === "vault") return SECRET_RULES.lineOf(call).operands[1]?.word.text.startsWith("sys/") === true;
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
