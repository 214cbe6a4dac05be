import { credentialAt } from "../../../src/redact/credential-files.ts";
import type { Call, CommandAnalysis } from "../command/call.ts";
import { type FileAccess, fileAccessesOf } from "../command/files/file-access.ts";
import { type Finding, type Guard, type GuardContext, strictest } from "../guard.ts";
import { isOwnValue, printsEnvironment, secretCopies } from "./secrets/environment.ts";
import {
  judgePrinting,
  judgeUpload,
  postedVariable,
  prints,
  REDACTION_MARKS,
  reads,
  SECRET_RULES,
  sendsFolder,
  writesMark,
} from "./secrets/findings.ts";
import { credentialInCode, judgeFile } from "./secrets/judge-file.ts";
import { sends, sentLater } from "./secrets/sent-later.ts";
import { createFates, type Fate, isFiltered } from "./secrets/shown-output.ts";
import { givenToTool, writtenByCommand } from "./secrets/written.ts";

export const secrets: Guard = {
  ...SECRET_RULES.guard,
  judgeFile,
  judgeCommand,
  judgeAll: sentLater,
  sends,
  judgeTool: (tool, { place }) => givenToTool(tool, place),
};

function judgeCommand(analysis: CommandAnalysis, context: GuardContext): Finding | null {
  const fateOf = createFates(analysis);
  const copies = secretCopies(analysis.text);
  return strictest([
    ...analysis.calls.map((call) => judgeCall(call, { analysis, context, fateOf, copies })),
    readsRenamed(analysis.calls, context),
    writesMarkIn(analysis),
  ]);
}

/** `sed -i 's/x/[redacted secret value]/' .env`. */
function writesMarkIn({ text, calls }: CommandAnalysis): Finding | null {
  const texts = [text, ...calls.flatMap(({ args }) => args.map((word) => word.text))];
  if (texts.every((one) => one.search(REDACTION_MARKS) === -1)) return null;
  const isFile = ({ kind, path }: FileAccess): boolean => kind === "write" && !path.startsWith("/dev/");
  const file = calls.flatMap((call) => fileAccessesOf(call)).find(isFile);
  return file === undefined ? null : writesMark(file.call?.source ?? text, file.source);
}

interface Command {
  readonly analysis: CommandAnalysis;
  readonly context: GuardContext;
  readonly fateOf: (call: Call) => Fate;
  /** The variables with the value of a secret variable. */
  readonly copies: ReadonlySet<string>;
}

/** Judges the secrets that a call reads in its code, prints or sends. */
function judgeCall(call: Call, { analysis, context, fateOf, copies }: Command): Finding | null {
  const named = credentialInCode(call, context.place);
  if (named !== null) return reads({ path: named.path, source: named.name, call }, named.credential);
  const posted = postedVariable(call, copies);
  if (posted !== null) return prints(call, { kind: "variable", name: posted }, true);
  if (sendsFolder(call, analysis, fateOf)) return SECRET_RULES.find("send-folder", call.source);
  const written = writtenByCommand(call, context.place);
  if (written !== null) return written;
  const fate = fateOf(call);
  if (fate === "used") return null;
  const printed = printsEnvironment(call, copies);
  const isOwn = printed?.kind === "variable" && isOwnValue(printed.name, analysis.text);
  if (printed !== null && !isOwn && !isFiltered(call, analysis)) return prints(call, printed, fate === "sent");
  return judgePrinting(call) ?? (fate === "sent" ? judgeSentFiles(call) : null);
}

const judgeSentFiles = (call: Call): Finding | null =>
  fileAccessesOf(call)
    .map((file) => judgeUpload(file, call))
    .find((found) => found !== null) ?? null;

/** `mv .env notes.txt; cat notes.txt`. */
function readsRenamed(calls: readonly Call[], { place }: GuardContext): Finding | null {
  const renamed = new Map<string, FileAccess>();
  for (const call of calls) {
    const files = fileAccessesOf(call);
    const read = files.find(({ kind, path }) => kind === "read" && renamed.has(path));
    const before = read === undefined ? undefined : renamed.get(read.path);
    if (before !== undefined) return reads({ ...before, call }, { what: "credentials", certainty: "sure" });
    const from = MOVES.test(call.program)
      ? files.find(({ kind, path }) => kind === "delete" && credentialAt(path, place.home))
      : undefined;
    if (from !== undefined) for (const { kind, path } of files) if (kind === "write") renamed.set(path, from);
  }
  return null;
}

const MOVES = /^g?mv$/;
