import { describe, expect, test } from "vitest";
import { runInProcess } from "../support/in-process.ts";
import { ANSWERS, approved, clone, ENTRIES, outcome, PAYLOAD, PUSH, run, testAnswers } from "./consent.ts";

describe.each(ENTRIES)("an entry of a project with $scheme", ({ scheme, entry }) => {
  test("is refused where nobody can be asked, and the point goes on", async () => {
    await using place = await clone(entry);
    for (const flags of ["", "--ask"]) {
      expect(await run(place, flags)).toMatchObject({
        code: 0,
        stdout: expect.stringContaining("notes is not approved"),
      });
      expect(await outcome(place)).toBe("refused");
    }
    expect(await place.read("ran")).toBeNull();
  });

  test("runs without a question once it is approved, and for one call with --trust", async () => {
    await using place = await clone(entry);
    await run(place, "--trust");
    expect(await outcome(place)).toBe("continue");
    expect(await approved(place)).toBe(0);
    await runInProcess(place, "trust --yes");
    expect(await run(place)).toMatchObject({ stderr: "", code: 0 });
    expect(await outcome(place)).toBe("continue");
    const shells = (await runInProcess(place, "log --last 1")).stdout
      .split("\n")
      .filter((line) => line.startsWith("  "));
    expect(shells).toEqual(scheme === "template_push" ? [] : [expect.stringContaining(`${scheme}: `)]);
  });

  testAnswers({ scheme, entry }, ANSWERS.slice(0, scheme === "shell_exec" ? 1 : 0));
});

test("a digest of the project in HOOKCTL_TRUST stands for the question, where nobody can be asked", async () => {
  await using place = await clone(() => ({ shell_exec: ":", sandbox: "off" }));
  const digest = (await runInProcess(place, "trust --digest")).stdout.trim();
  await runInProcess(place, "run turn_end -q", { stdin: PAYLOAD, env: { HOOKCTL_TRUST: digest } });
  expect(await outcome(place)).toBe("continue");
});

test("an approval is kept in trust.json, or in the file that HOOKCTL_TRUST_STORE names", async () => {
  await using place = await clone(() => ({ shell_exec: ":", sandbox: "off" }));
  const env = { HOOKCTL_TRUST_STORE: "DIR/elsewhere.json" };
  expect(await runInProcess(place, "trust --yes", { env })).toMatchObject({ code: 0 });
  expect(await place.read("elsewhere.json")).toContain("notes");
  expect(await place.read("home/.local/state/hookctl/trust.json")).toBeNull();
  await runInProcess(place, "trust --yes");
  expect(await place.read("home/.local/state/hookctl/trust.json")).toContain("notes");
});

test("a script that the command names is covered by the approval: an edit asks again", async () => {
  await using place = await clone(() => ({ shell_push: "sh scripts/next.sh", sandbox: "off" }));
  await place.write("project/.kodelet/scripts/next.sh", PUSH);
  await runInProcess(place, "trust --yes");
  await run(place);
  expect(await outcome(place)).toBe("continue");
  await place.write("project/.kodelet/scripts/next.sh", ":");
  expect(await run(place)).toMatchObject({ code: 0, stdout: expect.stringContaining("changed since you approved it") });
  expect(await outcome(place)).toBe("refused");
});
