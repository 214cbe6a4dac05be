import { expect, test } from "vitest";
import { membersOf, spanOfRaw } from "../../../src/protocol/json/read.ts";
import { patchedFiles } from "../../../src/protocol/payload/payload.ts";
import { readToolCall } from "../tool-call.ts";

const PATCH = ["*** Begin Patch", "*** Update File: a.ts", "*** Move to: b.ts", "@@", "+x", "*** Delete File: c.ts"];

test.each([
  ["as agents write it", PATCH],
  [
    "with spaces before its markers, which agents accept",
    PATCH.map((line) => (line.startsWith("*") ? `  ${line}` : line)),
  ],
  ["with tabs before its markers", PATCH.map((line) => (line.startsWith("*") ? `\t${line}` : line))],
  ["behind another line", ["apply_patch <<EOF", ...PATCH]],
])("the files of a patch %s", (_, lines) => {
  const input = spanOfRaw(JSON.stringify({ input: lines.join("\n") }));
  const call = spanOfRaw(JSON.stringify({ tool_name: "apply_patch", tool_kind: "edit" }));
  expect(patchedFiles(membersOf(input))).toEqual(["a.ts", "b.ts", "c.ts"]);
  expect(readToolCall(new Map([...membersOf(call), ["tool_input", input]]))).toMatchObject({
    commands: [],
    files: [
      { path: "a.ts", action: "write" },
      { path: "a.ts", action: "delete" },
      { path: "b.ts", action: "write" },
      { path: "c.ts", action: "delete" },
    ],
  });
});
