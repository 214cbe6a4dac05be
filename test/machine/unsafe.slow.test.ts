import { chmod, chown, mkdir, rename, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { giveToUser } from "../support/as-user.ts";
import { parseRunJson } from "../support/json-output.ts";
import { machine, WHY_NO_MACHINE } from "../support/machine.ts";
import { toolCall } from "../support/payloads.ts";
import { workspace } from "../support/workspace.ts";
import { expectUnsafe, type Unsafe } from "./unsafe.ts";

const UNSAFE: readonly Unsafe[] = [
  {
    title: "a folder that a group may write",
    make: ({ etc }) => chmod(join(etc, "hookctl/hooks"), 0o775),
    cause: "/etc/hookctl/hooks is writable by group or others",
  },
  {
    title: "a hook that belongs to a user",
    make: ({ etc }) => chown(join(etc, "hookctl/hooks/guard"), 54_321, 0),
    cause: "/etc/hookctl/hooks/guard belongs to another user (uid 54321)",
  },
  {
    title: "a file beside the hooks that belongs to a user",
    make: async ({ etc, write }) => {
      await write("hookctl/lib/words.sh", "");
      await chown(join(etc, "hookctl/lib/words.sh"), 54_321, 0);
    },
    cause: "/etc/hookctl/lib/words.sh belongs to another user (uid 54321)",
  },
  {
    title: "an empty folder of a user: whoever owns it may have emptied it",
    make: async ({ etc }) => {
      await rename(join(etc, "hookctl"), join(etc, "before"));
      await mkdir(join(etc, "hookctl"));
      await chown(join(etc, "hookctl"), 54_321, 0);
    },
    cause: "/etc/hookctl belongs to another user (uid 54321)",
  },
  {
    title: "a link to a folder of a user",
    make: async ({ etc }, { home }) => {
      await rename(join(etc, "hookctl/hooks"), join(etc, "hookctl/before"));
      await symlink(home, join(etc, "hookctl/hooks"));
    },
    cause: "/home: each belongs to another user (uid 54321)",
  },
  {
    title: "a folder that the user may not read",
    make: ({ etc }) => chmod(join(etc, "hookctl"), 0o700),
    cause: "cannot be read (EACCES)",
  },
  {
    title: "settings that cannot be parsed",
    make: ({ write }) => write("hookctl/hooks.json", "{"),
    cause: "/etc/hookctl/hooks.json",
  },
  {
    title: "settings with an unknown key",
    make: ({ write }) => write("hookctl/hooks.json", '{"setings": {}}'),
    cause: "setings",
  },
  {
    title: "settings that a full disk left empty",
    make: ({ write }) => write("hookctl/hooks.json", ""),
    cause: "/etc/hookctl/hooks.json is empty",
  },
];

describe.skipIf(WHY_NO_MACHINE !== "")(`a machine's folder that does not count${WHY_NO_MACHINE}`, () => {
  test.each(UNSAFE)("$title: what it could block is blocked, and doctor says why", expectUnsafe);

  test("links that only root can change count, as package managers make them", async () => {
    await using place = await workspace();
    await using there = await machine();
    await there.write("store/guard", "#!/bin/sh\n[ \"$1\" = hook ] && echo before_tool_call || printf '{}'\n", 0o755);
    await there.write("hookctl/hooks.json", "{}");
    await mkdir(join(there.etc, "hookctl/hooks"));
    await symlink("/etc/store/guard", join(there.etc, "hookctl/hooks/guard"));
    await giveToUser(place);
    const ran = await there.runAsUser(place, ["run", "before_tool_call", "--json"], { stdin: toolCall() });
    expect(parseRunJson(ran)).toMatchObject({ decision: "continue", hooks: [{ name: "guard", outcome: "continue" }] });
    const doctor = await there.runAsUser(place, ["doctor"]);
    expect(doctor.stdout).toContain("/etc/hookctl turns on for every user: guard");
  });

  test.each([
    ["hookctl", 0o700, "/etc/hookctl cannot be read (EACCES)"],
    ["hookctl/hooks", 0o700, "/etc/hookctl/hooks cannot be read (EACCES)"],
    ["hookctl/hooks/guard", 0o700, "it may not be executed (EACCES)"],
  ])("%s with mode %o blocks for a user, and root's doctor says why", async (path, mode, cause) => {
    await using place = await workspace();
    await using there = await machine();
    await there.hook("guard", "printf '{}'");
    await chmod(join(there.etc, path), mode);
    await giveToUser(place);
    const ran = await there.runAsUser(place, ["run", "before_tool_call"], { stdin: toolCall() });
    expect(ran).toMatchObject({ code: 2, stdout: expect.stringContaining(cause) });
    const doctor = await there.runAsRoot(place, ["doctor"], { env: { HOME: "/root" } });
    expect(doctor.stdout).toContain(`▲ machine: not every user may read /etc/${path}: `);
  });

  test("a hook that fails blocks, unless the administrator says otherwise", async () => {
    await using place = await workspace();
    await using there = await machine();
    await there.hook("guard", "exit 1");
    await giveToUser(place);
    const run = async () =>
      parseRunJson(await there.runAsUser(place, ["run", "before_tool_call", "--json"], { stdin: toolCall() }));
    expect(await run()).toMatchObject({ decision: "block", decided_by: "guard" });
    await there.write("hookctl/hooks.json", JSON.stringify({ overrides: { guard: { fail_open: true } } }));
    expect(await run()).toMatchObject({ decision: "continue", hooks: [{ name: "guard", outcome: "failed" }] });
  });
});
