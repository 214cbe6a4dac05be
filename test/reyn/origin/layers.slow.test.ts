import { rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runInProcess } from "../../support/in-process.ts";
import { type Workspace, workspace } from "../../support/workspace.ts";
import { at, contents } from "./stage.ts";

/** The operator's layer, the one that grows at run time, and one of a folder of its own in place of one for each agent. */
const STARTUP = "project/reyn.yaml";
const RUNTIME = "project/.reyn/hooks.yaml";
const FOLDER = "project/part/.kodelet/hooks.yaml";
const text = (message: string): string =>
  `hooks:\n  - on: turn_end\n    template_push: { message: ${message}, wake: true }\n`;
const NO_SCHEME = "hooks:\n  - on: turn_end\n";

async function layers(files: Readonly<Record<string, string>>): Promise<Workspace> {
  const place = await workspace();
  await place.write("project/part/.keep", "");
  for (const [path, content] of Object.entries(files)) await place.write(path, content);
  await approve(place);
  return place;
}
const approve = (place: Workspace) => runInProcess(place, "trust --yes -C part");

/** The texts that a turn's end pushes in the folder of the part. */
async function pushed(place: Workspace): Promise<readonly string[]> {
  await at(place, "turn_end", {}, "-C part");
  return (await contents(place)).map((content) => content.replace("[hook:turn_end] ", "")).sort();
}

/** test_2073_per_agent_hooks.py: 8 of 8. There is no file for an agent; a folder's own stands for it. */
describe("a layer of a folder's own", () => {
  test("load_per_agent_hooks_reads_scoped_file: its file is read where it is meant, and only there", async () => {
    await using place = await layers({ [FOLDER]: text("agent") });
    expect(await pushed(place)).toEqual(["agent"]);
    expect(await at(place, "turn_end")).toEqual({ stdout: "{}\n", stderr: "", code: 0 });
  });

  test("load_per_agent_hooks_absent_is_empty: without the file there is nothing, and no fault", async () => {
    await using place = await layers({});
    expect(await at(place, "turn_end", {}, "-C part")).toEqual({ stdout: "{}\n", stderr: "", code: 0 });
  });

  test("boot_combines_all_three_layers_additively: the hooks of all three run", async () => {
    await using place = await layers({
      [STARTUP]: text("startup"),
      [RUNTIME]: text("runtime"),
      [FOLDER]: text("agent"),
    });
    expect(await pushed(place)).toEqual(["agent", "runtime", "startup"]);
  });

  test("boot_per_agent_only_no_runtime: it needs no run-time layer", async () => {
    await using place = await layers({ [STARTUP]: text("startup"), [FOLDER]: text("agent") });
    expect(await pushed(place)).toEqual(["agent", "startup"]);
  });

  test("reapply_rereads_per_agent_layer: a changed file counts once it is approved, and until then the approved one", async () => {
    await using place = await layers({
      [STARTUP]: text("startup"),
      [RUNTIME]: text("runtime"),
      [FOLDER]: text("agent_v1"),
    });
    await place.write(FOLDER, text("agent_v2"));
    expect(await pushed(place)).toEqual(["agent_v1", "runtime", "startup"]);
    await approve(place);
    expect(await pushed(place)).toEqual(["agent_v2", "runtime", "startup"]);
  });

  test("reapply_handles_per_agent_removal: of a removed file nothing is left once that is approved", async () => {
    await using place = await layers({
      [STARTUP]: text("startup"),
      [RUNTIME]: text("runtime"),
      [FOLDER]: text("agent"),
    });
    await rm(join(place.dir, FOLDER));
    await approve(place);
    expect(await pushed(place)).toEqual(["runtime", "startup"]);
  });

  test("bad_per_agent_keeps_startup_and_runtime: a fault in it takes no other layer out", async () => {
    await using place = await layers({ [STARTUP]: text("startup"), [RUNTIME]: text("runtime"), [FOLDER]: NO_SCHEME });
    expect(await pushed(place)).toEqual(["runtime", "startup"]);
  });

  test("bad_runtime_keeps_startup_and_per_agent: and a fault in the run-time layer takes none of them out", async () => {
    await using place = await layers({ [STARTUP]: text("startup"), [RUNTIME]: NO_SCHEME, [FOLDER]: text("agent") });
    expect(await pushed(place)).toEqual(["agent", "startup"]);
  });
});

/** test_2073_s2b_hooks_seam.py: 7 of 7. */
describe("the run-time layer", () => {
  test("validate_accepts_good_hooks: a sound file is approved and runs", async () => {
    await using place = await layers({ [RUNTIME]: text("hi") });
    expect(await pushed(place)).toEqual(["hi"]);
  });

  test("validate_rejects_bad_hooks: a file with a bad entry has no effect at all, and the entry is named", async () => {
    await using place = await layers({ [RUNTIME]: `${text("hi")}  - on: turn_end\n` });
    const result = await at(place, "turn_end");
    expect(result).toMatchObject({ code: 0, stdout: expect.stringContaining("hooks[1]") });
    expect(await contents(place)).toEqual([]);
  });

  test("replace_registry_swaps_live: the next point finds the new hooks, and none of the old ones", async () => {
    await using place = await layers({ [RUNTIME]: text("old") });
    expect(await pushed(place)).toEqual(["old"]);
    await place.write(RUNTIME, text("new"));
    await approve(place);
    expect(await pushed(place)).toEqual(["new"]);
  });

  test("boot_layers_startup_and_runtime: both run from the first point on", async () => {
    await using place = await layers({ [STARTUP]: text("startup"), [RUNTIME]: text("runtime") });
    expect(await pushed(place)).toEqual(["runtime", "startup"]);
  });

  test("reapply_recombines_runtime_preserving_startup: a change of one layer leaves the other as it is", async () => {
    await using place = await layers({ [STARTUP]: text("startup"), [RUNTIME]: text("runtime_v1") });
    await place.write(RUNTIME, text("runtime_v2"));
    await approve(place);
    expect(await pushed(place)).toEqual(["runtime_v2", "startup"]);
  });

  test("reapply_handles_runtime_removal: an emptied layer leaves only the other", async () => {
    await using place = await layers({ [STARTUP]: text("startup"), [RUNTIME]: text("runtime") });
    await place.write(RUNTIME, "hooks: []\n");
    await approve(place);
    expect(await pushed(place)).toEqual(["startup"]);
  });

  test("boot_resilience_malformed_runtime_degrades_to_startup: a broken layer does not stop the start", async () => {
    await using place = await layers({ [STARTUP]: text("startup"), [RUNTIME]: NO_SCHEME });
    expect(await pushed(place)).toEqual(["startup"]);
  });
});

/** test_2073_s3_hooks_write_op.py: an agent has no tool that adds hooks. 2 of 8 have a side here, the others are left out. */
describe("a hook that an agent writes into the run-time layer", () => {
  test("hooks_add_rejects_invalid_hook differs: a bad one is refused when the file is read, with its place", async () => {
    await using place = await layers({
      [RUNTIME]: "hooks:\n  - { on: not_a_point, template_push: { message: hi } }\n",
    });
    expect(await at(place, "turn_end")).toMatchObject({ code: 0, stdout: expect.stringContaining("hooks[0].on") });
  });

  test("e2e_agent_adds_hook_applies_at_boundary differs: it runs at the next point, but only once a person has approved it", async () => {
    await using place = await layers({});
    await place.write(RUNTIME, text("self-go"));
    expect(await pushed(place)).toEqual([]);
    await approve(place);
    expect(await pushed(place)).toEqual(["self-go"]);
  });
});
