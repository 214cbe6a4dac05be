import { readFileSync } from "node:fs";
import { symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { readResponse } from "../../src/dialects/response/read-response.ts";
import { shellQuote } from "../support/shell.ts";
import { HOOKCTL, runProgram, workspace } from "../support/workspace.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const page = readFileSync(join(root, "docs", "contract-agenthook.md"), "utf8");
const blocks = (kind: string): readonly string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${kind}\n([\\s\\S]*?)^\`\`\`$`, "gm"))].map(([, body = ""]) => body);

test("the commands of the AgentHook page print what it says", { tags: "slow" }, async () => {
  await using place = await workspace();
  const typed = blocks("console")
    .join("")
    .split(/^\$ /m)
    .slice(1)
    .map((part) => ({ command: part.split("\n")[0] ?? "", shown: part.slice(part.indexOf("\n") + 1) }));
  expect(typed).toHaveLength(4);
  const hookctl = `hookctl() { ${HOOKCTL.map(shellQuote).join(" ")} "$@"; }; umask 022`;
  const env = { HOME: place.home, PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin` };
  for (const { command, shown } of typed) {
    const { stdout, stderr } = await runProgram(["bash", "-c", `${hookctl}\n${command}`], { cwd: root, env });
    expect({ command, stdout, stderr }).toEqual({ command, stdout: shown, stderr: "" });
  }
});

test("the functions of the AgentHook page print what it says", async () => {
  await using place = await workspace();
  await place.write("project/node_modules/.keep", "");
  await symlink(root, join(place.project, "node_modules", "hookctl"));
  const file = await place.write("project/program.mjs", blocks("js")[0] ?? "");
  const result = await runProgram([process.execPath, file], { cwd: place.project, env: place.env });
  expect(result).toEqual({ stdout: blocks("text")[0], stderr: "", code: 0, signal: null });
});

test("every action of the AgentHook page is one, with a value at v", () => {
  const cells = [...page.matchAll(/^\| (?:Continue|Transform|Replace|Reject) \|(.*)$/gm)].map(([, rest = ""]) => rest);
  const said = cells.flatMap((rest) => [...rest.matchAll(/`([{"][^`]*)`/g)].map(([, text = ""]) => text));
  expect(said).toHaveLength(8);
  for (const text of said) {
    const stdout = Buffer.from(text.replace(/\bv\b/, "{}"));
    const reply = readResponse({ name: "one", path: "/one" }, "before_tool_call", stdout);
    expect([text, reply.ok && (reply.value?.warnings ?? [])]).toEqual([text, []]);
  }
});
