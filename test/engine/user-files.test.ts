import { lchown, mkdir, readdir, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runInProcess } from "../support/in-process.ts";
import { parseRunJson } from "../support/json-output.ts";
import { loadedModules } from "../support/loaded-modules.ts";
import { toolCall } from "../support/payloads.ts";
import { printResponse } from "../support/shell.ts";
import { testOnNode, workspace } from "../support/workspace.ts";

const isRoot = process.getuid?.() === 0;
const STRANGER = 54_321;

testOnNode("a plan or an answer that somebody else could have written is not read", { tags: "slow" }, async () => {
  await using place = await workspace();
  await place.write("home/.kodelet/hooks.yaml", "overrides: {guard: {enabled: false}}");
  await place.hook("guard", printResponse({ blocked: true }));
  const isOff = async () => {
    const { ended } = await loadedModules(place, ["run", "before_tool_call", "--json", "-q"], { stdin: toolCall() });
    return parseRunJson(ended).decision;
  };
  expect(await isOff()).toBe("continue");
  const folder = join(place.home, ".cache/hookctl");
  const [plan = ""] = (await readdir(folder)).filter((name) => name.startsWith("plan-"));
  const poisoned = ((await place.read(join(folder, plan))) ?? "").replace('\\"enabled\\":false', '\\"enabled\\":true ');
  expect(poisoned).toContain("true ");
  const stored = JSON.parse(poisoned);
  const text = JSON.stringify({ ...stored, sum: sumOf(stored.plan) });
  const decisionWith = async (write: () => Promise<unknown>) => {
    await rm(join(folder, plan), { force: true });
    await write();
    return isOff();
  };
  const file = join(folder, plan);
  // The control: whole and the user's own, it counts.
  expect(await decisionWith(() => place.write(file, text, 0o600))).toBe("block");
  expect(await decisionWith(() => place.write(file, text, 0o666))).toBe("continue");
  expect(await decisionWith(async () => symlink(await place.write("elsewhere", text, 0o600), file))).toBe("continue");
  if (!isRoot) return;
  expect(
    await decisionWith(async () => {
      await place.write(file, text, 0o600);
      await lchown(file, STRANGER, STRANGER);
    }),
  ).toBe("continue");
});

/** FNV-1a, as a plan is summed. */
function sumOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, "0");
}

test("the audit log grows through no link and in no file that others may write to", async () => {
  await using place = await workspace();
  await place.hook("guard", printResponse({ blocked: true }));
  const target = await place.write("home/.bashrc", "mine\n");
  await mkdir(join(place.home, ".local/state/hookctl"), { recursive: true, mode: 0o700 });
  const file = join(place.home, ".local/state/hookctl/audit.jsonl");
  await symlink(target, file);
  const result = async () =>
    parseRunJson(await runInProcess(place, "run before_tool_call --json -q", { stdin: toolCall() })).warnings;
  expect(await result()).toEqual([expect.stringContaining("was not written: ELOOP")]);
  expect(await place.read("home/.bashrc")).toBe("mine\n");
  await rm(file);
  await place.write(file, "", 0o666);
  expect(await result()).toEqual([expect.stringContaining("was not written: EPERM")]);
});
