import { readFileSync } from "node:fs";
import { symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { shellQuote } from "../support/shell.ts";
import { HOOKCTL, runProgram, workspace } from "../support/workspace.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const page = readFileSync(join(root, "docs", "contract-basecoat.md"), "utf8");

/** Each block that can be run, with the output that the page says it has. */
const blocks = [...page.matchAll(/^```(sh|js)\n([\s\S]*?)^```\n\n```text\n([\s\S]*?)^```$/gm)].map(
  ([, kind = "", code = "", output = ""]) => ({ kind, code, output }),
);

test("each of the three ways to register has its block", () => {
  expect(blocks.map(({ kind }) => kind)).toEqual(["sh", "sh", "js"]);
});

test.each(blocks)(
  "a hook registered in $kind prints what the page says: $output",
  async ({ kind, code: text, output }) => {
    await using place = await workspace();
    await place.write("bin/hookctl", `#!/bin/sh\nexec ${HOOKCTL.map(shellQuote).join(" ")} "$@"\n`, 0o755);
    await place.write("project/node_modules/.keep", "");
    await symlink(root, join(place.project, "node_modules", "hookctl"));
    const file = await place.write(kind === "js" ? "project/program.mjs" : "project/block.sh", text);
    const env = { ...place.env, PATH: `${join(place.dir, "bin")}:${dirname(process.execPath)}:/usr/bin:/bin` };
    const line = kind === "js" ? [process.execPath, file] : ["/bin/sh", "-eu", file];
    const result = await runProgram(line, { cwd: place.project, env });
    const code = output.includes('"action":"block"') ? 2 : 0;
    expect(result).toMatchObject({ stdout: output, code, stderr: "" });
  },
);
