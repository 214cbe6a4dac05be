import { defineConfig } from "vitest/config";

// It triples the start-up of Node 20, and the tests start node many times.
delete process.env.NODE_EXTRA_CA_CERTS;

/** Its cases have limits of a second and less: beside other tests they would measure the machine, not hookctl. */
const ALONE = "test/hostile/*.test.ts";

export default defineConfig({
  test: {
    projects: [
      // No room keeps anything between two calls, so files may share what is loaded: a fifth of the time.
      { extends: true, test: { name: "rooms", include: ["test/**/*.test.ts"], exclude: [ALONE], isolate: false } },
      { extends: true, test: { name: "hostile", include: [ALONE], sequence: { groupOrder: 1 } } },
    ],
    globalSetup: ["test/setup/build.ts"],
    pool: "forks",
    maxWorkers: 2,
    // No test measures time with it: it only ends what hangs, on a machine that is busy with other work too.
    testTimeout: 300_000,
    // A title from a table is a sentence too: the report shows all of it.
    chaiConfig: { truncateThreshold: 300 },
    coverage: {
      provider: "v8",
      include: ["src/**"],
      reporter: ["text-summary", "html", "json-summary"],
      thresholds: { lines: 85, branches: 80 },
    },
  },
});
