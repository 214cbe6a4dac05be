import { expect, test } from "vitest";
import { runInProcess } from "../support/in-process.ts";
import { workspace } from "../support/workspace.ts";

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

test("of a change it shows the settings that differ", async () => {
  await using place = await workspace();
  await place.write("project/.kodelet/hooks.json", JSON_TEXT);
  await runInProcess(place, "trust --yes");
  await place.write("project/.kodelet/hooks.json", JSON_TEXT.replace("3s", "4s"));
  const { stdout } = await runInProcess(place, "trust --show");
  expect(stdout).toMatch(/-\s+"timeout": 3000/);
  expect(stdout).toMatch(/\+\s+"timeout": 4000/);
});

test("of package.json it shows what belongs to hookctl", async () => {
  await using place = await workspace();
  await place.write("project/package.json", '{"name":"x","hookctl":{"settings":{"timeout":"3s"}}}');
  const text = await show(place, "package.json");
  expect(text).toContain('"timeout": 3000');
  expect(text).not.toContain('"name"');
});
