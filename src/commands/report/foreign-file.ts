import { firstBytes } from "../../fs/read-file.ts";
import { PAGE_START } from "../../report/page/page.ts";

const DATA_START = '{"schema":"hookctl.report/1"';

/** True for a file with something else in it than a report: a misspelt name must not cost a person his work. */
export function isForeignFile(path: string): boolean {
  const start = firstBytes(path, PAGE_START.length);
  return start !== null && start !== "" && start !== PAGE_START && !start.startsWith(DATA_START);
}
