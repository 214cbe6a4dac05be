import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Host } from "../../../src/engine/host.ts";
import { isAlive, processSpace } from "../../../src/fs/lock.ts";
import { entryNames } from "../../../src/fs/paths.ts";
import { readIfPresent } from "../../../src/fs/read-file.ts";
import { writeFileAtomic } from "../../../src/fs/write-file.ts";
import { statFields } from "../../../src/process/proc.ts";

/** A resident server that runs. */
export interface RunningServer {
  readonly socket: string;
  readonly processId: number;
}

const NOTE = ".pid";
const startOf = (pid: number): string => statFields(pid)[19] ?? "";

/** Notes which process listens on a socket. Returns how the note is removed. */
export function noteServer(socket: string, { processId }: Pick<Host, "processId">): () => void {
  const file = socket + NOTE;
  writeFileAtomic(file, `${processId} ${startOf(processId)} ${processSpace()}`);
  return () => rmSync(file, { force: true });
}

/** The servers that run, by their notes. What is left of a killed one is removed. */
function runningServers(folder: string): readonly RunningServer[] {
  return entryNames(folder)
    .filter((name) => name.endsWith(NOTE))
    .flatMap((name) => {
      const note = join(folder, name);
      const read = readIfPresent(note);
      const [pid = "", start = "", space = ""] = read.ok ? (read.value?.toString("utf8") ?? "").split(" ") : [];
      const socket = note.slice(0, -NOTE.length);
      // A container with the same home directory has other process numbers.
      if (space !== "" && space !== processSpace()) return [];
      if (pid !== "" && startOf(Number(pid)) === start && isAlive(Number(pid)))
        return [{ socket, processId: Number(pid) }];
      for (const file of [note, socket]) rmSync(file, { force: true });
      return [];
    });
}

/** The servers of the launcher of a home directory. */
export const serversOf = (homeDir: string | null): readonly RunningServer[] =>
  homeDir === null ? [] : runningServers(join(homeDir, ".kodelet", "resident"));

export const otherServers = (socket: string): readonly RunningServer[] =>
  runningServers(dirname(socket)).filter((one) => one.socket !== socket);
