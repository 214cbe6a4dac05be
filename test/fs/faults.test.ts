import { describe, expect, test, vi } from "vitest";
import { disk } from "../../src/fs/disk.ts";
import { mayBeFolder, mayExist } from "../../src/fs/paths.ts";
import { runMain } from "../support/in-process.ts";
import { toolCall } from "../support/payloads.ts";
import { workspace } from "../support/workspace.ts";

const errorOf = (code: string) => Object.assign(new Error(code), { code });
const inProject = { scope: "project" } as const;

describe("what decides which hooks run", () => {
  const failing = (code: string) =>
    vi.spyOn(disk, "statSync").mockImplementation(() => {
      throw errorOf(code);
    });

  test.each([
    ["EACCES", true],
    ["EPERM", true],
    ["ELOOP", false],
    ["ENAMETOOLONG", false],
  ])("%s: it may be there is %s", (code, expected) => {
    using _ = failing(code);
    expect([mayBeFolder("/a"), mayExist("/a")]).toEqual([expected, expected]);
  });

  test.each(["EIO", "EMFILE", "ENFILE", "ENOMEM", "ESTALE"])("%s is no missing place, and is thrown", (code) => {
    using _ = failing(code);
    for (const look of [mayBeFolder, mayExist]) expect(() => look("/a")).toThrow(code);
  });

  test("a fault at any one look at the project lets no call pass unseen", async () => {
    await using place = await workspace();
    await place.hook("guard", 'echo \'{"blocked":true,"reason":"no"}\'', inProject);
    const approved = ["run", "before_tool_call", "--trust"];
    expect(await runMain(place, approved, { stdin: toolCall() })).toMatchObject({ code: 2 });
    const looked = vi.spyOn(disk, "statSync");
    await runMain(place, approved, { stdin: toolCall() });
    const looks = looked.mock.calls.length;
    looked.mockRestore();
    expect(looks).toBeGreaterThan(5);
    const { statSync } = disk;
    for (let failed = 0; failed < looks; failed++) {
      let count = 0;
      using _ = vi.spyOn(disk, "statSync").mockImplementation((path, options) => {
        if (count++ === failed) throw errorOf("EIO");
        return statSync(path, options);
      });
      expect((await runMain(place, approved, { stdin: toolCall() })).code, `look ${failed}`).not.toBe(0);
    }
  });
});
