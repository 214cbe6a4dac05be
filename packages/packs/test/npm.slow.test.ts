import { spawnSync } from "node:child_process";
import { readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { type CommandOutput, runInProcess } from "../../../test/support/in-process.ts";
import { type NpmRegistry, npmRegistry, type TarEntry } from "../../../test/support/npm-registry.ts";
import { guardText } from "../../../test/support/pack-repository.ts";
import { type Workspace, workspace } from "../../../test/support/workspace.ts";

const PATH = `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`;
const hasNpm = spawnSync("npm", ["--version"], { env: { PATH } }).status === 0;

const call = (place: Workspace, registry: NpmRegistry, args: string): Promise<CommandOutput> =>
  runInProcess(place, args, { env: { PATH, npm_config_registry: registry.url } });
const packageFiles = (reason: string, more: readonly TarEntry[] = []): readonly TarEntry[] => [
  { path: "package/package.json", text: "{}" },
  { path: "package/hooks/guard", text: guardText(reason), mode: 0o755 },
  ...more,
];
const placed = async (place: Workspace): Promise<readonly string[]> =>
  (await readdir(join(place.project, ".kodelet/plugins"), { recursive: true }).catch(() => [])).sort();

describe.skipIf(!hasNpm)("a pack from npm", () => {
  test("is pinned to version and integrity, updated, and restored in the pinned state", async () => {
    await using place = await workspace();
    await using registry = await npmRegistry();
    const integrity = registry.publish("@acme/guards", "1.0.0", packageFiles("one"));
    expect(await call(place, registry, "add npm:@acme/guards@^1.0.0 --yes")).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /^✔ Added acme@guards {3}npm:@acme\/guards at 1\.0\.0 {3}1 file\n✔ Approved acme\/guards\/guard/,
      ),
    });
    const lock = JSON.parse((await place.read("project/.kodelet/hooks.lock")) ?? "");
    expect(lock.packs["acme@guards"]).toMatchObject({
      source: "npm:@acme/guards",
      revision: "^1.0.0",
      version: "1.0.0",
      integrity,
    });

    registry.publish("@acme/guards", "1.1.0", packageFiles("two"));
    registry.publish("@acme/guards", "2.0.0", packageFiles("three"));
    await rm(join(place.project, ".kodelet/plugins"), { recursive: true });
    expect(await call(place, registry, "add")).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^✔ Restored .* at 1\.0\.0/),
    });
    expect(await call(place, registry, "update acme/guards --yes")).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^✔ Updated .* at 1\.1\.0/),
    });

    registry.publish("@acme/guards", "1.1.0", packageFiles("another"));
    await rm(join(place.project, ".kodelet/plugins"), { recursive: true });
    expect(await call(place, registry, "add")).toEqual({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/npm:@acme\/guards no longer has the pinned content: the package 1\.1\.0/),
    });
    expect(await placed(place)).toEqual([]);
  });

  test("runs no script, and takes no settings of the project", async () => {
    await using place = await workspace();
    await using registry = await npmRegistry();
    const scripts = ["preinstall", "install", "postinstall", "prepare", "prepack", "postpack", "prepublish"];
    const mark = `touch ${place.dir}/ran`;
    const manifest = {
      name: "guards",
      version: "1.0.0",
      scripts: Object.fromEntries(scripts.map((name) => [name, mark])),
    };
    registry.publish("guards", "1.0.0", [
      { path: "package/package.json", text: JSON.stringify(manifest) },
      { path: "package/hooks/guard", text: `#!/bin/sh\n${mark}\n`, mode: 0o755 },
      { path: "package/binding.gyp", text: "{}" },
    ]);
    await place.write(
      "project/.npmrc",
      `registry=http://127.0.0.1:1/\nscript-shell=${place.dir}/project/shell\nignore-scripts=false\n`,
    );
    await place.write("project/shell", `#!/bin/sh\n${mark}\n`, 0o755);
    const env = { PATH, npm_config_registry: registry.url, npm_config_ignore_scripts: "false" };
    expect(await runInProcess(place, "add npm:guards", { env })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("✔ Added guards"),
    });
    expect(await place.read("ran")).toBeNull();
    expect(await placed(place)).toEqual(["guards", "guards/hooks", "guards/hooks/guard"]);
  });

  test("with a path that leads out is refused, and nothing is written", async () => {
    await using place = await workspace();
    await using registry = await npmRegistry();
    registry.publish("guards", "1.0.0", packageFiles("one", [{ path: "package/../../../../evil", text: "x" }]));
    expect(await call(place, registry, "add npm:guards --yes")).toEqual({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/npm:guards was refused: .*leads out of the pack/),
    });
    expect(await readdir(place.dir)).toEqual(["home", "project"]);
    expect(await readdir(place.project, { recursive: true })).toEqual([".kodelet", ".kodelet/hooks"]);
  });

  test("is refused if the registry sent another content than it announced", async () => {
    await using place = await workspace();
    await using registry = await npmRegistry();
    registry.publish("guards", "1.0.0", packageFiles("one"), `sha512-${"A".repeat(86)}==`);
    expect(await call(place, registry, "add npm:guards --yes")).toEqual({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/npm:guards could not be fetched: .*integrity/),
    });
  });

  test("that cannot be fetched is reported with the reason, soon", async () => {
    await using place = await workspace();
    const env = { PATH, npm_config_registry: "http://127.0.0.1:9/" };
    expect(await runInProcess(place, "add npm:guards --yes", { env })).toEqual({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/npm:guards could not be fetched: .*request to http:.*127\.0\.0\.1:9/),
    });
  });

  test.each([
    ["npm:guards@9.0.0", /no tag, branch, commit or version "9\.0\.0"/],
    ["npm:nothing", /npm:nothing could not be fetched: .*404/],
    ["npm:empty", /npm:empty has no hooks/],
  ])("%s is a clear problem", async (source, stderr) => {
    await using place = await workspace();
    await using registry = await npmRegistry();
    registry.publish("guards", "1.0.0", packageFiles("one"));
    registry.publish("empty", "1.0.0", [{ path: "package/index.js", text: "x" }]);
    expect(await call(place, registry, `add ${source}`)).toEqual({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(stderr),
    });
  });
});
