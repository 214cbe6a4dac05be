import { expect, test } from "vitest";
import { runMain } from "../support/in-process.ts";
import { toolCall } from "../support/payloads.ts";
import { shellQuote } from "../support/shell.ts";
import { type CallOptions, workspace } from "../support/workspace.ts";

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that must not come out.
const RAW = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;
const EVIL = "\u001b[2J\u001b]0;owned\u0007\r\u009b31m\u202eevil\u2066\u2028\u007f";
const asJson = JSON.stringify(EVIL);

const calls: { title: string; body: string; args: readonly string[] }[] = [
  { title: "a reason", body: `printf '%s' ${shellQuote(`{"blocked":true,"reason":${asJson}}`)}`, args: [] },
  { title: "a warning", body: `printf '%s' ${shellQuote(`{"warnings":[${asJson}]}`)}`, args: ["-v"] },
  { title: "a changed value", body: `printf '%s' ${shellQuote(`{"input":{${asJson}:${asJson}}}`)}`, args: [] },
  {
    title: "raw text in a changed value",
    body: `printf '%s' ${shellQuote(`{"input":{"a":"\u202e\u009b\u007f"}}`)}`,
    args: [],
  },
  { title: "stderr under -vv", body: `printf '%s' ${shellQuote(EVIL)} >&2`, args: ["-vv"] },
  { title: "stderr of a failure", body: `printf '%s' ${shellQuote(EVIL)} >&2; exit 1`, args: [] },
  { title: "a reply that is no JSON", body: `printf '%s' ${shellQuote(EVIL)}`, args: [] },
  { title: "an unknown key", body: `printf '%s' ${shellQuote(`{${asJson}:1}`)}`, args: [] },
  { title: "metadata", body: `printf '%s' ${shellQuote(`{"metadata":{${asJson}:1}}`)}`, args: ["-v"] },
  { title: "a record", body: `printf '%s' ${shellQuote(`{"blocked":true,"reason":${asJson}}`)}`, args: ["--json"] },
];

test.each(calls)("$title steers no terminal, and the value stays", async ({ body, args }) => {
  await using place = await workspace();
  await place.hook("evil", body);
  const result = await runMain(place, ["run", "before_tool_call", ...args], { stdin: toolCall() });
  expect([0, 2]).toContain(result.code);
  expect(result.stderr).not.toMatch(RAW);
  expect(result.stdout).not.toMatch(RAW);
  const output = JSON.parse(result.stdout) as { reason?: string };
  if (output.reason !== undefined) expect(output.reason).toBe(EVIL);
});

test("hostile file names, answers and folders steer no terminal either", async () => {
  await using place = await workspace();
  const name = `a\u001b[31m\u202e\n${"x".repeat(40)}`;
  await place.hook(name, ":");
  await place.hook(`${name}-odd`, ":", { says: EVIL });
  await place.hook(`${name}-off.disable`, ":");
  await place.hook(`${name}-project`, `# before_tool_call ${EVIL}`, { scope: "project" });
  await place.hook("x", ":", { plugin: `org\u001b@re\u202epo` });
  const look = async (args: readonly string[], options?: CallOptions) => {
    const result = await runMain(place, args, options);
    expect(result.code).toBe(0);
    expect(result.stdout + result.stderr).not.toMatch(RAW);
    return result.stdout;
  };
  expect(await look(["list"])).toContain("\\u001b[31m\\u202e\\u000a");
  await look(["list", "--all"]);
  const listed = JSON.parse(await look(["list", "--json"])) as { hooks: { name: string }[] };
  expect(listed.hooks.map((hook) => hook.name)).toContain(name);
  await look(["run", "before_tool_call"], { stdin: toolCall() });
  await look(["run", "before_tool_call", "--json"], { stdin: toolCall() });
  await look(["run", "before_tool_call", "--dry-run"]);
});

test("in JSON a name within a warning or a failure is the name itself, escaped once", async () => {
  await using place = await workspace();
  const name = "h\u001b[31m\u202e";
  await place.hook(name, "printf '{\"odd\":1}'");
  await place.hook(`${name}x`, "exit 3");
  const result = await runMain(place, ["run", "before_tool_call", "--json"], { stdin: toolCall() });
  expect(result.stdout).toContain('"h\\u001b[31m\\u202e printed the unknown key');
  const output = JSON.parse(result.stdout) as { warnings: string[]; hooks: { failure?: { message: string } }[] };
  expect(output.warnings).toContain(`${name} printed the unknown key "odd"`);
  expect(output.hooks[1]?.failure?.message).toBe(`${name}x failed: exit 3`);
  expect(result.stderr).toContain("h\\u001b[31m\\u202e printed");
});

const arguments_: { title: string; args: readonly string[] }[] = [
  { title: "a verb", args: [EVIL] },
  { title: "an event", args: ["run", EVIL] },
  { title: "a flag", args: ["list", `--${EVIL}`] },
  { title: "a value", args: ["list", "--timeout", EVIL] },
  { title: "a folder", args: ["list", "-C", EVIL] },
  { title: "a settings file", args: ["list", "--config", EVIL] },
  { title: "a payload file", args: ["run", "turn_end", "--payload", EVIL] },
];

test.each(arguments_)("$title of the command line steers no terminal", async ({ args }) => {
  await using place = await workspace();
  const result = await runMain(place, args);
  expect(result).toMatchObject({ stdout: "", signal: null, stderr: expect.stringContaining("\\u001b") });
  expect(result.code).not.toBe(0);
  expect(result.stderr).not.toMatch(RAW);
});
