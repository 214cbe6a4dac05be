import { existsSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { expect, test } from "vitest";
import { toolCall } from "../support/payloads.ts";
import { printResponse, shellQuote } from "../support/shell.ts";
import {
  HANG_TIMEOUT_MS,
  HOOKCTL,
  HOOKCTL_PROGRAM,
  HOOKCTL_WORDS,
  runProgram,
  workspace,
} from "../support/workspace.ts";

const noPayload = (why: string): string =>
  `✖ No payload on stdin${why}. (PAYLOAD_MISSING)\n  Try: hookctl payload before_tool_call | hookctl run before_tool_call\n`;

const blanks = [
  { title: "an empty stdin", stdin: "" },
  { title: "white space", stdin: " \n\t\n" },
];

test.each(blanks)("$title is no payload: 64", async ({ stdin }) => {
  await using place = await workspace();
  await place.hook("guard", printResponse({ blocked: true }));
  const result = await place.run(["run", "before_tool_call"], { stdin });
  expect(result).toEqual({ stdout: "", stderr: noPayload(""), code: 64, signal: null });
});

test("a folder is no payload that can be read", async () => {
  await using place = await workspace();
  const line = `${[...HOOKCTL, "run", "before_tool_call"].map(shellQuote).join(" ")} < .`;
  const result = await runProgram(["/bin/sh", "-c", line], { cwd: place.project, env: place.env });
  expect(result).toMatchObject({ stdout: "", stderr: expect.stringContaining("cannot be read: EISDIR"), code: 65 });
});

test("a silent pipe is waited for as long as --stdin-timeout says, then it is 64", async () => {
  await using place = await workspace();
  const result = await execa(
    HOOKCTL_PROGRAM,
    [...HOOKCTL_WORDS, "run", "before_tool_call", "--stdin-timeout", "150ms"],
    {
      cwd: place.project,
      env: place.env,
      extendEnv: false,
      reject: false,
      stripFinalNewline: false,
      stdin: "pipe",
      timeout: HANG_TIMEOUT_MS,
    },
  );
  expect(result).toMatchObject({ stdout: "", stderr: noPayload(" (nothing arrived in time)"), exitCode: 64 });
});

test("a pipe whose first byte came is waited for to its end", async () => {
  await using place = await workspace();
  await place.hook("echo", printResponse({ input: { command: "ls -a" } }));
  const [begin, end] = [toolCall().slice(0, 10), toolCall().slice(10)].map(shellQuote);
  const program = [...HOOKCTL, "run", "before_tool_call", "-q"].map(shellQuote).join(" ");
  // hookctl starts once the first byte is in the pipe.
  const begun = shellQuote(join(place.dir, "begun"));
  const writer = `printf %s ${begin}; : > ${begun}; sleep 0.5; printf %s ${end}`;
  const reader = `until [ -e ${begun} ]; do sleep 0.01; done; exec ${program} --stdin-timeout 200ms`;
  const line = `{ ${writer}; } | { ${reader}; }`;
  const result = await runProgram(["/bin/sh", "-c", line], { cwd: place.project, env: place.env });
  const stdout = '{"blocked":false,"input":{"command":"ls -a"}}\n';
  expect(result).toEqual({ stdout, stderr: "", code: 0, signal: null });
});

const hasScript = process.platform === "linux" && existsSync("/usr/bin/script");

test.skipIf(!hasScript)("a terminal on stdin is usage and an example at once: 64 (needs script)", async () => {
  await using place = await workspace();
  const line = `${[...HOOKCTL, "run", "before_tool_call"].map(shellQuote).join(" ")} 2>err >out`;
  const result = await runProgram(["/usr/bin/script", "-qec", line, "/dev/null"], { cwd: place.dir, env: place.env });
  expect(result.code).toBe(64);
  expect(await place.read("out")).toBe("");
  expect(await place.read("err")).toBe(noPayload(" (it is a terminal)"));
});

test("a payload may come from a file, by a pipe from a program, or from a file on stdin", {
  tags: "slow",
}, async () => {
  await using place = await workspace();
  const file = await place.write("project/p.json", toolCall());
  await place.hook("echo", printResponse({ input: { command: "ls -a" } }));
  const wanted = { stdout: '{"blocked":false,"input":{"command":"ls -a"}}\n', stderr: "", code: 0, signal: null };
  expect(await place.run(["run", "before_tool_call", "-q", "--payload", "p.json"])).toEqual(wanted);
  expect(await place.run(["run", "before_tool_call", "-q", `--payload=${file}`])).toEqual(wanted);
  const program = [...HOOKCTL, "run", "before_tool_call", "-q"].map(shellQuote).join(" ");
  for (const line of [
    `${program} < ${shellQuote(file)}`,
    `cat ${shellQuote(file)} | ${program}`,
    `${program} 0<> ${shellQuote(file)}`,
  ]) {
    expect(await runProgram(["/bin/sh", "-c", line], { cwd: place.project, env: place.env })).toEqual(wanted);
  }
});

const files: { title: string; path: string; code: number; says: string }[] = [
  { title: "that is not there", path: "gone.json", code: 65, says: "gone.json cannot be read: there is no such file" },
  { title: "that is a folder", path: ".kodelet", code: 65, says: "it is not a regular file" },
  { title: "that is empty", path: "empty.json", code: 64, says: "The payload empty.json is empty. (PAYLOAD_MISSING)" },
];

test.each(files)("a payload file $title is named", async ({ path, code, says }) => {
  await using place = await workspace();
  await place.write("project/empty.json", "");
  const result = await place.run(["run", "before_tool_call", "--payload", path]);
  expect(result).toEqual({ stdout: "", stderr: expect.stringContaining(says), code, signal: null });
});

const invalid: { title: string; stdin: string | Uint8Array; says: string }[] = [
  { title: "text that is no JSON", stdin: "{oops}", says: "not valid JSON: line 1" },
  { title: "two values", stdin: "{}{}", says: "not valid JSON" },
  { title: "an array", stdin: "[]", says: "a JSON array, not an object" },
  { title: "bytes that are not UTF-8", stdin: Buffer.from([0x7b, 0xff, 0x7d]), says: "The payload is not UTF-8." },
  { title: "a duplicate key", stdin: '{"tool_name":"a","tool_name":"b"}', says: 'the key "tool_name" occurs twice' },
  {
    title: "a missing field",
    stdin: '{"tool_name":"bash"}',
    says: 'has no "tool_input", which before_tool_call needs',
  },
  {
    title: "a wrong type",
    stdin: '{"tool_name":1,"tool_input":{}}',
    says: '"tool_name" in the payload is a JSON number',
  },
  { title: "another event", stdin: toolCall("ls", { event: "turn_end" }), says: "(PAYLOAD_EVENT_DIFFERS)" },
];

test.each(invalid)("$title is 65 and starts nothing", async ({ stdin, says }) => {
  await using place = await workspace();
  await place.hook("canary", `: > ${shellQuote(join(place.dir, "canary"))}`);
  const result = await place.run(["run", "before_tool_call"], { stdin });
  expect(result).toEqual({ stdout: "", stderr: expect.stringContaining(says), code: 65, signal: null });
  expect(await place.read("canary")).toBeNull();
});
