import type { Host } from "../../../src/engine/host.ts";
import { EXIT } from "../../../src/protocol/exit-code.ts";
import { type JsonRecord, printableJson } from "../../../src/protocol/json/write.ts";
import { problemText } from "../../../src/report/problem-text.ts";
import { PLAIN_STYLE } from "../../../src/report/text-style.ts";
import type { NativeEvent } from "../../agents/agent.ts";
import { blockFormat } from "../../agents/agent.ts";

/** Prints one JSON object, or nothing. If a required answer reaches nobody, the exit code blocks. */
export function printAnswer(answer: JsonRecord, mustArrive: boolean, host: Host): number {
  if (Object.keys(answer).length === 0) return EXIT.ok;
  const writeError = host.out(`${printableJson(answer)}\n`);
  return mustArrive && (writeError !== null || host.isStdoutNull()) ? EXIT.blocked : EXIT.ok;
}

/** Answers a signal at once while hooks still run: the caller may not wait. */
export interface SignalWatch {
  /** The exit code after an answer; null if none was printed. */
  readonly exitCode: () => number | null;
}

export function watchSignals(row: NativeEvent, mayBlock: () => boolean, host: Host): SignalWatch {
  const block = blockFormat(row.answers);
  let exitCode: number | null = null;
  host.interrupt.listen((signal) => {
    if (exitCode !== null || block === undefined || !mayBlock()) return;
    const text = problemText({ code: "INTERRUPTED", signal }, PLAIN_STYLE);
    exitCode = printAnswer(block(`hookctl: ${text.trim()}`), true, host);
    host.err(text);
  });
  return { exitCode: () => exitCode };
}

export const NO_WATCH: SignalWatch = { exitCode: () => null };
