import { spawn } from "node:child_process";
import { chmod, mkdir, readdir, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { TEST_REPORTER_NAMES } from "../../src/protocol/reporter-names.ts";
import { makeFifo } from "../support/fifo.ts";
import { runMain } from "../support/in-process.ts";
import { parseTestJson } from "../support/json-test-output.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const CASES = {
  hook: "guard",
  cases: [
    {
      name: "blocks rm -rf",
      event: "before_tool_call",
      payload: { tool_input: { command: "rm -rf build" } },
      expect: { decision: "block" },
    },
  ],
};

/** A project with a hook that passes all checks, and whose one case fails. */
async function failingProject(): Promise<Workspace> {
  const place = await workspace();
  await place.hook("guard", "cat > /dev/null", { scope: "project" });
  await place.write("project/.kodelet/tests/guard.json", JSON.stringify(CASES, null, 2));
  return place;
}

async function passingProject(): Promise<Workspace> {
  const place = await workspace();
  await place.hook("guard", "cat > /dev/null", { scope: "project" });
  return place;
}

/** Without what differs from call to call. */
const settled = (text: string): string =>
  text.replaceAll(/[\d.]+ (?:ms|s|min)\b/g, "TIME").replaceAll(/(time="|duration_ms"?: ?)[\d.]+/g, "$1TIME");

const beginnings: Readonly<Record<(typeof TEST_REPORTER_NAMES)[number], string>> = {
  pretty: " ✖ guard ",
  json: '{"schema":"hookctl.test/1"',
  junit: "<?xml",
  tap: "TAP version 14\n",
  github: "::error title=guard%3A blocks rm -rf,file=.kodelet/tests/guard.json,line=4::",
  gitlab: '[{"description":"guard: blocks rm -rf: ',
  sarif: '{"version":"2.1.0"',
};

test.each(TEST_REPORTER_NAMES)("--reporter %s is the answer on stdout, and the exit code stays 1", async (name) => {
  await using place = await failingProject();
  const result = await runMain(place, ["test", ".", "--reporter", name]);
  expect(result).toMatchObject({ stderr: "", code: 1 });
  expect(result.stdout.slice(0, beginnings[name].length)).toBe(beginnings[name]);
});

test("several reports are written at once, each the same as on stdout", { tags: "slow" }, async () => {
  await using place = await failingProject();
  const outputs = TEST_REPORTER_NAMES.flatMap((name) => ["--output", `${name}=out/deep/${name}.txt`]);
  const result = await runMain(place, ["test", ".", ...outputs]);
  expect(result).toMatchObject({ stderr: "", code: 1 });
  for (const name of TEST_REPORTER_NAMES) {
    const alone = await runMain(place, ["test", ".", "--reporter", name]);
    const written = await place.read(`project/out/deep/${name}.txt`);
    if (name !== "pretty") expect(settled(written ?? "")).toBe(settled(alone.stdout));
    expect(written?.startsWith(beginnings[name])).toBe(true);
  }
  expect((await readdir(join(place.project, "out/deep"))).sort()).toEqual(
    TEST_REPORTER_NAMES.map((name) => `${name}.txt`).sort(),
  );
  expect((await stat(join(place.project, "out/deep/tap.txt"))).mode & 0o777).toBe(0o644);
});

test("--json is --reporter json", { tags: "slow" }, async () => {
  await using place = await passingProject();
  const [short, long] = [["--json"], ["--json", "--reporter", "json"]];
  const results = [await runMain(place, ["test", ".", ...short]), await runMain(place, ["test", ".", ...long])];
  for (const result of results) expect(result).toMatchObject({ stderr: "", code: 0 });
  expect(results.map((result) => parseTestJson(result).schema)).toEqual(["hookctl.test/1", "hookctl.test/1"]);
});

describe("wrong words are told before any hook runs", () => {
  const wrong: readonly { readonly args: readonly string[]; readonly stderr: string }[] = [
    {
      args: ["--json", "--reporter", "junit"],
      stderr:
        "✖ --json and --reporter junit cannot be combined. (USAGE_WRONG_WORDS)\n  Try: --reporter junit --output json=FILE\n",
    },
    {
      args: ["--reporter", "juint"],
      stderr:
        '✖ Invalid value "juint" for --reporter: it must be one of pretty, json, junit, tap, github, gitlab, sarif; did you mean junit? (USAGE_BAD_VALUE)\n  All options: hookctl test --help\n',
    },
    {
      args: ["--output", "sarrif=x"],
      stderr:
        '✖ Invalid value "sarrif=x" for --output: it must begin with one of pretty, json, junit, tap, github, gitlab, sarif; did you mean sarif? (USAGE_BAD_VALUE)\n  All options: hookctl test --help\n',
    },
    {
      args: ["--output", "junit"],
      stderr:
        '✖ Invalid value "junit" for --output: the file is missing: junit=FILE (USAGE_BAD_VALUE)\n  All options: hookctl test --help\n',
    },
    {
      args: ["--output", "junit=a", "--output", "tap=./a"],
      stderr:
        '✖ Invalid value "tap=./a" for --output: two reports for one file (USAGE_BAD_VALUE)\n  All options: hookctl test --help\n',
    },
  ];
  test.each(wrong)("$args", async ({ args, stderr }) => {
    await using place = await workspace();
    await place.hook("guard", "touch ran", { scope: "project" });
    const stdout = args.includes("--json") ? expect.stringContaining('"code":"USAGE_WRONG_WORDS"') : "";
    expect(await runMain(place, ["test", ".", ...args])).toMatchObject({ stdout, stderr, code: 64 });
    expect(await place.read("project/ran")).toBeNull();
  });
});

describe("a file that cannot be written is told after the results, and nothing else is lost", () => {
  const faults: readonly {
    readonly title: string;
    readonly file: string;
    readonly cause: string;
    readonly prepare?: (place: Workspace) => Promise<unknown>;
  }[] = [
    { title: "below a file", file: ".kodelet/hooks/guard/x", cause: "ENOTDIR" },
    { title: "a folder", file: ".kodelet", cause: "it is a folder" },
    { title: "a full disk", file: "/dev/full", cause: "ENOSPC" },
    ...[
      "mine\n",
      "{}",
      '{"schema":"mine"}',
      '<?xml version="1.0"?>\n<testsuites name="jest">\n',
      "TAP version 14\n1",
    ].map((text) => ({
      title: `a file with ${JSON.stringify(text)}`,
      file: "report.xml",
      cause: "it exists and hookctl did not write it",
      prepare: (place: Workspace) => place.write("project/report.xml", text),
    })),
    {
      title: "a link that the project brings",
      file: "report.xml",
      cause: "it is a symbolic link",
      prepare: (place) => symlink(join(place.home, "own"), join(place.project, "report.xml")),
    },
    {
      title: "a pipe that nobody reads",
      file: "pipe",
      cause: "ENXIO",
      prepare: async (place) => makeFifo(join(place.project, "pipe")),
    },
  ];
  test.each(faults)("$title", async ({ file, cause, prepare }) => {
    await using place = await passingProject();
    await prepare?.(place);
    const result = await runMain(place, ["test", ".", "--output", `junit=${file}`, "--output", "tap=report.tap"]);
    expect(result).toMatchObject({
      stdout: expect.stringMatching(/^ ✔ guard .*\n\n✔ 16 passed, 1 hook, .*\n$/),
      stderr: `✖ The report was not written to ${file}: ${cause}. (REPORT_NOT_WRITTEN)\n  The results are complete on stdout. Name another file.\n`,
      code: 74,
    });
    expect(await place.read("project/report.tap")).toContain("1..16\n");
    expect(await place.read("home/own")).toBeNull();
    const left = await readdir(place.project, { recursive: true });
    expect(left.filter((name) => name.includes(".hookctl-"))).toEqual([]);
  });

  test("a failed check stays what the exit code says", async () => {
    await using place = await failingProject();
    const result = await runMain(place, ["test", ".", "--output", "junit=.kodelet"]);
    expect(result).toMatchObject({ stderr: expect.stringContaining("(REPORT_NOT_WRITTEN)"), code: 1 });
  });
});

describe.each([
  ["that passes", passingProject],
  ["that fails", failingProject],
])("of a project %s", (_how, project) => {
  test.each(TEST_REPORTER_NAMES)("an earlier report is replaced by a new one: %s", async (name) => {
    await using place = await project();
    for (const by of [name, name, "json"]) {
      const result = await runMain(place, ["test", ".", "--output", `${by}=report`]);
      expect(result.stderr).not.toContain("REPORT_NOT_WRITTEN");
    }
    expect(parseTestJson({ stdout: (await place.read("project/report")) ?? "" }).schema).toBe("hookctl.test/1");
  });
});

test("an empty file becomes a report, its draft is gone, and a pipe gets the report as it is", async () => {
  await using place = await passingProject();
  await place.write("project/report.tap", "");
  const fifo = makeFifo(join(place.dir, "pipe"));
  const reader = spawn("cat", [fifo], { stdio: ["ignore", "pipe", "ignore"] });
  let piped = "";
  reader.stdout.on("data", (part) => {
    piped += part;
  });
  const closed = new Promise((resolve) => reader.on("close", resolve));
  const args = ["test", ".", "--output", "tap=report.tap", "--output", `json=${fifo}`];
  // The reader may not have opened the pipe yet.
  let result = await runMain(place, args);
  while (result.stderr.includes("ENXIO")) result = await runMain(place, args);
  await closed;
  expect(result).toMatchObject({ stderr: "", code: 0 });
  expect(parseTestJson({ stdout: piped }).schema).toBe("hookctl.test/1");
  expect(await place.read("project/report.tap")).toMatch(/^TAP version 14\n/);
  expect((await readdir(place.project)).sort()).toEqual([".kodelet", "report.tap"]);
});

test("files are relative to the folder of -C", async () => {
  await using place = await passingProject();
  const args = ["-C", place.project, "test", ".", "--output", "tap=report.tap"];
  expect(await runMain(place, args, { cwd: place.home })).toMatchObject({ stderr: "", code: 0 });
  expect(await place.read("project/report.tap")).toMatch(/^TAP version 14\n/);
});

describe("in a CI system", () => {
  test("files are named relative to the checkout, where a project may be a part of it", { tags: "slow" }, async () => {
    await using place = await failingProject();
    const pathsWith = async (env: Readonly<Record<string, string>>) => {
      const { stdout } = await runMain(place, ["test", ".", "--reporter", "gitlab"], { env });
      return (JSON.parse(stdout) as { location: { path: string } }[]).map(({ location }) => location.path);
    };
    expect(await pathsWith({ GITHUB_WORKSPACE: place.dir })).toEqual(["project/.kodelet/tests/guard.json"]);
    expect(await pathsWith({ CI_PROJECT_DIR: place.dir })).toEqual(["project/.kodelet/tests/guard.json"]);
    expect(await pathsWith({ GITHUB_WORKSPACE: "/elsewhere" })).toEqual([".kodelet/tests/guard.json"]);
    expect(await pathsWith({})).toEqual([".kodelet/tests/guard.json"]);
  });

  test("the reporter for GitHub adds to the summary of the step, once; others do not", async () => {
    await using place = await failingProject();
    const env = { GITHUB_STEP_SUMMARY: await place.write("summary.md", "before\n") };
    expect(await runMain(place, ["test", ".", "--reporter", "tap"], { env })).toMatchObject({ code: 1 });
    expect(await place.read("summary.md")).toBe("before\n");
    const args = ["test", ".", "--reporter", "github", "--output", "github=annotations.txt"];
    expect(await runMain(place, args, { env })).toMatchObject({ stderr: "", code: 1 });
    const text = (await place.read("summary.md")) ?? "";
    expect(text).toMatch(/^before\n### hookctl: ❌ 1 failed, 16 passed, 1 hook, /);
    expect(text.match(/### hookctl/g)).toHaveLength(1);
    expect(text).toContain("#### ❌ guard: blocks rm \\-rf\n\n```text\n");
  });

  test("a hook cannot give commands to GitHub's runner through the report for a person", async () => {
    await using place = await workspace();
    await place.hook("guard", "cat > /dev/null; echo '##[add-mask]x'", { scope: "project" });
    const plain = await runMain(place, ["test", "."]);
    expect(plain).toMatchObject({ stdout: expect.stringContaining("##[add-mask]x"), code: 1 });
    const inLog = await runMain(place, ["test", "."], { env: { GITHUB_ACTIONS: "true" } });
    expect(inLog).toMatchObject({ stdout: expect.stringContaining("##\\[add-mask]x"), stderr: "", code: 1 });
    expect(inLog.stdout).not.toContain("##[");
  });

  test("a summary that cannot be written is told", async () => {
    await using place = await passingProject();
    await mkdir(join(place.dir, "folder"));
    await chmod(join(place.dir, "folder"), 0o755);
    const env = { GITHUB_STEP_SUMMARY: join(place.dir, "folder") };
    const result = await runMain(place, ["test", ".", "--reporter", "github"], { env });
    expect(result).toMatchObject({
      stdout: expect.stringMatching(/^hookctl: 16 passed, 1 hook, .*\n$/),
      stderr: expect.stringContaining(
        `The report was not written to ${place.dir}/folder: EISDIR. (REPORT_NOT_WRITTEN)`,
      ),
      code: 74,
    });
  });
});

test("with nothing to test the reports say so, too, and the exit code is that of the reason", async () => {
  await using place = await passingProject();
  const result = await runMain(place, ["test", "--reporter", "tap", "--output", "junit=report.xml"]);
  expect(result).toMatchObject({
    stdout: "TAP version 14\nok 1 - is tested [guard] # SKIP guard is not approved, so it was not started.\n1..1\n",
    stderr: expect.stringContaining("(NOTHING_TO_TEST)"),
    code: 77,
  });
  expect(await place.read("project/report.xml")).toContain("<skipped ");
});
