import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { stageGuards } from "../../../tools/guards-package.mjs";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** What an author of an agent writes: the types are checked, and the program runs. */
const CONSUMER = `import { examine, GUARDS, judge, reasonOf, STANDARD_SETTINGS, withParser } from "@hookctl/guards";
const place = { folder: "/p", home: "/home/dev", project: "/p", variables: {} };
const judged = await withParser(() => {
  const examined = examine({ commands: ["cd src && rm -rf ../*"], folder: null, files: [] }, place);
  return Object.values(GUARDS).flatMap((rules) => judge(examined, { rules, settings: STANDARD_SETTINGS }).judged);
});
for (const { decision, finding } of judged) console.log(decision, reasonOf(finding));
`;

test("@hookctl/guards works without hookctl, for programs and for the compiler", async () => {
  const folder = mkdtempSync(join(tmpdir(), "guards-package-"));
  try {
    const modules = join(folder, "node_modules");
    await stageGuards(root, join(modules, "@hookctl", "guards"));
    mkdirSync(join(modules, "@types"));
    for (const name of ["unbash", "@types/node", "undici-types"])
      symlinkSync(join(root, "node_modules", name), join(modules, name));
    writeFileSync(join(folder, "package.json"), '{"type":"module"}');
    writeFileSync(join(folder, "agent.ts"), CONSUMER);
    writeFileSync(join(folder, "agent.mjs"), CONSUMER);
    const run = (...words: readonly string[]) =>
      execFileSync(process.execPath, words, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
    expect(run("agent.mjs")).toMatch(/^block .+/);
    const tsc = join(root, "node_modules/typescript/bin/tsc");
    expect(run(tsc, "--noEmit", "--strict", "--module", "nodenext", "--types", "node", "agent.ts")).toBe("");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
