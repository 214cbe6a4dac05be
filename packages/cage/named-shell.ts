import { basename } from "node:path";
import { disk } from "../../src/fs/disk.ts";
import { withRegularFile } from "../../src/fs/read-file.ts";
import { objectOr } from "../../src/protocol/json/read.ts";
import { CAGE_SHELLS } from "./prepare-cage.ts";

/** A call as the agent's transcript has it, and the argument by which it can name a shell. */
export interface TranscriptCall {
  readonly transcript: string;
  readonly id: string;
  readonly argument: string;
}

/** Agents write a call down before they ask hooks about it, and its outputs later. */
const TAIL_BYTES = 4_000_000;

/**
 * Why a call that may name another shell is not known to be caged: other shells than those of the cage read nothing at their
 * start. Null if it names none, or one of them. `isKnown` is false if the transcript does not have the call.
 */
export function namedShell({
  transcript,
  id,
  argument,
}: TranscriptCall): { readonly isKnown: boolean; readonly why: string } | null {
  const line = tailOf(transcript)
    .split("\n")
    .findLast((one) => one.includes(JSON.stringify(id)) && one.includes('"arguments"'));
  const written = objectOr(objectOr(parsed(line ?? "")).payload).arguments;
  if (typeof written !== "string")
    return { isKnown: false, why: "the agent does not report which shell the call names" };
  const shell = objectOr(parsed(written))[argument];
  if (shell === undefined || shell === null || Object.hasOwn(CAGE_SHELLS, basename(String(shell)))) return null;
  return { isKnown: true, why: `it names another shell; call it without \`${argument}\`` };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function tailOf(file: string): string {
  try {
    return withRegularFile(file, ({ descriptor, stats }) => {
      const buffer = Buffer.allocUnsafe(Math.min(TAIL_BYTES, stats.size));
      return buffer.toString(
        "utf8",
        0,
        disk.readSync(descriptor, buffer, 0, buffer.length, stats.size - buffer.length),
      );
    });
  } catch {
    return "";
  }
}
