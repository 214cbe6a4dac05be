import { describe, expect, test } from "vitest";
import { runMain } from "../support/in-process.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const TOKEN = `ghp_${"a1B2".repeat(9)}`;

const line = (place: Workspace, id: number, command: string, over: object = {}): string =>
  `${JSON.stringify({
    ...{
      type: "assistant",
      sessionId: "session-1",
      cwd: place.project,
      timestamp: `2026-11-2${id % 10}T10:00:00.000Z`,
    },
    message: {
      role: "assistant",
      content: [{ type: "tool_use", id: `toolu_${String(id).padStart(20, "0")}`, name: "Bash", input: { command } }],
    },
    ...over,
  })}\n`;

const withSessions = async (commands: (place: Workspace) => readonly string[]) => {
  const place = await workspace();
  await place.write("home/.claude/projects/-project/s.jsonl", commands(place).join(""));
  return place;
};

const backtest = (place: Workspace, ...args: readonly string[]) => runMain(place, ["backtest", ...args]);

const settings = (place: Workspace, value: object) =>
  place.write("home/.config/hookctl/config.json", JSON.stringify(value));

describe("hookctl replay --agents", () => {
  test("shows what the guards that are on would have stopped, one habit a line", async () => {
    await using place = await withSessions((at) => [
      line(at, 1, "git push --force origin main"),
      line(at, 2, "git push --force upstream main"),
      line(at, 3, "git status"),
      line(at, 3, "git status"),
      line(at, 4, "rm -rf ~"),
    ]);
    await settings(place, { guards: { git: true } });
    const { stdout, stderr, code } = await backtest(place);
    expect({ stdout, stderr, code }).toEqual({
      stdout: [
        "4 calls of 1 session (claude 4, 2026-11-21 to 2026-11-24)",
        "would have been: 2 blocked, 0 asked, 0 changed (500.0 per 1,000 calls)",
        "",
        "git              2 blocked: 500.0 per 1,000",
        "      2 × block git push --force … force-push",
        "          git push --force origin main  claude 2026-11-21 session-",
        "",
      ].join("\n"),
      stderr: "",
      code: 0,
    });
  });

  test("without hooks all built-in guards judge, and it says so", async () => {
    await using place = await withSessions((at) => [
      line(at, 1, "git push --force origin main"),
      line(at, 2, "rm -rf ~"),
    ]);
    const { stdout, code } = await backtest(place);
    expect(code).toBe(0);
    expect(stdout).toContain("No hook is on: all built-in guards judged, with their defaults.");
    expect(stdout).toMatch(/git +1 blocked/);
    expect(stdout).toMatch(/filesystem +1 blocked/);
  });

  test("prints the same as JSON", async () => {
    await using place = await withSessions((at) => [line(at, 1, "git push --force origin main"), line(at, 2, "ls")]);
    await settings(place, { guards: { git: true } });
    const { stdout } = await backtest(place, "--json");
    expect(JSON.parse(stdout)).toMatchObject({
      ...{ schema: "hookctl.backtest/1", calls: 2, judged: 2, blocked: 1, asked: 0, changed: 0 },
      hooks: [
        {
          ...{ name: "git", blocked: 1, per_thousand: 500 },
          habits: [
            {
              decision: "block",
              rule: "force-push",
              count: 1,
              example: "git push --force origin main",
              agent: "claude",
            },
          ],
        },
      ],
    });
  });

  test("selects calls by time, folder, agent and hook", async () => {
    await using place = await withSessions((at) => [
      line(at, 1, "git push --force origin main"),
      line(at, 2, "rm -rf ~", { cwd: "/elsewhere" }),
    ]);
    const counts = async (...args: readonly string[]) => JSON.parse((await backtest(place, "--json", ...args)).stdout);
    expect(await counts("--since", "2026-11-22")).toMatchObject({ calls: 1, blocked: 1 });
    expect(await counts("--until", "2026-11-21")).toMatchObject({ calls: 1, hooks: [{ name: "git" }] });
    expect(await counts("--project", ".")).toMatchObject({ calls: 1, hooks: [{ name: "git" }] });
    expect(await counts("--hook", "filesystem")).toMatchObject({ calls: 2, hooks: [{ name: "filesystem" }] });
    expect(await backtest(place, "--agent", "codex")).toMatchObject({
      ...{ stdout: "", code: 64 },
      stderr: "✖ No session files were found. (NOTHING_RECORDED)\n  Name files: hookctl replay --agents FILES\n",
    });
  });

  test("names what it could not read or judge", async () => {
    await using place = await withSessions((at) => ["broken\n", line(at, 1, "ls")]);
    await settings(place, { guards: { git: true } });
    await place.hook("own", "exit 2");
    const { stdout, code } = await backtest(place);
    expect(code).toBe(0);
    expect(stdout).toContain("▲ own did not judge:");
    expect(stdout).toContain("• 1 line is broken, or not a call of a known agent");
    expect(await backtest(place, "--agent", "opencode")).toMatchObject({
      code: 64,
      stderr: expect.stringContaining("opencode: it keeps sessions in an SQLite database"),
    });
  });

  test("reads files that are named, of another machine, whose home is not this one", async () => {
    await using place = await workspace();
    const over = { cwd: "/Users/ann/app" };
    const file = await place.write(
      "theirs.jsonl",
      line(place, 1, "rm -rf /Users/ann", over) + line(place, 2, "rm -rf /Users/ann/app/dist", over),
    );
    const { stdout } = await backtest(place, "--json", file);
    expect(JSON.parse(stdout)).toMatchObject({ calls: 2, blocked: 1, hooks: [{ name: "filesystem", blocked: 1 }] });
    expect(await backtest(place, "gone.jsonl")).toMatchObject({ stdout: "", code: 64 });
  });

  test("shows no secret, and no character that steers a terminal", async () => {
    await using place = await withSessions((at) => [
      line(at, 1, `git push --force https://x:${TOKEN}@host/r \u001b[2J`, { sessionId: TOKEN }),
    ]);
    for (const args of [[], ["--json"], ["-v"]]) {
      const { stdout } = await backtest(place, ...args);
      expect(stdout).toContain("git push");
      expect(stdout).not.toContain(TOKEN);
      expect(stdout).not.toContain("\u001b");
    }
  });

  test("writes calls without secrets, ids and the home directory, which another machine judges the same", async () => {
    await using place = await withSessions((at) => [
      line(at, 1, `git push --force https://x:${TOKEN}@host/r`, { cwd: `${at.project}/${TOKEN}` }),
      line(at, 2, `rm -rf ${at.home}`),
      line(at, 3, `rm -rf ${at.project}/build`),
    ]);
    const { stdout, stderr, code } = await backtest(place, "--json", "--export", "calls.jsonl");
    expect({ stderr, code }).toEqual({
      stderr: "• 3 different calls written to calls.jsonl. Read it before you share it.\n",
      code: 0,
    });
    const text = (await place.read("project/calls.jsonl")) ?? "";
    for (const secret of [TOKEN, place.home, "session-1", "toolu_"]) expect(text).not.toContain(secret);
    const again = await backtest(place, "--json", "calls.jsonl");
    const [before, after] = [stdout, again.stdout].map((json) => JSON.parse(json));
    const { calls, blocked, asked } = before;
    expect(after).toMatchObject({ calls, blocked, asked });
    expect(before).toMatchObject({ calls: 3, blocked: 1, asked: 1 });
  });
});
