import { basename, dirname, join } from "node:path";
import { realPathOrNull, realPathOrSame } from "../../../src/fs/paths.ts";
import { shortText } from "../../../src/fs/read-file.ts";
import type { Examined } from "../../guards/examine.ts";
import { addWrittenFiles, readWrittenFiles } from "../written-record.ts";
import type { CallMemory } from "./memory.ts";

type Scripts = ReadonlyMap<string, string>;

const MOST_SCRIPTS = 8;
const MOST_BYTES = 65_536;

/** The call with the effects of the files that it starts and that the agent wrote before, and of those that these start. */
export async function withWrittenScripts(
  first: Examined,
  examineWith: (scripts: Scripts) => Promise<Examined>,
  { folder, nowMs }: Pick<CallMemory, "folder" | "nowMs">,
): Promise<Examined> {
  const written = new Set(await readWrittenFiles(folder, nowMs));
  const scripts = new Map<string, string>();
  let examined = first;
  for (;;) {
    const before = scripts.size;
    for (const path of unreadIn(examined)) {
      const text = scripts.size < MOST_SCRIPTS && !scripts.has(path) ? textOf(path, written) : null;
      if (text !== null) scripts.set(path, text);
    }
    if (scripts.size === before) return examined;
    examined = await examineWith(new Map(scripts));
  }
}

/** The files whose text a call would run or use. */
export const unreadIn = ({ commands }: Examined): readonly string[] => commands.flatMap(({ unread = [] }) => unread);

/** The text of a file that the agent wrote; null for any other file, and if it is too long or no text. */
function textOf(path: string, written: ReadonlySet<string>): string | null {
  const real = realPathOrNull(path);
  return real !== null && written.has(real) ? shortText(real, MOST_BYTES) : null;
}

/** Remembers the paths of files that a call writes. */
export async function noteWritten(paths: readonly string[], { folder, nowMs }: CallMemory): Promise<void> {
  const real = paths.map((path) => realPathOrNull(path) ?? join(realPathOrSame(dirname(path)), basename(path)));
  await addWrittenFiles(folder, nowMs, [...new Set(real)]);
}
