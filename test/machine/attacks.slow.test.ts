import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { giveToUser } from "../support/as-user.ts";
import { parseListJson, parseRunJson } from "../support/json-output.ts";
import { machine, WHY_NO_MACHINE } from "../support/machine.ts";
import { toolCall } from "../support/payloads.ts";
import { workspace } from "../support/workspace.ts";
import { DANGEROUS, expectBlocked, GUARD, OTHER_ATTACKS, settings } from "./attacks.ts";

const BRIDGE = [join(import.meta.dirname, "../../bin/hookctl.js"), "bridge", "claude", "--event", "PreToolUse"];

describe.skipIf(WHY_NO_MACHINE !== "")(`a user cannot take a hook of the machine away${WHY_NO_MACHINE}`, () => {
  test.each(OTHER_ATTACKS)("with $title", expectBlocked);

  test("with a depth of its own: the call is blocked, whoever asks", async () => {
    await using place = await workspace();
    await using there = await machine();
    await there.hook("guard", GUARD);
    await giveToUser(place);
    const stdin = JSON.stringify({ hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "ls" } });
    const call = { stdin, env: { HOOKCTL_DEPTH: "3" } };
    const asked = await there.runAsUser(place, ["bridge", "claude", "--event", "PreToolUse"], call);
    expect(asked.stdout).toContain('"permissionDecision":"deny"');
    expect((await there.runAsUser(place, ["run", "before_tool_call"], { ...call, stdin: DANGEROUS })).code).toBe(75);
  });

  test("by a working directory that is gone, without a HOME", async () => {
    await using place = await workspace();
    await using there = await machine();
    await there.hook("guard", GUARD);
    await giveToUser(place);
    const gone = join(place.dir, "gone");
    await mkdir(gone);
    const words = `rmdir '${gone}'; exec "$@"`;
    const hookctl = ["setpriv", "--reuid=54321", "--regid=54321", "--clear-groups", process.execPath];
    const asked = await there.start(["/bin/sh", "-c", words, "sh", ...hookctl, ...BRIDGE], {
      cwd: gone,
      stdin: JSON.stringify({ hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "rm -rf x" } }),
    });
    expect(asked.stdout).toContain('"permissionDecision":"deny"');
  });

  test("its hooks see the machine's environment, and of the user's only what the machine allows", async () => {
    await using place = await workspace();
    await using there = await machine();
    const seen = join(place.dir, "seen");
    await there.hook("guard", `env > ${seen}; printf '{}'`);
    await there.write("hookctl/hooks.json", JSON.stringify({ settings: { env_allow: ["TEAM"] } }));
    await giveToUser(place);
    const env = { TEAM: "a", OTHER: "b", PATH: `${place.dir}:/usr/bin:/bin`, PYTHONPATH: place.dir };
    await there.runAsUser(place, ["run", "before_tool_call"], { stdin: toolCall(), env });
    const lines = (await readFile(seen, "utf8")).split("\n");
    expect(lines).toEqual(expect.arrayContaining(["TEAM=a", "HOME=/etc/hookctl", "PYTHONNOUSERSITE=1"]));
    expect(lines.filter((line) => /^(OTHER|PYTHONPATH)=|hookctl-test/.test(line))).toEqual([
      `HOOKCTL_PROJECT_DIR=${place.project}`,
      `PWD=${place.project}`,
    ]);
  });
});

describe.skipIf(WHY_NO_MACHINE !== "")(`what the machine's settings declare${WHY_NO_MACHINE}`, () => {
  test("counts beside the hooks folder, and a missing required hook blocks", async () => {
    await using place = await workspace();
    await using there = await machine();
    const rule = { name: "no-curl", match: { "tool_input.command": "*curl*" }, block: "no downloads" };
    const overrides = { audit: { required: true } };
    await there.write("hookctl/hooks.json", JSON.stringify({ hooks: { before_tool_call: [rule] }, overrides }));
    // A hook of the user does not stand for the one that the machine requires.
    await place.hook("audit", "printf '{}'");
    await giveToUser(place);
    const run = () => there.runAsUser(place, ["run", "before_tool_call", "--json"], { stdin: toolCall("ls") });
    expect(parseRunJson(await run())).toMatchObject({ decision: "block", decided_by: "audit" });
    await there.hook("audit", "printf '{}'");
    expect(parseRunJson(await run())).toMatchObject({ decision: "continue" });
    const listed = parseListJson(await there.runAsUser(place, ["list", "--json", "--source", "machine"]));
    expect(listed.hooks.map(({ name, source }) => [name, source])).toEqual([
      ["audit", "machine"],
      ["no-curl", "machine"],
    ]);
  });

  test("is a bound for the user's settings: a project hook is not approved by `project_hooks: allow`", async () => {
    await using place = await workspace();
    await using there = await machine();
    await there.write(
      "hookctl/hooks.json",
      JSON.stringify({ settings: { project_hooks: "ask", on_untrusted: "fail" } }),
    );
    await settings({ settings: { project_hooks: "allow", on_untrusted: "warn" } })(place);
    await place.hook("theirs", "printf '{}'", { scope: "project" });
    await giveToUser(place);
    const ran = await there.runAsUser(place, ["run", "before_tool_call", "--json"], { stdin: toolCall("ls") });
    expect(parseRunJson(ran)).toMatchObject({
      decision: "block",
      hooks: [{ name: "theirs", failure: { code: "HOOK_REFUSED_UNTRUSTED" } }],
    });
  });

  test("is a guard that no settings of the user loosen", async () => {
    await using place = await workspace();
    await using there = await machine();
    await there.write("hookctl/hooks.json", JSON.stringify({ guards: { git: true } }));
    const own = { enabled: false, allow: ["git reset --hard"], observe: true, unknown: "allow" };
    await settings({ guards: { git: own, "self-protection": false }, overrides: { git: { enabled: false } } })(place);
    await giveToUser(place);
    const stdin = toolCall("git reset --hard");
    for (const args of [[], ["--no-hooks"], ["--skip", "git"]]) {
      const ran = await there.runAsUser(place, ["run", "before_tool_call", "--json", ...args], { stdin });
      expect(parseRunJson(ran)).toMatchObject({ decision: "block", decided_by: "git" });
      const isTold = parseRunJson(ran).warnings.some((text) => text.includes("the machine's hooks still run"));
      expect(isTold).toBe(args.length > 0);
    }
    const listed = parseListJson(await there.runAsUser(place, ["list", "--json"]));
    expect(listed.hooks.map(({ name, source }) => [name, source])).toEqual([
      ["git", "machine"],
      ["self-protection", "machine"],
    ]);
    const disabled = await there.runAsUser(place, ["disable", "git"]);
    expect(disabled).toMatchObject({ code: 64, stdout: "" });
    expect(disabled.stderr).toContain("git is set for everybody on this machine");
  });

  test("is not for the user to approve, deny or edit", async () => {
    await using place = await workspace();
    await using there = await machine();
    await there.hook("guard", GUARD);
    await giveToUser(place);
    for (const words of [
      ["trust", "guard", "--yes"],
      ["untrust", "guard"],
      ["untrust", "--deny", "guard"],
    ]) {
      const { code, stdout, stderr } = await there.runAsUser(place, words);
      expect({ code, stdout }).toEqual({ code: 64, stdout: "" });
      expect(stderr).toContain("guard is set for everybody on this machine");
      expect(stderr).toContain("/etc/hookctl/hooks/guard");
    }
  });

  test("what root has parsed serves everybody, and nobody else writes it", async () => {
    await using place = await workspace();
    await using there = await machine();
    const asked = join(place.dir, "asked");
    await there.write(
      "hookctl/hooks/guard",
      `#!/bin/sh\n[ "$1" = hook ] && { echo x >> ${asked}; echo before_tool_call; }\n`,
      0o755,
    );
    await there.write("hookctl/hooks.json", "{}");
    await writeFile(asked, "", { mode: 0o666 });
    await giveToUser(place);
    const count = async () => (await readFile(asked, "utf8")).length / 2;
    const run = () => there.runAsUser(place, ["run", "before_tool_call"], { stdin: toolCall() });
    await run();
    await run();
    // The user's own cache is not asked, so each call starts the hook.
    expect(await count()).toBe(2);
    const speed = async () => (await there.runAsUser(place, ["doctor"])).stdout.includes("machine speed");
    expect(await speed()).toBe(true);
    const before = await count();
    // A file that was just written is not cached.
    await new Promise((done) => setTimeout(done, 2100));
    await there.runAsRoot(place, ["list"], { env: { HOME: "/root" } });
    expect(await count()).toBe(before + 1);
    await run();
    expect(await count()).toBe(before + 1);
    expect(await speed()).toBe(false);
    const { uid, mode } = await stat(join(there.cache, "hookctl/identities.json"));
    expect({ uid, mode: mode & 0o777 }).toEqual({ uid: 0, mode: 0o644 });
  });
});
