import { join } from "node:path";
import { expect, test } from "vitest";
import { runInProcess } from "../support/in-process.ts";
import { workspace } from "../support/workspace.ts";

const NPM = { npm_execpath: "/usr/lib/node_modules/npm/bin/npx-cli.js", npm_command: "exec" };
const MISTAKE = "lst";

test("hints say npx hookctl where hookctl was started by npm and is not on the PATH", async () => {
  await using place = await workspace();
  const env = { ...NPM, PATH: "/home/ann/.npm/_npx/1/node_modules/.bin:/usr/bin" };
  const { stderr, code } = await runInProcess(place, MISTAKE, { env });
  expect({ stderr, code }).toMatchObject({ code: 64, stderr: expect.stringContaining("npx hookctl --help") });
});

test("hints say hookctl without npm, and where it is on the PATH as well", async () => {
  await using place = await workspace();
  const folder = join(place.dir, "bin");
  await place.write("bin/hookctl", "#!/bin/sh\n", 0o755);
  for (const env of [{}, { ...NPM, PATH: `/x/node_modules/.bin:${folder}` }]) {
    const { stderr } = await runInProcess(place, MISTAKE, { env });
    expect(stderr).toContain("hookctl --help");
    expect(stderr).not.toContain("npx");
  }
});

test("the hints of an answer are the same in a pipe and on a terminal, and JSON stays as it is", async () => {
  await using place = await workspace();
  const env = { ...NPM, PATH: "/usr/bin" };
  const isStdoutTerminal = () => true;
  expect((await runInProcess(place, "list", { env })).stdout).toContain(": npx hookctl init");
  expect((await runInProcess(place, "list", { env, host: { isStdoutTerminal } })).stdout).toContain("npx hookctl init");
  const json = await runInProcess(place, "list --json", { env, host: { isStdoutTerminal } });
  expect(json.stdout).not.toContain("npx");
  const next = await runInProcess(place, "init --yes --agents none", { env });
  expect(next.stdout).toMatch(/undo: npx hookctl off [\s\S]*\nNext:\s+npx hookctl \w+.*\n +npx hookctl doctor /);
});
