import { type Call, type CommandAnalysis, UNKNOWN, type Word } from "../../command/call.ts";
import { hasOption, parseOptions } from "../../command/options.ts";

/** `env | grep PATH` and `env | cut -d= -f1` show no secret. */
export function isFiltered(call: Call, { calls }: CommandAnalysis): boolean {
  const readers = calls.filter(({ input }) => input.kind === "pipe" && input.from.includes(call));
  return readers.length > 0 && readers.some(keepsSecretsOut);
}

function keepsSecretsOut({ program, args }: Call): boolean {
  if (/^(?:e|f|g)?grep$|^rg$|^ag$/.test(program)) {
    const parsed = parseOptions(args, { values: ["-e", "-f", "-A", "-B", "-C", "-m", "--regexp"] });
    const pattern =
      (parsed.options.find(({ name }) => name === "-e" || name === "--regexp")?.value ?? parsed.operands[0])?.text ??
      "";
    return !hasOption(parsed, "-v", "--invert-match") && isPlainPattern(pattern);
  }
  const words = args.map(({ text }: Word) => text).join(" ");
  if (program === "cut") return /-d ?=/.test(words) && /-f ?1\b/.test(words);
  if (/awk$/.test(program)) return /-F ?=/.test(words) && /print \$1\b/.test(words);
  return program === "sed" && /s(.)=\.\*\1\1/.test(words);
}

/** A pattern for names that hold no secret: `PATH`, `^NODE_`, `proxy`. */
const isPlainPattern = (pattern: string): boolean =>
  /[A-Za-z]{2}/.test(pattern) &&
  !pattern.includes(UNKNOWN) &&
  !/key|token|secret|pass|pwd|cred|auth|api|aws|azure|gcp|google|github|gh_|openai|anthropic|\.\*/i.test(pattern);
