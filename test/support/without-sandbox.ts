import { vi } from "vitest";

/** Imported by tests of a machine on which no sandbox is installed. */
vi.mock("../../src/sandbox/find-backend.ts", async (original) => {
  const real = await original<typeof import("../../src/sandbox/find-backend.ts")>();
  return {
    ...real,
    backendSearch: (...args: Parameters<typeof real.backendSearch>) => ({ ...real.backendSearch(...args), places: [] }),
  };
});
