import { afterAll, beforeAll } from "vitest";
import { BACKEND_PLACES } from "../../packages/sandbox/find-backend.ts";

/** For tests of a machine on which no sandbox is installed. */
export function withoutSandbox(): void {
  const places = { ...BACKEND_PLACES };
  const nowhere = Object.fromEntries(Object.keys(places).map((platform) => [platform, []]));
  beforeAll(() => void Object.assign(BACKEND_PLACES, nowhere));
  afterAll(() => void Object.assign(BACKEND_PLACES, places));
}
