import { open } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runMain } from "../support/in-process.ts";
import { parseListJson, parseRunJson } from "../support/json-output.ts";
import { toolCall } from "../support/payloads.ts";
import { printResponse, touch } from "../support/shell.ts";
import { workspace } from "../support/workspace.ts";

const isLinux = process.platform === "linux";

/** The header of a real program: node's own. */
async function realHeader(): Promise<Buffer> {
  await using file = await open(process.execPath);
  return (await file.read(Buffer.alloc(64), 0, 64, 0)).buffer;
}

const spoilt: { title: string; at: number; byte: number }[] = [
  { title: "an unknown class", at: 4, byte: 3 },
  { title: "an unknown byte order", at: 5, byte: 0x0a },
  { title: "another version", at: 6, byte: 0 },
  { title: "the type of a core dump", at: 16, byte: 4 },
  { title: "the type of an object file", at: 16, byte: 1 },
];

test.runIf(isLinux).each(spoilt)("an ELF file with $title is no program, and no shell reads it", async (wrong) => {
  await using place = await workspace();
  const header = await realHeader();
  header[wrong.at] = wrong.byte;
  const canary = `\n${touch(join(place.dir, "canary"))}\n${printResponse("before_tool_call")}\n`;
  await place.write("home/.kodelet/hooks/odd", Buffer.concat([header, Buffer.from(canary)]), 0o755);
  const output = parseRunJson(await runMain(place, ["run", "before_tool_call", "--json"], { stdin: toolCall() }));
  expect(output.hooks).toMatchObject([{ name: "odd", failure: { code: "HOOK_BAD_FORMAT" } }]);
  expect(output.hooks[0]?.failure?.message).toContain("its header is not that of a program");
  expect(await place.read("canary")).toBeNull();
});

test.runIf(isLinux)("the magic bytes alone are no program", async () => {
  await using place = await workspace();
  await place.write("home/.kodelet/hooks/odd", `\u007fELF\n${touch(join(place.dir, "canary"))}\n`, 0o755);
  const listed = parseListJson(await runMain(place, ["list", "--json"]));
  expect(listed.skipped).toMatchObject([{ name: "odd", reason: "unknown_format" }]);
  expect(await place.read("canary")).toBeNull();
});

test.runIf(isLinux)("a real program is asked", async () => {
  await using place = await workspace();
  await using file = await open("/bin/true");
  await place.write("home/.kodelet/hooks/real", await file.readFile(), 0o755);
  const listed = parseListJson(await runMain(place, ["list", "--json"]));
  expect(listed.skipped).toMatchObject([{ name: "real", reason: "not_identified" }]);
});
