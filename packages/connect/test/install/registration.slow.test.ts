import { mkdir, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { AGENT_NAMES } from "../../../../src/protocol/agent-names.ts";
import { runInProcess } from "../../../../test/support/in-process.ts";
import { mainScript, workspace } from "../../../../test/support/workspace.ts";
import { testAllowing } from "./missing-program.ts";

const env = { PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, SHELL: "/bin/sh" };

testAllowing(AGENT_NAMES);

describe("codex's login shell", () => {
  test.each([
    ["does not find hookctl on its PATH", "export PATH=/usr/bin:/bin\n"],
    ["finds another hookctl", 'export PATH="DIR/other:/usr/bin:/bin"\n'],
  ])("that %s: doctor's remedy works", async (_, profile) => {
    await using place = await workspace();
    await place.write("other/hookctl", "#!/bin/sh\nexit 0\n", 0o755);
    await mkdir(join(place.dir, "bin"));
    await symlink(mainScript, join(place.dir, "bin/hookctl"));
    const withBin = { ...env, PATH: `${place.dir}/bin:${env.PATH}` };
    await place.write("home/.profile", `export PATH="${withBin.PATH}"\n`);
    await runInProcess(place, "install codex", { env: withBin });
    expect(await place.read("project/.codex/hooks.json")).toContain("exec /bin/sh -c 'hookctl bridge codex");
    await place.write("home/.profile", profile.replaceAll("DIR", place.dir));
    const before = await runInProcess(place, "doctor codex", { env: withBin });
    expect(before).toMatchObject({ stderr: "", code: 1 });
    expect(before.stdout).toContain("Reinstall: hookctl init codex --scope project\n");
    await runInProcess(place, "install codex", { env: withBin });
    const after = await runInProcess(place, "doctor codex", { env: withBin });
    expect(after.stdout).toContain("✔ codex bridge: a test PreToolUse was blocked and allowed as expected\n");
  });
});
