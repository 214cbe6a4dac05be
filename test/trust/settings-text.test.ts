import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runInProcess } from "../support/in-process.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const JSON_TEXT = '{\n  "settings": { "timeout": "3s" },\n  "hooks": { "PreToolUse": [ { "block": "no" } ] }\n}\n';
const YAML_TEXT = "# slow disks\nsettings:\n  timeout: 3s\n";

const show = async (place: Awaited<ReturnType<typeof workspace>>, name: string) =>
  JSON.parse((await runInProcess(place, `trust --show ${name} --json`)).stdout).hooks[0].text;

test.each([
  [".kodelet/hooks.json", JSON_TEXT],
  [".kodelet/hooks.yaml", YAML_TEXT],
  [".hookctlrc", YAML_TEXT],
])("trust shows %s as its author wrote it, new and approved", async (file, text) => {
  await using place = await workspace();
  await place.write(`project/${file}`, text);
  expect(await show(place, file)).toBe(text);
  await runInProcess(place, "trust --yes");
  expect(await show(place, file)).toBe(text);
});

const CHANGE = [JSON_TEXT, JSON_TEXT.replace("3s", "4s")] as const;
/** The lines of the difference that `trust --show` prints. */
async function changedLines(place: Workspace, file: string): Promise<readonly string[]> {
  const { stdout } = await runInProcess(place, "trust --show");
  expect(stdout).toContain(`${file}   `);
  return stdout.split("\n").flatMap((line) => (/^ {2}[-+\\]/.test(line) ? [line.trim()] : []));
}

test.each([
  [".kodelet/hooks.json", ...CHANGE, ['- "settings": { "timeout": "3s" },', '+ "settings": { "timeout": "4s" },']],
  [".kodelet/hooks.yaml", YAML_TEXT, YAML_TEXT.replace("3s", "4s"), ["-   timeout: 3s", "+   timeout: 4s"]],
  [
    "hooks.json",
    '{"version":1,"hooks":{"Stop":[{"block":"no"}]}}',
    '{"version":1,"hooks":{"Stop":[{"block":"nope"}]}}\n',
    [
      '- {"version":1,"hooks":{"Stop":[{"block":"no"}]}}',
      "\\ No newline at end of file",
      '+ {"version":1,"hooks":{"Stop":[{"block":"nope"}]}}',
    ],
  ],
])("of a change of %s it shows the lines of the file that differ", async (file, before, now, lines) => {
  await using place = await workspace();
  await place.write(`project/${file}`, before);
  await runInProcess(place, "trust --yes");
  await place.write(`project/${file}`, now);
  const found = await changedLines(place, file);
  expect(found.map((line) => line.replace(/ +/g, " "))).toEqual(lines.map((line) => line.replace(/ +/g, " ")));
});

test("of a deleted file it shows the lines that were approved", async () => {
  await using place = await workspace();
  const file = await place.write("project/.kodelet/hooks.yaml", YAML_TEXT);
  await runInProcess(place, "trust --yes");
  await rm(file);
  expect(await changedLines(place, ".kodelet/hooks.yaml")).toEqual([
    "- # slow disks",
    "- settings:",
    "-   timeout: 3s",
  ]);
});

test("it shows the settings that differ where the approved text has others, or was not saved", async () => {
  await using place = await workspace();
  const [before, now] = CHANGE;
  await place.write("project/.kodelet/hooks.json", before);
  await runInProcess(place, "trust --yes");
  await place.write("project/.kodelet/hooks.json", now);
  const folder = join(place.home, ".local/state/hookctl/approved");
  const [copy = ""] = (await readdir(folder)).filter((name) => name.endsWith(".settings"));
  for (const change of [() => place.write(join(folder, copy), now), () => rm(join(folder, copy))]) {
    await change();
    expect(await changedLines(place, ".kodelet/hooks.json")).toEqual([
      '-     "timeout": 3000',
      '+     "timeout": 4000',
    ]);
  }
});

test("of package.json it shows what belongs to hookctl", async () => {
  await using place = await workspace();
  await place.write("project/package.json", '{"name":"x","hookctl":{"settings":{"timeout":"3s"}}}');
  const text = await show(place, "package.json");
  expect(text).toContain('"timeout": 3000');
  expect(text).not.toContain('"name"');
});
