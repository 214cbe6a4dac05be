import { rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runInProcess } from "../support/in-process.ts";
import { toolCall } from "../support/payloads.ts";
import { printResponse } from "../support/shell.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const DIFFERS = "HOOKCTL_TRUST is not the digest of this project's hooks";
const GUARD = JSON.stringify({ hooks: { PreToolUse: [{ name: "guard", block: "frozen" }] } });

/** What a person had in the project when the digest was computed, and how it went. */
const losses: { title: string; path: string; text: string; lose: (place: Workspace) => Promise<unknown> }[] = [
  {
    title: "its only executable was deleted",
    path: "project/.kodelet/hooks/guard",
    text: `#!/bin/sh\n[ "$1" = hook ] && echo before_tool_call && exit\n${printResponse({ blocked: true, reason: "frozen" })}\n`,
    lose: (place) => rm(join(place.project, ".kodelet/hooks/guard")),
  },
  {
    title: "its only settings file was deleted",
    path: "project/.kodelet/hooks.json",
    text: GUARD,
    lose: (place) => rm(join(place.project, ".kodelet/hooks.json")),
  },
  {
    title: "its only shared file was emptied",
    path: "project/hooks.json",
    text: GUARD,
    lose: (place) => place.write("project/hooks.json", "{}"),
  },
  {
    title: "its only shared file is broken",
    path: "project/hooks.json",
    text: GUARD,
    lose: (place) => place.write("project/hooks.json", "{"),
  },
];

const call = (place: Workspace, args: string, digest: string) =>
  runInProcess(place, args, { stdin: toolCall(), env: { HOOKCTL_TRUST: digest } });
const RUN = "run before_tool_call";

describe.each(losses)("a digest of a project: $title", ({ path, text, lose }) => {
  const lost = async (place: Workspace): Promise<string> => {
    await place.write(path, text, 0o755);
    const digest = (await runInProcess(place, "trust --digest")).stdout.trim();
    expect(await call(place, RUN, digest)).toMatchObject({ code: 2 });
    expect((await call(place, `${RUN} --strict`, digest)).code).toBe(2);
    await lose(place);
    return digest;
  };

  test("is a warning in each call", async () => {
    await using place = await workspace();
    const digest = await lost(place);
    expect(await call(place, RUN, digest)).toMatchObject({ code: 0, stderr: expect.stringContaining(DIFFERS) });
    expect((await call(place, "list --json", digest)).stdout).toContain(DIFFERS);
    expect((await call(place, `${RUN} --dry-run`, digest)).stderr).toContain(DIFFERS);
  });

  test("with --strict the call exits with 77", async () => {
    await using place = await workspace();
    const digest = await lost(place);
    const ended = [`${RUN} --strict`, `${RUN} --strict --json`, `${RUN} --strict -q`, `${RUN} --dry-run --strict`];
    const isBroken = (await runInProcess(place, "list")).code === 78;
    for (const line of [...ended, "list --strict"]) {
      const { code, stderr } = await call(place, line, digest);
      // The broken file itself ends a cold command with 78.
      expect({ line, code }).toEqual({ line, code: isBroken && /dry-run|list/.test(line) ? 78 : 77 });
      expect(stderr).toContain("(TRUST_DIGEST_DIFFERS)");
    }
  });

  test("with on_untrusted: fail the call exits with 77, unless a hook blocks", async () => {
    await using place = await workspace();
    await place.write("home/.kodelet/hooks.json", '{"settings":{"on_untrusted":"fail"}}');
    const digest = await lost(place);
    const result = await call(place, RUN, digest);
    expect(result).toMatchObject({ code: 77, stdout: expect.stringContaining('"blocked":false') });
    expect(result.stderr).toContain("(TRUST_DIGEST_DIFFERS)");
    await place.hook("own", printResponse({ blocked: true, reason: "no" }));
    expect(await call(place, RUN, digest)).toMatchObject({ code: 2 });
  });
});

test("on_untrusted: fail and --strict say nothing of a digest that fits, or of none", async () => {
  await using place = await workspace();
  await place.write("home/.kodelet/hooks.json", '{"settings":{"on_untrusted":"fail"}}');
  await place.hook("own", printResponse({}), { scope: "project" });
  const digest = (await runInProcess(place, "trust --digest")).stdout.trim();
  for (const line of [RUN, `${RUN} --strict`, "list --strict", "test"])
    expect(await call(place, line, digest)).toMatchObject({ code: 0 });
  await rm(join(place.project, ".kodelet/hooks/own"));
  for (const line of [RUN, `${RUN} --strict`, "list --strict"])
    expect(await call(place, line, "")).toMatchObject({ code: 0 });
});

test("test exits with 77 where other hooks are left", async () => {
  await using place = await workspace();
  await place.hook("own", printResponse({}));
  expect((await call(place, "test", "sha256:0")).code).toBe(0);
  expect(await call(place, "test --strict", "sha256:0")).toMatchObject({
    code: 77,
    stderr: expect.stringContaining("(TRUST_DIGEST_DIFFERS)"),
  });
});
