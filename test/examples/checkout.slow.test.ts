import { cp } from "node:fs/promises";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { runMain } from "../support/in-process.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const examples = fileURLToPath(new URL("../../hooks-examples", import.meta.url));
const PATH = `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`;

const tested = (place: Workspace, ...words: readonly string[]) =>
  runMain(place, ["test", ...words, "--json"], { env: { PATH } });

test("the folders of the examples pass `hookctl test` as they are checked out", async () => {
  await using place = await workspace();
  await cp(examples, `${place.project}/hooks-examples`, { recursive: true });
  const folders = ["", "/basecoat", "/rotation", "/starter"].map((folder) => `./hooks-examples${folder}`);
  const result = await tested(place, ...folders);
  const output = JSON.parse(result.stdout);
  expect(output.hooks.filter(({ passed }: { readonly passed: boolean }) => !passed)).toEqual([]);
  expect(result).toMatchObject({
    code: 0,
    stderr: `▲ only files directly in ${place.project}/hooks-examples are hooks; these sub-folders with executable files are not searched: basecoat, callers, rotation, starter\n`,
  });
  expect(output.hooks.length).toBeGreaterThan(15);
});

test("a helper in a folder below is passed over, and beside the hooks it fails like a broken hook", async () => {
  await using place = await workspace();
  const hook = `#!/bin/sh\ncase $1 in hook) echo before_tool_call ;; run) "$(dirname "$0")/lib/helper.sh" ;; esac\n`;
  const helper = "#!/bin/sh\necho helped >&2\n";
  await place.write("project/hooks/guard", hook, 0o755);
  await place.write("project/hooks/lib/helper.sh", helper, 0o755);
  expect(await tested(place, "./hooks")).toMatchObject({ code: 0, stderr: expect.stringContaining("searched: lib\n") });
  await place.write("project/hooks/helper.sh", helper, 0o755);
  const result = await tested(place, "./hooks");
  expect(result.code).toBe(1);
  const failed = JSON.parse(result.stdout).hooks.filter(({ passed }: { readonly passed: boolean }) => !passed);
  expect(failed).toMatchObject([{ name: "helper.sh" }]);
  expect(JSON.stringify(failed)).toContain("A helper that is not a hook belongs in a sub-folder.");
});
