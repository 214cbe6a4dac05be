import { chmod, readFile, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type CommandOutput, type InProcessOptions, runInProcess } from "../support/in-process.ts";
import { toolCall } from "../support/payloads.ts";
import { printResponse } from "../support/shell.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const LOG = "home/.local/state/hookctl/audit.jsonl";
const AT = new Date(2026, 2, 4, 14, 2, 11).getTime();
const HOUR_MS = 3_600_000;

/** A log of a run each hour, the last one an hour ago: a block, and before it runs that are allowed. */
const hourlyLog = (place: Workspace, count: number): Promise<string> =>
  place.write(
    LOG,
    Array.from({ length: count }, (_, at) => {
      const isLast = at === count - 1;
      return `${JSON.stringify({
        ...{ schema: "hookctl.record/1", time: new Date(AT - (count - at) * HOUR_MS).toISOString(), run_id: `R${at}` },
        ...{ event: "before_tool_call", tool: "bash", call: `command ${at}`, project: `${place.dir}/p${at % 2}` },
        ...{ decision: isLast ? "block" : "continue", reason: isLast ? "no" : undefined, duration_ms: 40 + at },
        hooks: [{ name: isLast ? "guard" : "logger", outcome: isLast ? "block" : "observed", duration_ms: 30 + at }],
      })}\n`;
    }).join(""),
  );

const report = (place: Workspace, options = "", more: InProcessOptions = {}): Promise<CommandOutput> =>
  runInProcess(place, `report ${options}`, { ...more, host: { nowMs: () => AT, ...more.host } });
const terminal: InProcessOptions = { host: { isStdoutTerminal: () => true } };
const data = async (place: Workspace, options = "") => JSON.parse((await report(place, `--json ${options}`)).stdout);

test("a run of a real hook is on the page", async () => {
  await using place = await workspace();
  await place.hook("guard", printResponse({ blocked: true, reason: "Deleting needs a person." }));
  await runInProcess(place, "run before_tool_call -q", { stdin: toolCall(), host: { nowMs: () => AT } });
  const result = await report(place, "--output -");
  expect(result).toMatchObject({
    stdout: expect.stringMatching(/^<!DOCTYPE html>\n[\s\S]*<\/html>\n$/),
    stderr: "",
    code: 0,
  });
  for (const part of ["guard", "Deleting needs a person.", "4 Mar 2026, 14:02"]) expect(result.stdout).toContain(part);
});

test("--output writes a file that only the user may read, and says how many runs are in it", async () => {
  await using place = await workspace();
  await hourlyLog(place, 5);
  expect(await report(place, "--output page.html")).toEqual({
    stdout: "",
    stderr: "✔ page.html: 5 runs, 1 blocked\n",
    code: 0,
  });
  const file = join(place.project, "page.html");
  expect(await readFile(file, "utf8")).toBe((await report(place, "--output -")).stdout.replaceAll("DIR", place.dir));
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await report(place, "-q --output page.html")).toEqual({ stdout: "", stderr: "", code: 0 });
  expect(await report(place, "--since 2h --json --output page.html")).toMatchObject({
    stderr: "✔ page.html: 2 runs, 1 blocked\n",
    code: 0,
  });
  expect(JSON.parse(await readFile(file, "utf8"))).toMatchObject({ schema: "hookctl.report/1", runs: 2 });
});

describe("a terminal", () => {
  test.each([terminal, {}])("and a pipe get a table of the same runs", async (where) => {
    await using place = await workspace();
    await hourlyLog(place, 48);
    const table = await report(place, "--until 6h --color never", where);
    expect(table).toMatchObject({ stdout: expect.stringMatching(/^hook +runs .*\nlogger +43 /), stderr: "", code: 0 });
    expect(await report(place, "--since 6h")).toMatchObject({ stdout: expect.stringMatching(/\nguard +1 /) });
  });

  test.each([
    ["--output -", /^<!DOCTYPE/],
    ["--json", /^\{"schema":"hookctl.report\/1"/],
  ])("gets what it asks for with %s", async (options, start) => {
    await using place = await workspace();
    expect(await report(place, options, terminal)).toMatchObject({
      stdout: expect.stringMatching(start),
      stderr: "",
      code: 0,
    });
  });

  test("sees how far the reading of a long log is, and nothing is left of it", { tags: "slow" }, async () => {
    await using place = await workspace();
    await hourlyLog(place, 2500);
    let now = 0;
    const host = { isStderrTerminal: () => true, elapsedMs: () => (now += 400) };
    const { stderr } = await report(place, "--output page.html", { host });
    expect(stderr.replaceAll("\r\u001b[K", "|")).toMatch(
      /^(\|Reading the audit log: \d+ %)+\|✔ page\.html: 2,500 runs, 1 blocked\n$/,
    );
  });
});

describe("a file that is not a report", () => {
  test.each(["# my notes\n", "<!DOCTYPE html>\n<html><body>mine</body></html>\n", '{"schema":"other"}'])(
    "is not replaced: %j",
    async (text) => {
      await using place = await workspace();
      await place.write("project/notes.md", text);
      expect(await report(place, "--output notes.md")).toEqual({
        stdout: "",
        stderr:
          "✖ The report was not written to notes.md: it exists and hookctl did not write it. (REPORT_NOT_WRITTEN)\n" +
          "  Name another file.\n",
        code: 74,
      });
      expect(await place.read("project/notes.md")).toBe(text);
    },
  );

  test("is replaced if it is empty, as mktemp leaves one", async () => {
    await using place = await workspace();
    await place.write("project/new", "");
    expect(await report(place, "--output new")).toMatchObject({ stdout: "", code: 0 });
    expect(await place.read("project/new")).toMatch(/^<!DOCTYPE/);
  });
});

describe("a place that cannot be written", () => {
  test.each([
    { title: "a folder", name: "folder", cause: "it is a folder" },
    { title: "a link", name: "link", cause: "it is a symbolic link" },
    { title: "a full device", name: "/dev/full", cause: "ENOSPC" },
  ])("is told: $title", async ({ name, cause }) => {
    await using place = await workspace();
    await place.write("project/folder/x", "");
    await symlink(join(place.project, "folder", "x"), join(place.project, "link"));
    expect(await report(place, `--output ${name}`)).toEqual({
      stdout: "",
      stderr: `✖ The report was not written to ${name}: ${cause}. (REPORT_NOT_WRITTEN)\n  Name another file.\n`,
      code: 74,
    });
  });

  test("leaves the report that was there", async () => {
    await using place = await workspace();
    await report(place, "--output page.html");
    const before = await place.read("project/page.html");
    await chmod(join(place.project, "page.html"), 0o400);
    expect((await report(place, "--output page.html/x")).code).toBe(74);
    expect(await place.read("project/page.html")).toBe(before);
  });

  test("is told if stdout is lost", async () => {
    await using place = await workspace();
    expect(await report(place, "--output -", { host: { out: () => "ENOSPC" } })).toMatchObject({
      stderr: expect.stringContaining("(OUTPUT_LOST)"),
      code: 74,
    });
  });
});

describe("the runs of a report are chosen", () => {
  test.each([
    { options: "", runs: 48 },
    { options: "--since 6h", runs: 6 },
    { options: "--until 6h", runs: 43 },
    { options: "--since 2026-03-03 --until 2026-03-03", runs: 24 },
    { options: "--hook guard", runs: 1 },
    { options: "--project ../p1", runs: 24 },
    { options: "--project ../elsewhere", runs: 0 },
  ])("by $options", async ({ options, runs }) => {
    await using place = await workspace();
    await hourlyLog(place, 48);
    expect(await data(place, options)).toMatchObject({ schema: "hookctl.report/1", runs });
  });

  test("and the page says by what", async () => {
    await using place = await workspace();
    await hourlyLog(place, 3);
    const page = (await report(place, "--output - --since 30m --project ../p1 --hook gu*")).stdout;
    expect(page).toContain("since 4 Mar 2026");
    expect(page).toContain("DIR/p1");
    expect(page).toContain("runs with hook <bdi>gu*</bdi>");
    expect(page).toContain("None in this selection.");
  });
});

describe("bad input", () => {
  test.each([
    ["--since tomorrow", 'Invalid value "tomorrow" for --since'],
    ["--since 1h --until 2h", "--since is later than --until."],
    ["--output=", 'Invalid value "" for --output'],
    ["page.html", "report takes no arguments"],
  ])("%s", async (options, words) => {
    await using place = await workspace();
    expect(await report(place, options)).toMatchObject({
      stdout: "",
      stderr: expect.stringContaining(words),
      code: 64,
    });
  });
});

test("lines that are no runs, and a log that is none, are no reason to fail", async () => {
  await using place = await workspace();
  await place.write(LOG, 'garbage\n{"schema":"hookctl.record/1","kind":"later"}\n\n\u0000\n');
  expect(await data(place)).toMatchObject({ runs: 0, timeline: { buckets: [] } });
});
