import { resolve } from "node:path";
import type { Redact } from "../../audit/redact.ts";
import { writeOutputFile } from "../../fs/write-output.ts";
import type { Host } from "../../host.ts";
import type { HostProblem } from "../../protocol/problem.ts";
import { corpusLine } from "../../replay/sessions/corpus.ts";
import type { SessionRecord } from "../../replay/sessions/session-record.ts";

/** Collects the calls for a file that `backtest` reads on another machine. */
export interface ExportedCalls {
  readonly add: (record: SessionRecord) => void;
  /** Returns why the file could not be written, or null. */
  readonly write: () => HostProblem | null;
}

const MOST_CHARACTERS = 64 * 1024 * 1024;

export function exportCalls(file: string, project: string, { host, redact }: ExportContext): ExportedCalls {
  const lines = new Set<string>();
  let [characters, leftOut] = [0, 0];
  const own = { home: host.env.HOME ?? "/", project };
  return {
    add: ({ agent, time, cwd, madeIn, recorded }) => {
      const made = recorded();
      const call = { id: "", agent, time, cwd, madeIn: madeIn ?? own };
      const line = made === null ? null : corpusLine({ ...call, ...made }, redact);
      if (line === null || characters + line.length > MOST_CHARACTERS) leftOut += 1;
      else if (!lines.has(line)) {
        lines.add(line);
        characters += line.length;
      }
    },
    write: () => {
      const path = resolve(host.cwd, file);
      const cause = writeOutputFile(path, [...lines].join(""));
      if (cause !== null) return { code: "FILE_NOT_WRITTEN", path, cause };
      const missing = leftOut === 0 ? "" : `; ${leftOut} were too long`;
      host.err(`• ${lines.size} different calls written to ${file}${missing}. Read it before you share it.\n`);
      return null;
    },
  };
}

interface ExportContext {
  readonly host: Host;
  readonly redact: Redact;
}
