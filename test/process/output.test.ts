import { expect, test } from "vitest";
import { headAndTail } from "../../src/process/bounded-output.ts";
import { runProcess } from "../../src/process/run-process.ts";
import { runMain } from "../support/in-process.ts";
import { parseRunJson } from "../support/json-output.ts";
import { toolCall } from "../support/payloads.ts";
import { request } from "../support/request.ts";
import { workspace } from "../support/workspace.ts";

const answered = { kind: "exited", exitCode: 0 };

test("a hook that prints more than the limit on stdout is killed long before its timeout", async () => {
  await using place = await workspace();
  const file = await place.hook("noisy", "trap '' TERM; yes");
  const outcome = await runProcess(request(file, { stdoutLimitBytes: 65_536, timeoutMs: 3_600_000 }));
  expect(outcome.termination).toEqual({ kind: "too-much-output", limitBytes: 65_536 });
  // What was printed before the limit may be a block; endless noise costs no more than the limit.
  expect(outcome.stdout.length).toBe(65_536);
});

test("stdout up to the limit is kept whole", async () => {
  await using place = await workspace();
  const file = await place.hook("exact", "head -c 65536 /dev/zero | tr '\\0' x");
  const outcome = await runProcess(request(file, { stdoutLimitBytes: 65_536 }));
  expect(outcome.termination).toEqual(answered);
  expect(outcome.stdout.length).toBe(65_536);
});

test("of stderr the first and the last 32 KiB are kept, and the gap is counted", async () => {
  await using place = await workspace();
  const file = await place.hook("chatty", "{ printf FIRST; head -c 200000 /dev/zero | tr '\\0' x; printf LAST; } >&2");
  const { termination, stderr } = await runProcess(request(file));
  expect(termination).toEqual(answered);
  expect(stderr).toMatch(/^FIRSTx+\n….*…\nx+LAST$/);
  expect(stderr).toContain("… 134,473 bytes omitted …");
});

test("a character through which the limit goes is kept whole", () => {
  const { add, text } = headAndTail();
  const written = `${"a".repeat(32 * 1024 - 1)}é and more`;
  add(Buffer.from(written));
  expect(text()).toBe(written);
});

test("a hook that leaves without reading 4 MB of stdin has done nothing wrong", async () => {
  await using place = await workspace();
  const file = await place.hook("deaf", "exec 0<&-; printf '{}'");
  const outcome = await runProcess(request(file, { input: "x".repeat(4 * 1024 * 1024) }));
  expect(outcome.termination).toEqual(answered);
  expect(Buffer.from(outcome.stdout).toString()).toBe("{}");
});

test("a hook that reads everything gets 4 MB whole", async () => {
  await using place = await workspace();
  const file = await place.hook("counter", "wc -c");
  const outcome = await runProcess(request(file, { input: "x".repeat(4 * 1024 * 1024) }));
  expect(outcome.termination).toEqual(answered);
  expect(Buffer.from(outcome.stdout).toString().trim()).toBe(String(4 * 1024 * 1024));
});

test("without input stdin is at its end", async () => {
  await using place = await workspace();
  const file = await place.hook("reader", "wc -c");
  const outcome = await runProcess(request(file, { input: null }));
  expect(Buffer.from(outcome.stdout).toString().trim()).toBe("0");
});

test("more than 4 MiB on stdout is a failure with a code of its own", async () => {
  await using place = await workspace();
  await place.hook("noisy", "yes");
  const result = await runMain(place, ["run", "before_tool_call", "--json"], { stdin: toolCall() });
  expect(parseRunJson(result)).toMatchObject({
    decision: "continue",
    hooks: [{ name: "noisy", outcome: "failed", failure: { code: "HOOK_TOO_MUCH_OUTPUT" } }],
  });
  expect(result).toMatchObject({ code: 0, stderr: expect.stringContaining("printed more than 4 MiB on stdout") });
});

test("a program that is busy with many hooks at once loses nothing of what they print", { tags: "slow" }, async () => {
  await using place = await workspace();
  const file = await place.hook("brief", "printf '{}'");
  const busyFor = (ms: number): void => {
    for (const end = Date.now() + ms; Date.now() < end; );
  };
  const ask = async (): Promise<string> => {
    busyFor(6);
    const { stdout } = await runProcess(request(file, { input: null }));
    busyFor(8);
    return Buffer.from(stdout).toString("utf8");
  };
  const said: string[] = [];
  for (let round = 0; round < 3; round++) said.push(...(await Promise.all(Array.from({ length: 25 }, ask))));
  expect(said.filter((text) => text !== "{}")).toEqual([]);
});
