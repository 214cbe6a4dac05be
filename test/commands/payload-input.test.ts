import { truncate } from "node:fs/promises";
import { expect, test } from "vitest";
import type { StdinLimits, StdinOutcome } from "../../src/engine/host.ts";
import { type CommandOutput, lines, runInProcess } from "../support/in-process.ts";
import { toolCall } from "../support/payloads.ts";
import { printResponse } from "../support/shell.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const RUN = "run before_tool_call";
const BLOCK = { stdout: lines('{"blocked":true,"reason":"no"}'), stderr: "", code: 2 };
const missing = (why: string): CommandOutput => ({
  stdout: "",
  stderr: lines(
    `✖ No payload on stdin${why}. (PAYLOAD_MISSING)`,
    "  Try: hookctl payload before_tool_call | hookctl run before_tool_call",
  ),
  code: 64,
});
const bad = (words: string, hint: string): CommandOutput => ({
  stdout: "",
  stderr: lines(`✖ ${words}`, `  ${hint}`),
  code: 65,
});
const SAMPLE = "A valid payload: hookctl payload before_tool_call";

/** A call beside a guard that would block: what comes of it is the payload's doing. */
async function guarded(act: (place: Workspace) => Promise<CommandOutput>): Promise<CommandOutput> {
  await using place = await workspace();
  await place.hook("guard", printResponse({ blocked: true, reason: "no" }));
  return await act(place);
}

const waits: readonly { title: string; outcome: StdinOutcome; told: CommandOutput }[] = [
  { title: "a silent pipe is no payload", outcome: { kind: "silent" }, told: missing(" (nothing arrived in time)") },
  {
    title: "an interrupted wait ends with 128 and the signal's number",
    outcome: { kind: "interrupted", signal: "SIGINT" },
    told: { stdout: "", stderr: "", code: 130 },
  },
  {
    title: "a payload over the limit is not valid",
    outcome: { kind: "too-large" },
    told: bad(
      "The payload is larger than 64 MiB. (PAYLOAD_TOO_LARGE)",
      "Send only what the hooks need, not the whole history.",
    ),
  },
  {
    title: "a stdin that cannot be read is not valid",
    outcome: { kind: "unreadable", cause: "EISDIR" },
    told: bad("The payload on stdin cannot be read: EISDIR. (PAYLOAD_NOT_READABLE)", "Check the path."),
  },
];

test.each(waits)("$title", async ({ outcome, told }) => {
  expect(await guarded((place) => runInProcess(place, RUN, { host: { readStdin: async () => outcome } }))).toEqual(
    told,
  );
});

test("a terminal on stdin is usage and an example at once, and nothing is read", async () => {
  const readStdin = () => Promise.reject(new Error("read"));
  const host = { isStdinTerminal: () => true, readStdin };
  expect(await guarded((place) => runInProcess(place, RUN, { host }))).toEqual(missing(" (it is a terminal)"));
});

test("stdin is waited for as long as --stdin-timeout says, else 10 s", async () => {
  const asked: (readonly [number, number])[] = [];
  const readStdin = async ({ bytes: limitBytes, firstByteMs }: StdinLimits): Promise<StdinOutcome> => {
    asked.push([limitBytes, firstByteMs]);
    return { kind: "silent" };
  };
  await guarded((place) => runInProcess(place, RUN, { host: { readStdin } }));
  await guarded((place) => runInProcess(place, `${RUN} --stdin-timeout 200ms`, { host: { readStdin } }));
  const limitBytes = 64 * 1024 * 1024;
  expect(asked).toEqual([
    [limitBytes, 10_000],
    [limitBytes, 200],
  ]);
});

const texts: readonly { title: string; stdin: string | Uint8Array; told: CommandOutput }[] = [
  { title: "white space is no payload", stdin: " \n", told: missing("") },
  {
    title: "bytes that are not UTF-8",
    stdin: Uint8Array.of(0x7b, 0xff, 0x7d),
    told: bad("The payload is not UTF-8. (PAYLOAD_NOT_UTF8)", "Encode it as UTF-8."),
  },
  {
    title: "text that is no JSON",
    stdin: "{\nx}",
    told: bad(
      'The payload is not valid JSON: line 2, expected a key in double quotes, found "x". (PAYLOAD_NOT_JSON)',
      SAMPLE,
    ),
  },
  {
    title: "a key that occurs twice",
    stdin: '{"a":1,"a":2}',
    told: bad('The payload is not valid JSON: line 1, the key "a" occurs twice. (PAYLOAD_NOT_JSON)', SAMPLE),
  },
  {
    title: "a list",
    stdin: "[]",
    told: bad("The payload is a JSON array, not an object. (PAYLOAD_NOT_OBJECT)", SAMPLE),
  },
  {
    title: "a missing required field",
    stdin: '{"tool_name":"bash"}',
    told: bad(
      'The payload has no "tool_input", which before_tool_call needs. (PAYLOAD_FIELD_MISSING)',
      "A valid payload: hookctl payload before_tool_call",
    ),
  },
  {
    title: "a field of the wrong type",
    stdin: '{"tool_name":["bash"],"tool_input":{}}',
    told: bad('"tool_name" in the payload is a JSON array; it must be a string. (PAYLOAD_FIELD_TYPE)', SAMPLE),
  },
  {
    title: "an event that disagrees with the argument",
    stdin: toolCall("ls", { event: "agent_stop" }),
    told: bad(
      '"event" in the payload is "agent_stop", but the command says before_tool_call. (PAYLOAD_EVENT_DIFFERS)',
      "Remove it from the payload, or make both the same.",
    ),
  },
];

test.each(texts)("a payload that cannot be used is told and no hook is asked: $title", async ({ stdin, told }) => {
  expect(await guarded((place) => runInProcess(place, RUN, { stdin }))).toEqual(told);
});

test("--payload reads a file, from the working directory, and leaves stdin alone", async () => {
  const host = { readStdin: () => Promise.reject(new Error("read")) };
  const result = await guarded(async (place) => {
    await place.write("project/call.json", toolCall());
    return runInProcess(place, `${RUN} -q --payload call.json`, { host });
  });
  expect(result).toEqual(BLOCK);
});

const files: readonly { title: string; make: (place: Workspace) => Promise<unknown>; told: CommandOutput }[] = [
  {
    title: "is not there",
    make: async () => undefined,
    told: bad("The payload file cannot be read: there is no such file. (PAYLOAD_NOT_READABLE)", "Check the path."),
  },
  {
    title: "is a folder",
    make: (place) => place.write("project/file/x", ""),
    told: bad("The payload file cannot be read: it is not a regular file. (PAYLOAD_NOT_READABLE)", "Check the path."),
  },
  {
    title: "is empty",
    make: (place) => place.write("project/file", ""),
    told: { ...missing(""), stderr: missing("").stderr.replace("No payload on stdin", "The payload file is empty") },
  },
  {
    title: "is over the limit",
    make: async (place) => truncate(await place.write("project/file", ""), 64 * 1024 * 1024 + 1),
    told: bad(
      "The payload is larger than 64 MiB. (PAYLOAD_TOO_LARGE)",
      "Send only what the hooks need, not the whole history.",
    ),
  },
];

test.each(files)("a payload file that $title is told", async ({ make, told }) => {
  const found = await guarded(async (place) => {
    await make(place);
    return runInProcess(place, `${RUN} --payload file`);
  });
  expect(found).toEqual(told);
});
