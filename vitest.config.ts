import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fastGlob from "fast-glob";
import { defineConfig } from "vitest/config";

// It triples the start-up of Node 20, and the tests start Node many times.
delete process.env.NODE_EXTRA_CA_CERTS;

/**
 * `npm test` takes at most 180 s of processor time, so it leaves these files out, and all tests with the tag "slow".
 * Slow is whatever takes more than 200 ms of it (`/usr/bin/time`, children included), and each table whose rows start a
 * Node process each; but every command, and every room that starts processes, keeps a real start among the quick ones.
 */
const SLOW = "{test,packages/*/test}/**/*.slow.test.ts";

const QUICK = fastGlob.sync("{test,packages/*/test}/**/*.test.ts", { ignore: [SLOW] });

/** True if a test, or a helper that it imports, starts the built program. */
function startsProgram(file: string, seen = new Set<string>()): boolean {
  if (seen.has(file)) return false;
  seen.add(file);
  const text = readFileSync(file, "utf8");
  if (/test\/support\/(?:workspace|mcp-server-path)\.ts$/.test(file) || /["'`/](?:bin|dist)[/"]/.test(text))
    return true;
  const helpers = [...text.matchAll(/ from "(\.[^"]+)"/g)].map(([, path = ""]) => join(dirname(file), path));
  return helpers.some(
    (path) => /(?:^|\/)test\//.test(path) && path.endsWith(".ts") && existsSync(path) && startsProgram(path, seen),
  );
}

/** These need no build: one of them takes two seconds after a change. */
const UNIT = QUICK.filter((file) => !startsProgram(file));
const BUILD = ["test/setup/build.ts"];

/** Where `.ci/run` wants to read which tests failed. */
const report = process.env.HOOKCTL_TEST_REPORT;

export default defineConfig({
  test: {
    projects: [
      // No module keeps state between two calls, so test files may share what is loaded: a fifth of the time.
      { extends: true, test: { name: "unit", include: UNIT, isolate: false } },
      { extends: true, test: { name: "quick", include: QUICK, exclude: UNIT, isolate: false, globalSetup: BUILD } },
      { extends: true, test: { name: "slow", include: [SLOW], globalSetup: BUILD, sequence: { groupOrder: 1 } } },
    ],
    tags: [{ name: "slow", description: "npm run test:slow runs it, npm test does not" }],
    setupFiles: ["test/setup/warnings.ts", "test/setup/properties.ts"],
    pool: "forks",
    maxWorkers: 2,
    // No test measures time with it: it only ends what hangs, on a machine that is busy with other work too.
    testTimeout: 1_200_000,
    hookTimeout: 300_000,
    // A title from a table is a sentence too: the report shows all of it.
    chaiConfig: { truncateThreshold: 300 },
    ...(report === undefined ? {} : { reporters: ["default", ["json", { outputFile: report }]] }),
    coverage: {
      provider: "v8",
      include: ["src/**", "packages/**"],
      exclude: ["packages/*/test/**"],
      reporter: ["text-summary", "html", "json-summary"],
      thresholds: { lines: 85, branches: 80 },
    },
  },
});
