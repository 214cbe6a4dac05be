import { describe, expect, test } from "vitest";
import { runInProcess, runMain } from "../support/in-process.ts";
import { parseRunJson } from "../support/json-output.ts";
import { hasScript, hookctl, runOnTerminal } from "../support/on-terminal.ts";
import { workspace } from "../support/workspace.ts";
import { ANSWERS, ASK, FILE, home, PAYLOAD, PUSH, RAN, REFUSED, run, testAnswers } from "./own-commands.ts";

test("own commands need no approval where nothing is said", async () => {
  await using place = await home({});
  expect(await run(place)).toMatchObject({ hooks: RAN, warnings: [] });
});

describe("with own_commands: ask", () => {
  test("an own command is not started before it is approved, and nothing hangs where nobody can be asked", async () => {
    await using place = await home(ASK);
    for (const flags of ["", "--ask", "--trust"]) {
      expect(await run(place, flags)).toMatchObject({ decision: "continue", hooks: REFUSED });
    }
    const digest = (await runInProcess(place, "trust --digest")).stdout.trim();
    expect(await run(place, "", { HOOKCTL_TRUST: digest })).toMatchObject({ hooks: REFUSED });
    expect(await place.read("ran")).toBeNull();
  });

  test("trust shows it and approves it, once for every project", async () => {
    await using place = await home(ASK);
    expect((await runInProcess(place, "trust --show")).stdout).toContain("notes");
    expect(await runInProcess(place, "trust notes")).toMatchObject({ code: 0 });
    expect(await run(place)).toMatchObject({ hooks: RAN, warnings: [] });
    await place.write("project/.kodelet/hooks.json", JSON.stringify({ hooks: { turn_end: [{ inject: "theirs" }] } }));
    await runInProcess(place, "trust --yes");
    expect((await run(place)).hooks).toMatchObject([{ outcome: "continue" }, RAN[0], RAN[1]]);
    await place.write("elsewhere/.kodelet/.keep", "");
    const elsewhere = await runMain(place, ["run", "turn_end", "--json", "-q"], {
      stdin: PAYLOAD,
      cwd: `${place.dir}/elsewhere`,
    });
    expect(parseRunJson(elsewhere)).toMatchObject({ hooks: RAN });
    expect((await runInProcess(place, "trust --list --json")).stdout).toContain("notes");
  });

  test("another command asks again, and so does an edited script", async () => {
    await using place = await home(ASK, { shell_push: "sh scripts/next.sh" });
    await place.write("home/.kodelet/scripts/next.sh", PUSH);
    await runInProcess(place, "trust --yes");
    expect(await run(place)).toMatchObject({ hooks: RAN });
    await place.write("home/.kodelet/scripts/next.sh", `: > ${place.dir}/ran; ${PUSH}`);
    const changed = [{ outcome: "refused", failure: { code: "HOOK_REFUSED_CHANGED" } }, {}];
    expect(await run(place)).toMatchObject({ decision: "continue", hooks: changed });
    await runInProcess(place, "trust --yes");
    expect(await run(place)).toMatchObject({ hooks: RAN });
    const text = (await place.read(FILE)) ?? "";
    await place.write(FILE, text.replace("sh scripts", "sh ./scripts"));
    expect(await run(place)).toMatchObject({ hooks: changed });
  });

  test("the digest of a project is that of the project, whatever is of one's own", async () => {
    await using place = await home(ASK);
    const template = { on: "turn_end", name: "theirs", template_push: { message: "m" } };
    await place.write("project/.kodelet/hooks.json", JSON.stringify({ hooks: [template] }));
    const digest = (await runInProcess(place, "trust --digest")).stdout.trim();
    const result = await run(place, "", { HOOKCTL_TRUST: digest });
    expect(result.hooks).toMatchObject([{ name: "theirs", outcome: "continue" }, ...REFUSED]);
  });

  test("a denied one never runs", async () => {
    await using place = await home(ASK);
    await runInProcess(place, "untrust --deny notes");
    expect(await run(place)).toMatchObject({ hooks: [{ failure: { code: "HOOK_REFUSED_DENIED" } }, {}] });
  });

  test("a closed command is a guard and needs none; one that the user closes by name blocks until it is approved", async () => {
    await using guard = await home(ASK, { shell_push: undefined, shell_exec: "exit 1", fail_open: false });
    expect(await run(guard)).toMatchObject({ decision: "halt", hooks: [{ outcome: "failed" }, {}] });
    await using named = await home(ASK);
    const text = JSON.parse((await named.read(FILE)) ?? "{}");
    await named.write(FILE, JSON.stringify({ ...text, overrides: { notes: { required: true } } }));
    expect(await run(named)).toMatchObject({ decision: "halt", hooks: [{ outcome: "refused" }, {}] });
  });

  test("a project cannot say it, and its own entries are not let in by it", async () => {
    await using place = await workspace();
    await place.write("project/.kodelet/hooks.json", JSON.stringify({ settings: { own_commands: "allow" } }));
    expect(await runInProcess(place, "list")).toMatchObject({
      code: 78,
      stderr: expect.stringContaining("own_commands"),
    });
  });

  testAnswers(ANSWERS.slice(0, 1));
});

describe("with on_untrusted: ask", () => {
  test("nothing is asked and nothing more is said where there is no terminal", async () => {
    await using place = await home({ ...ASK, on_untrusted: "ask" });
    const result = await runInProcess(place, "run turn_end -q", { stdin: PAYLOAD });
    expect(result).toMatchObject({ stderr: "", code: 0, stdout: expect.stringContaining("notes is not approved") });
  });

  test.skipIf(!hasScript)(
    "a project's hook is asked about on a terminal (needs script of util-linux) without --ask",
    async () => {
      await using place = await home({ on_untrusted: "ask" });
      const template = { on: "turn_end", name: "theirs", template_push: { message: "m" } };
      await place.write("project/.kodelet/hooks.json", JSON.stringify({ hooks: [template] }));
      const line = `${hookctl} run turn_end < payload.json > out.json 2> err.txt`;
      expect(await runOnTerminal(place, line, ["y\n"])).toMatchObject({
        code: 0,
        shown: expect.stringContaining("theirs"),
      });
      expect(await place.read("project/out.json")).toContain('"pushes"');
    },
  );
});
