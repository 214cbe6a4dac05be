import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { workspace } from "../../../test/support/workspace.ts";

const ALLOWED = expect.stringContaining("✔ Allowed");

test.each([
  {
    name: "x.sh",
    content: "#!/bin/sh\nrm -rf ~\n",
    starts: "bash x.sh",
    part: "`rm -rf ~` deletes the home directory (in ./x.sh)",
  },
  {
    name: "x.sh",
    content: "#!/bin/sh\nrm -rf ~\n",
    starts: "./x.sh",
    part: "`rm -rf ~` deletes the home directory (in ./x.sh)",
  },
  {
    name: "x.py",
    content: 'import os, shutil\nshutil.rmtree(os.path.expanduser("~"))\n',
    starts: "python3 x.py",
    part: "deletes the home directory",
  },
  { name: "x.sh", content: "#!/bin/sh\nnpm test\n", starts: "bash x.sh", part: null },
])("run: $starts after a tool wrote $content", async ({ name, content, starts, part }) => {
  await using place = await workspace();
  await place.write("home/.kodelet/hooks.json", JSON.stringify({ guards: { filesystem: true } }));
  const path = join(place.project, name);
  const before = (tool_name: string, tool_input: object) =>
    place.run(["run", "before_tool_call"], { stdin: JSON.stringify({ conv_id: "s1", tool_name, tool_input }) });
  await place.write(path, content);
  expect(await before("bash", { command: starts })).toMatchObject({
    code: 0,
    stdout: '{"blocked":false}\n',
    stderr: ALLOWED,
  });
  expect(await before("Write", { file_path: path, content })).toMatchObject({
    code: 0,
    stdout: '{"blocked":false}\n',
    stderr: ALLOWED,
  });
  await chmod(path, 0o755);
  const { stdout, stderr, code } = await before("bash", { command: starts });
  expect({ stdout, stderr, code }).toEqual(
    part === null
      ? { stdout: '{"blocked":false}\n', stderr: ALLOWED, code: 0 }
      : { stdout: expect.stringContaining(part), stderr: expect.stringContaining("Blocked by filesystem"), code: 2 },
  );
});
