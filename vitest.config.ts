import { defineConfig } from "vitest/config";

// It triples the start-up of Node 20, and the tests start node many times.
delete process.env.NODE_EXTRA_CA_CERTS;

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/setup/build.ts"],
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 20_000,
    coverage: {
      provider: "v8",
      include: ["src/**"],
      reporter: ["text-summary", "html", "json-summary"],
      thresholds: { lines: 85, branches: 80 },
    },
  },
});
