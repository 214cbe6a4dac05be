import { type Call, type CommandAnalysis, UNKNOWN } from "../../command/call.ts";
import type { FileAccess } from "../../command/files/file-access.ts";
import { optionValues, parseOptions } from "../../command/options.ts";
import { isSocketPath } from "../../command/paths.ts";
import { CURL } from "../../command/transfer-options.ts";
import type { Finding } from "../../guard.ts";
import { fullSource } from "../command-rules.ts";
import { type Credential, KEY_FOLDER } from "./credential-files.ts";
import { isSecretName, type Printed } from "./environment.ts";
import type { Fate } from "./shown-output.ts";

const LEAVE_IT = "Let the program that needs it read it by itself, or ask the person.";
const NAMES_ONLY =
  "Read the names of the settings in `.env.example` or ask the person for the one value that is needed.";

export function reads({ source, call }: Pick<FileAccess, "source" | "call">, { what, certainty }: Credential): Finding {
  return {
    rule: "read-credentials",
    decision: certainty === "sure" ? "block" : "ask",
    part: call?.source ?? source,
    effect: `reads ${what} (${source})`,
    instead: what === "environment secrets" ? NAMES_ONLY : LEAVE_IT,
  };
}

export const sendsIt = (source: string, call: Call, { what }: Pick<Credential, "what">): Finding => ({
  rule: "send-credentials",
  decision: "block",
  part: call.source,
  effect: `sends ${what} (${source}) to another machine`,
  instead: "Let the person transfer credentials.",
});

/** The marks that hookctl puts in the place of secrets. Without a kind, only as a value: documents mention it otherwise. */
export const REDACTION_MARKS = /\[redacted [A-Za-z][A-Za-z0-9 .-]{1,40}\]|[:=][ \t]{0,8}["']?\[redacted\]/g;

export const writesMark = (part: string, file: string): Finding => ({
  rule: "write-redaction-mark",
  decision: "ask",
  part,
  effect: `writes a mark of a redacted secret into ${file}, where the real value would be lost`,
  instead: "Leave the line as it is, or let the person enter the value.",
});

export function judgeUpload({ path, source }: Pick<FileAccess, "path" | "source">, call: Call): Finding | null {
  if (/^\/etc\/(?:passwd|group|sudoers)$/.test(path))
    return sendsIt(source, call, { what: "the accounts of this machine" });
  return KEY_FOLDER.test(path) ? { ...sendsIt(source, call, { what: "a folder of keys" }), decision: "ask" } : null;
}

export const sendsArchive = ({ source }: Call): Finding => ({
  rule: "send-folder",
  decision: "ask",
  part: source,
  effect: "sends a whole folder to another machine, with all credentials in it",
  instead: "Name the files, or let the person transfer them.",
});

export function prints(call: Call, printed: Printed, isSent: boolean): Finding {
  const what = printed.kind === "everything" ? "all variables, with their secrets" : `the secret in $${printed.name}`;
  const rule = isSent ? "send-credentials" : printed.kind === "everything" ? "print-environment" : "print-variable";
  return {
    rule,
    decision: isSent || printed.kind === "variable" ? "block" : "ask",
    part: call.source,
    effect: isSent ? `sends ${what} to another machine` : `prints ${what}`,
    instead:
      printed.kind === "everything"
        ? "Ask for the variable that is needed: `printenv PATH`."
        : 'Test it without printing it: `[ -n "$NAME" ]`.',
  };
}

/** The secret variable that is the whole body of a request: `curl -d "$TOKEN"`; null if there is none. */
export function postedVariable({ program, args }: Call): string | null {
  if (program !== "curl") return null;
  const values = optionValues(parseOptions(args, CURL), "-d --data --data-binary --data-raw --data-ascii");
  for (const { text, source } of values) {
    const [, name = ""] = /\$\{?([A-Za-z_]\w*)\}?["']?$/.exec(source) ?? [];
    if (text === UNKNOWN && isSecretName(name)) return name;
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
