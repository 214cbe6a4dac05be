import { join, relative } from "node:path";
import type { RunContext } from "../../src/engine/run-context.ts";
import { pathExists } from "../../src/fs/paths.ts";
import type { Payload } from "../../src/protocol/payload/payload.ts";
import { shellQuote } from "../../src/protocol/text/shell-quote.ts";
import type { Warning } from "../../src/protocol/warning.ts";
import { examineCall } from "../guard-hooks/examine-call.ts";
import { readToolCall } from "../guards/tool-call.ts";
import { type CagedCall, type CageNote, NO_NOTE } from "./agent-calls.ts";
import { agentAbove, processKey } from "./cage-shell.ts";
import { filesOfPrograms, filesOfTool, isRefused, type ReachedFile } from "./judge-files.ts";
import { type Cage, cageOf } from "./prepare-cage.ts";

/** Judges a call of a tool that uses files itself, by the places of the cage. */
export async function beforeFileCall({ processId, payload, context }: CagedCall, isCaged: boolean): Promise<CageNote> {
  const cage = await cageOf(processKey(agentAbove(processId)), context);
  if (cage === null) return NO_NOTE;
  const files = await filesOfTool(payload, cage, context);
  if (cage.settings.mode === "observe") return { ...NO_NOTE, warnings: warningsFor(files) };
  const refused = files.find(isRefused);
  if (refused === undefined) return isCaged ? { ...NO_NOTE, context: temporaryText(files) } : NO_NOTE;
  const { path, use, place } = refused;
  const isRead = use === "read";
  const fix = `hookctl cage allow ${shellQuote(path)} --here${isRead ? " --read" : ""}`;
  return { ...NO_NOTE, problem: { code: "CAGE_REFUSED", use, path, why: place.why, fix } };
}

/** What the cage would refuse of the files that a command names. */
export async function predicted(payload: Payload, cage: Cage, context: RunContext): Promise<readonly Warning[]> {
  const examined = await examineCall(readToolCall(payload.members), context, payload.cwd);
  return warningsFor(filesOfPrograms(examined, cage));
}

const warningsFor = (files: readonly ReachedFile[]): readonly Warning[] =>
  files.filter(isRefused).map(({ use, path, place }) => ({ code: "CAGE_PREDICTED", use, path, why: place.why }));

/** What a tool and shell calls do not share: their temporary files. Null if the call has nothing to do with them. */
function temporaryText(files: readonly ReachedFile[]): string | null {
  const texts = files.flatMap(({ path, use, place: { path: above, from } }) => {
    if (from === undefined) return [];
    if (use === "write") return [`they do not see ${path}, so write what they need into the project`];
    const inside = join(from, relative(above, path));
    return !pathExists(path) && pathExists(inside) ? [`${path} of theirs is ${inside}`] : [];
  });
  return texts.length === 0 ? null : `hookctl's cage: shell calls have their own /tmp: ${texts.join("; ")}.`;
}
