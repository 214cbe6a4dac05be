import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "vitest";
import { WHY_NO_MACHINE } from "../support/machine.ts";
import { expectUnsafe } from "./unsafe.ts";

describe.skipIf(WHY_NO_MACHINE !== "")(`a machine's folder that does not count${WHY_NO_MACHINE}`, () => {
  test("a folder that everybody may write: what it could block is blocked, and doctor says why", { tags: "slow" }, () =>
    expectUnsafe({
      make: ({ etc }) => chmod(join(etc, "hookctl"), 0o777),
      cause: "/etc/hookctl is writable by group or others",
    }),
  );
});
