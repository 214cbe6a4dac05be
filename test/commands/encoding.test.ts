import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runMain } from "../support/in-process.ts";
import { toolCall } from "../support/payloads.ts";
import { printResponse } from "../support/shell.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const BODY = `[ "$1" = hook ] && { echo before_tool_call; exit; }\ncat > /dev/null\n${printResponse({ blocked: true, reason: "no" })}\n`;

const files: readonly (readonly [title: string, words: RegExp, content: string | Buffer])[] = [
  ["CRLF after sh", /CRLF/, `#!/bin/sh\n${BODY}`.replaceAll("\n", "\r\n")],
  ["CRLF after env", /CRLF/, `#!/usr/bin/env bash\n${BODY}`.replaceAll("\n", "\r\n")],
  ["a byte order mark", /byte order mark \(BOM\)/, `\ufeff#!/bin/sh\n${BODY}`],
  ["a byte order mark and CRLF", /byte order mark \(BOM\)/, `\ufeff#!/bin/sh\n${BODY}`.replaceAll("\n", "\r\n")],
  ["UTF-16", /UTF-16/, Buffer.from(`\ufeff#!/bin/sh\n${BODY}`, "utf16le")],
];

const commands: readonly (readonly [command: string, stdin: string])[] = [
  ["run before_tool_call", toolCall()],
  ["list", ""],
  ["list --all", ""],
  ["try guard", ""],
  ["test guard", ""],
  ["why", ""],
];

describe.each(files)("%s in a hook file is named as the cause", (_, words, content) => {
  test.each(commands)("by hookctl %s", async (command, stdin) => {
    await using place = await workspace();
    await written(place, content);
    if (command === "why") await runMain(place, ["run", "before_tool_call"], { stdin: toolCall() });
    const { stdout, stderr } = await runMain(place, command.split(" "), { stdin });
    expect(`${stdout}${stderr}`).toMatch(words);
  });
});

test.each(files.slice(0, 4))("the fix for %s, typed as it is shown, makes the hook run", async (_, __, content) => {
  await using place = await workspace();
  await written(place, content);
  for (let round = 0; round < 2; round++) {
    const { stderr } = await runMain(place, ["run", "before_tool_call"], { stdin: toolCall() });
    const fix = /perl .*$/m.exec(stderr)?.[0];
    if (fix !== undefined) execFileSync("/bin/sh", ["-c", fix]);
  }
  expect(readFileSync(join(place.home, ".kodelet/hooks/guard"), "utf8")).toBe(
    String(content).replace("\ufeff", "").replaceAll("\r\n", "\n"),
  );
  expect(await runMain(place, ["run", "before_tool_call"], { stdin: toolCall() })).toMatchObject({ code: 2 });
});

test("env -S takes the carriage return for a space, so such a hook runs", async () => {
  await using place = await workspace();
  await written(place, `#!/usr/bin/env -S sh\r\n${BODY}`);
  expect(await runMain(place, ["run", "before_tool_call"], { stdin: toolCall() })).toMatchObject({ code: 2 });
});

test("a script that a declared command starts: the shell's own message about \\r gives the hint", async () => {
  await using place = await workspace();
  await place.write("home/.kodelet/lib/guard.sh", "#!/bin/bash\r\ntrue\r\nfalse\r\n", 0o755);
  await place.write(
    "home/.kodelet/hooks.json",
    JSON.stringify({ hooks: { before_tool_call: [{ name: "guard", command: "bash lib/guard.sh" }] } }),
  );
  const { stderr } = await runMain(place, ["run", "before_tool_call"], { stdin: toolCall() });
  expect(stderr).toContain("CRLF");
});

const written = (place: Workspace, content: string | Buffer): Promise<string> =>
  place.write("home/.kodelet/hooks/guard", content, 0o755);

test("a hook that declares itself fail-closed blocks, although it cannot be executed", async () => {
  await using place = await workspace();
  await written(place, `\ufeff#!/bin/sh\n# {"event":"before_tool_call","fail_open":false}\n`);
  expect(await runMain(place, ["run", "before_tool_call"], { stdin: toolCall() })).toMatchObject({ code: 2 });
});
