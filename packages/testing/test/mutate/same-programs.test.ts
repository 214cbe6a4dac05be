import { describe, expect, test } from "vitest";
import { differences } from "./differences.ts";

describe("bash starts the same programs with the same arguments", () => {
  test("rm -rf build", async () => expect(await differences("rm -rf build", 40)).toEqual([]));
});
