import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const fixtures = fileURLToPath(new URL("fixtures", import.meta.url));
const generator = fileURLToPath(new URL("make-cases.py", import.meta.url));
const files = readdirSync(fixtures).filter((file) => file.endsWith(".expected.jsonl"));

const version = spawnSync("python3", ["-c", "import jinja2; print(jinja2.__version__)"], { encoding: "utf8" });
const hasJinja = version.status === 0 && version.stdout.startsWith("3.1.");

test.skipIf(!hasJinja)(
  `the stored results are those of Jinja2${hasJinja ? "" : " (skipped: python3 has no jinja2 3.1 here)"}`,
  () => {
    const folder = mkdtempSync(join(tmpdir(), "templates-"));
    try {
      const made = spawnSync("python3", ["-Wignore", generator, folder], { encoding: "utf8" });
      expect(made).toMatchObject({ status: 0, stderr: "" });
      for (const file of files) {
        expect(readFileSync(join(folder, file), "utf8")).toBe(readFileSync(join(fixtures, file), "utf8"));
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
);
