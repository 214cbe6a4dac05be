import { cp } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { runMain } from "../support/in-process.ts";
import { toolCall } from "../support/payloads.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const example = fileURLToPath(new URL("../../hooks-examples/sharing", import.meta.url));
const library = fileURLToPath(new URL("..", import.meta.resolve("cc-safety-net/api")));
const PATH = `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`;
const run = (place: Workspace, args: readonly string[], stdin = "") => runMain(place, args, { env: { PATH }, stdin });

async function added(): Promise<Workspace> {
  const place = await workspace();
  await cp(example, join(place.dir, "sharing"), { recursive: true });
  expect(await run(place, ["add", "../sharing", "--yes"])).toMatchObject({ code: 0 });
  return place;
}

describe("the example pack, a guard that asks cc-safety-net", () => {
  test("waits for an approval that shows the package, then blocks what cc-safety-net denies", {
    tags: "slow",
  }, async () => {
    await using place = await workspace();
    await cp(example, join(place.dir, "sharing"), { recursive: true });
    await cp(library, join(place.project, "node_modules/cc-safety-net"), { recursive: true });
    expect(await run(place, ["add", "../sharing", "--yes"])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("it can load files that are not in the pack"),
    });
    const shown = await run(place, ["trust", "--show", "--json"]);
    expect(JSON.parse(shown.stdout).hooks[0].files.map(({ path }: { readonly path: string }) => path)).toContain(
      join(place.project, "node_modules/cc-safety-net/dist/api.js"),
    );
    expect(await run(place, ["trust", "sharing/safety-net"])).toMatchObject({ code: 0 });
    const blocked = await run(place, ["run", "before_tool_call"], toolCall("cd x && git reset --hard"));
    expect(blocked).toMatchObject({ code: 2, stdout: expect.stringMatching(/"blocked":true.*git reset --hard/) });
    const allowed = await run(place, ["run", "before_tool_call"], toolCall("git commit -m 'no reset --hard'"));
    expect(allowed).toMatchObject({ code: 0, stderr: expect.stringContaining("✔ allow") });
    expect(await run(place, ["test", "sharing/safety-net"])).toMatchObject({ code: 0 });
  });

  test("blocks where the package is not installed, and says so", async () => {
    await using place = await added();
    const result = await run(place, ["run", "before_tool_call"], toolCall("ls"));
    expect(result).toMatchObject({ code: 2, stderr: expect.stringContaining("cc-safety-net") });
  });
});
