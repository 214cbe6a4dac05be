import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { credentialsIn, storedValues } from "../../src/audit/stored-secrets.ts";
import { disk } from "../../src/fs/disk.ts";
import { workspace } from "../support/workspace.ts";

test("a file or folder that changed a moment ago is read at each call, because its times may stay the same", async () => {
  await using work = await workspace();
  const file = join(work.dir, ".netrc");
  writeFileSync(file, "machine example.com login ada password hunter4Qx7\n");
  const [read, list] = [vi.spyOn(disk, "readFileSync"), vi.spyOn(disk, "readdirSync")];
  for (const times of [1, 2, 3]) {
    expect(credentialsIn(work.dir, work.dir)).toEqual([file]);
    expect(storedValues([file])).toEqual(["hunter4Qx7"]);
    expect([read.mock.calls.length, list.mock.calls.length]).toEqual([times, times]);
  }
});
