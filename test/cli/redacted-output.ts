import { copyFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { workspace } from "../support/workspace.ts";

const KEY = "AKIAIOSFODNN7EXAMPLE";
const redactor = fileURLToPath(new URL("../../hooks-examples/secret-redactor", import.meta.url));

/** A tool output of this size, with a key in each line, goes through the example that redacts. */
export async function expectRedacted(bytes: number): Promise<void> {
  await using place = await workspace();
  await copyFile(redactor, await place.hook("redactor", "exit 0"));
  const line = `${"text of a long log ".repeat(50)}${KEY}\n`;
  const result = line.repeat(Math.ceil(bytes / line.length));
  const tool = { tool_name: "bash", tool_input: { command: "cat log" }, tool_user_id: "t1" };
  const payload = JSON.stringify({ event: "after_tool_call", ...tool, tool_output: { success: true, result } });
  await writeFile(`${place.project}/payload.json`, payload);
  const finished = await place.run(["run", "after_tool_call", "--payload", "payload.json", "--timeout", "9m", "-q"]);
  expect({ code: finished.code, stderr: finished.stderr }).toEqual({ code: 0, stderr: "" });
  const output = JSON.parse(finished.stdout);
  expect(output.output.result === result.replaceAll(KEY, "[redacted]")).toBe(true);
}
