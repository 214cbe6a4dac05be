import { credentialAt } from "../../../../src/redact/credential-files.ts";
import { UNKNOWN } from "../../../../src/shell/unknown.ts";
import type { Call, CommandPlace } from "../../command/call.ts";
import { type FileAccess, fileAccessesOf } from "../../command/files/file-access.ts";
import { zoneOf } from "../../command/paths.ts";
import type { Finding } from "../../guard.ts";
import type { ToolTexts } from "../../tool-texts.ts";
import { SECRET_RULES } from "./findings.ts";
import { type RealSecret, realSecretsIn } from "./real-secrets.ts";

/** A secret that a file tool of the agent writes into a file. */
export function writtenByTool({ path, source, edit, replaced }: FileAccess, place: CommandPlace): Finding | null {
  if (typeof edit?.newText !== "string" || isRightPlace(path, place)) return null;
  const before = `${edit.oldText ?? ""}${replaced ?? ""}`;
  const secret = realSecretsIn(edit.newText).find((one) => !before.includes(one.value) && !isSample(one, path));
  return secret === undefined ? null : writes(source, secret, `into ${source}`);
}

/** A secret in the text that a command writes into a file or a commit, or gives to an agent. */
export function writtenByCommand(call: Call, place: CommandPlace): Finding | null {
  const target = targetOf(call, place);
  if (target === null) return null;
  const secret = textsOf(call)
    .flatMap(realSecretsIn)
    .find((one) => !isSample(one, target));
  return secret === undefined ? null : writes(call.source, secret, `into ${target}`);
}

/** A secret in the arguments of a tool whose files are not known: a prompt, a cell of a notebook, a value for a server. */
export function givenToTool({ tool, kind, texts, files }: ToolTexts, place: CommandPlace): Finding | null {
  if (NOT_WRITING.has(kind) || files.some(({ edit }) => typeof edit?.newText === "string")) return null;
  if (files.length > 0 && files.every(({ path }) => isRightPlace(path, place))) return null;
  const all = texts();
  const before = all.flatMap(({ key, text }) => (/^old|search|find/.test(key) ? [text] : [])).join("\n");
  const secret = all.flatMap(({ text }) => realSecretsIn(text)).find(({ value }) => !before.includes(value));
  return secret === undefined ? null : writes(tool, secret, "into the arguments of a tool");
}

/** Kinds of tools that other rules judge, or that only look for a text. */
const NOT_WRITING: ReadonlySet<string> = new Set(["shell", "read", "search", "web"]);

const writes = (part: string, { kind }: RealSecret, where: string): Finding =>
  SECRET_RULES.find("written-secret", part, { effect: `writes a secret (${kind}) ${where}` });

/** Files that exist to hold secrets, and those that nobody keeps. */
const isRightPlace = (path: string, place: CommandPlace): boolean =>
  path.startsWith(UNKNOWN) ||
  LOCAL_SETTINGS.test(path) ||
  /^(?:temp|stream|device)$/.test(zoneOf(path, place)) ||
  credentialAt(path, place.home) !== null;

const LOCAL_SETTINGS =
  /\.(?:tfvars|envrc|env|env\.\w+\.local)$|\.local\.\w+$|(?:^|\/)(?:local\.settings\.json|\.dev\.vars)$/;

/** Keys for tests are made for them. */
const isSample = ({ kind }: RealSecret, path: string): boolean =>
  kind === "private key" &&
  /(?:^|[/._-])(?:tests?|__tests__|specs?|fixtures?|testdata|mocks?|examples?)(?:[/._-]|$)/.test(path);

/** What keeps or gets the text of a call; null if nothing does, or a file that may have secrets. */
function targetOf(call: Call, place: CommandPlace): string | null {
  const { program, args } = call;
  if (AGENTS.test(program)) return "the prompt of an agent";
  if (program === "git") return args.some(({ text }) => /^(?:commit|tag|notes)$/.test(text)) ? "the repository" : null;
  if (!WRITES_TEXT.test(program) && !isOfCode(call)) return null;
  const written = fileAccessesOf(call).find(({ kind, path }) => kind === "write" && !isRightPlace(path, place));
  return written?.source ?? null;
}

const isOfCode = ({ parent }: Call): boolean => parent?.relation === "inline code";

const AGENTS = /^(?:claude|codex|gemini|cursor-agent|opencode|copilot|qwen|goose|aider|droid|amp|crush)$/;
export const WRITES_TEXT = /^(?:|echo|printf|print|cat|tee|sponge|g?sed|perl|[gm]?awk|ed|ex|jq|yq)$/;

/** The pattern of a substitution, which is not written: `s/old/`. */
const SEARCHED = /((?:^|[;\n{])\s*)s([^\w\s\\])(?:\\.|(?!\2)[^\n\\])*\2/g;

/** The texts that a call writes: its words, its here-document, and what others print into its pipe. */
export function textsOf(call: Call): readonly string[] {
  const { program, args, input, parent } = call;
  const piped =
    input.kind === "pipe" ? input.from.filter(({ program }) => WRITES_TEXT.test(program)).flatMap(textsOf) : [];
  const code = isOfCode(call) && parent !== null ? textsOf(parent.call) : [];
  const isEditor = /^(?:g?sed|perl)$/.test(program);
  return [
    ...code,
    ...args.map(({ text }) => (isEditor ? text.replace(SEARCHED, "$1") : text)),
    ...(input.kind === "text" ? [input.text] : []),
    ...piped,
  ];
}
