import { describe, expect, test } from "vitest";
import { printResponse } from "../support/shell.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const BLOCK = printResponse({ blocked: true, reason: "no" });
const NAIVE = `case "$(cat)" in *'rm -rf'*) ${BLOCK} ;; esac`;
/** Stops what it does not know, so that no spelling passes it, and many are false alarms. */
const STRICT = `case "$(cat)" in *'"command":"ls -la"'*) ;; *'"command":"ls -la #'*) ;; *) ${BLOCK} ;; esac`;
/** Every spelling of \`rm\` that it knows is blocked; at the first other one it waits. */
const HANGS = `case "$(cat)" in *'rm -rf'*) ${BLOCK} ;; *tool_input*rm*) exec sleep 3000 ;; esac`;

const aCase = (name: string, command: string, decision: string): object => ({
  ...{ name, event: "before_tool_call", expect: { decision } },
  payload: { tool_name: "bash", tool_input: { command } },
});
const BLOCKS = aCase("blocks rm -rf", "rm -rf build", "block");
const ALLOWS = aCase("allows ls", "ls -la", "continue");
const FAILS = aCase("blocks ls", "ls -la", "block");
const NO_COMMAND = {
  ...{ name: "allows a file", event: "before_tool_call", expect: { decision: "continue" } },
  payload: { tool_name: "read", tool_input: { file_path: "a.txt" } },
};

async function guarded(place: Workspace, body: string, cases: readonly object[]): Promise<void> {
  await place.hook("guard", body);
  await place.write("home/.kodelet/tests/guard.json", JSON.stringify({ hook: "guard", cases }));
}

interface Mutation {
  readonly respellings: number;
  readonly survived: number;
  readonly score: number;
}

interface Report {
  readonly hooks: readonly {
    readonly mutation?: Mutation & {
      readonly cases: readonly object[];
      readonly survivors: readonly {
        readonly kind: string;
        readonly expects: string;
        readonly examples: readonly { readonly command: string }[];
      }[];
    };
  }[];
  readonly mutation?: Mutation;
}

describe("hookctl test --mutate", () => {
  test("lists the survivors of a guard that compares text by kind, and its score", async () => {
    await using place = await workspace();
    await guarded(place, NAIVE, [BLOCKS, ALLOWS, NO_COMMAND]);
    const { stdout, stderr, code } = await place.run(["test", "--mutate"]);
    expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
    expect(stdout).toMatch(/^ {3}400 respellings of 2 cases: \d\d(\.\d)?% keep the decision$/m);
    expect(stdout).toMatch(/^ {3}▲ \d+ respellings of a stopped command are allowed:$/m);
    expect(stdout).toMatch(/^ +\d+ {2}half a word in quotes +\S/m);
    expect(stdout).not.toContain("allowed command");
    expect(stdout).toMatch(/^mutation score \d\d(\.\d)?%: \d+ of 400 respellings survive$/m);
    expect(stdout).toContain("19 passed, 1 hook");
  });

  test("--fail-under sets the exit code", async () => {
    await using place = await workspace();
    await guarded(place, NAIVE, [BLOCKS]);
    const failed = await place.run(["test", "--mutate", "--fail-under", "99"]);
    expect({ stderr: failed.stderr, code: failed.code }).toEqual({ stderr: "", code: 1 });
    expect(failed.stdout).toMatch(/^✖ mutation score .*survive \(--fail-under 99\)\n✖ 17 passed/m);
    const passed = await place.run(["test", "--mutate", "--fail-under", "5"]);
    expect({ stderr: passed.stderr, code: passed.code }).toEqual({ stderr: "", code: 0 });
    expect(passed.stdout).toMatch(/^mutation score .*\n✔ 17 passed/m);
  });

  test("tells false alarms apart, in the JSON report too", async () => {
    await using place = await workspace();
    await guarded(place, STRICT, [BLOCKS, ALLOWS]);
    const { stdout, stderr, code } = await place.run(["test", "--mutate", "--json"]);
    expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
    const { hooks, mutation } = JSON.parse(stdout) as Report;
    expect(hooks[0]?.mutation).toMatchObject({
      respellings: 400,
      survived: mutation?.survived,
      score: mutation?.score,
    });
    expect(hooks[0]?.mutation?.cases).toMatchObject([
      { name: "blocks rm -rf", expects: "stop", respellings: 200, untried: 0, survived: 0 },
      { name: "allows ls", expects: "allow", respellings: 200, untried: 0, survived: mutation?.survived },
    ]);
    const survivors = hooks[0]?.mutation?.survivors ?? [];
    expect(new Set(survivors.map(({ expects }) => expects))).toEqual(new Set(["allow"]));
    expect(survivors.map(({ kind }) => kind)).toContain("absolute path");
    expect(survivors.map(({ kind }) => kind)).not.toContain("before a comment");
    expect(survivors.flatMap(({ examples }) => examples.map(({ command }) => command))).toContain("/bin/ls -la");
  });

  test("a guard that parses commands keeps its decision", async () => {
    await using place = await workspace();
    const cases = [aCase("blocks it", "git reset --hard", "block"), aCase("allows it", "git status", "allow")];
    await place.write("home/.kodelet/tests/git.json", JSON.stringify({ guard: "git", cases }));
    const { stdout, stderr, code } = await place.run(["test", "--mutate", "--fail-under", "100"]);
    expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
    expect(stdout).toContain("mutation score 100%: 0 of 400 respellings survive (--fail-under 100)\n");
  });

  test("a case whose respelling hangs costs one timeout", async () => {
    await using place = await workspace();
    await guarded(place, HANGS, [BLOCKS]);
    const { stdout, stderr, code } = await place.run(["test", "--mutate", "--timeout", "5s", "--jobs", "1"]);
    expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
    expect(stdout).toMatch(/^ {3}• blocks rm -rf: \d+ respellings not tried, because the hook timed out$/m);
  });

  test("only cases that pass are respelled, and without a score a limit is not met", async () => {
    await using place = await workspace();
    await guarded(place, NAIVE, [FAILS, NO_COMMAND]);
    const { stdout, stderr, code } = await place.run(["test", "--mutate", "--fail-under", "1"]);
    expect({ stderr, code }).toEqual({ stderr: "", code: 1 });
    expect(stdout).toContain("✖ no mutation score: no passing case is about a command (--fail-under 1)\n");
  });

  test("without --mutate there is nothing of it", async () => {
    await using place = await workspace();
    await guarded(place, NAIVE, [BLOCKS]);
    const { stdout, stderr, code } = await place.run(["test", "--json"]);
    expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
    expect(stdout).not.toContain("mutation");
  });

  test.each([
    ["--fail-under needs --mutate", ["--fail-under", "99"], "--fail-under needs --mutate."],
    ["the limit is a percentage", ["--mutate", "--fail-under", "101"], "from 1 to 100"],
  ])("%s", async (_, options, message) => {
    await using place = await workspace();
    const { stdout, stderr, code } = await place.run(["test", ...options]);
    expect({ stdout, code }).toEqual({ stdout: "", code: 64 });
    expect(stderr).toContain(message);
  });
});
