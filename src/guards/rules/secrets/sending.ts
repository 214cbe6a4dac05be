import { type Call, type CommandAnalysis, UNKNOWN } from "../../command/call.ts";
import { optionValues, parseOptions } from "../../command/options.ts";
import { isSocketPath } from "../remote-code/origins.ts";
import { CURL } from "../transfer-options.ts";
import { fullSource } from "../wrappers.ts";
import { isSecretName } from "./environment.ts";
import type { Fate } from "./shown-output.ts";

/** The variable with a secret that is the whole body of a request: `curl -d "$TOKEN"`; null if there is none. */
export function postedVariable({ program, args }: Call): string | null {
  if (program !== "curl") return null;
  const values = optionValues(parseOptions(args, CURL), "-d", "--data", "--data-binary", "--data-raw", "--data-ascii");
  for (const { text, source } of values) {
    const [, name = ""] = /\$\{?([A-Za-z_]\w*)\}?["']?$/.exec(source) ?? [];
    if (text === UNKNOWN && isSecretName(name)) return name;
  }
  return null;
}

/** True if a call archives a folder and the archive goes to the network by another program than ssh. */
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
