import { isAbsolute, relative } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { isInside } from "../../src/fs/paths.ts";
import { propertyRuns } from "../support/property-runs.ts";

const segment = fc.constantFrom("a", "b", ".", "..", "", "...", ".a", "a.", "..a", "a b");
const path = fc
  .tuple(fc.constantFrom("", "/"), fc.array(segment, { maxLength: 5 }), fc.constantFrom("", "/"))
  .map(([start, segments, end]) => start + segments.join("/") + end);

test("a path is in a folder if the way there does not lead up, whatever dots and slashes both have", () => {
  fc.assert(
    fc.property(path, path, fc.boolean(), (folder, other, isBelow) => {
      const inner = isBelow ? `${folder}/${other}` : other;
      const way = relative(folder, inner);
      const isUp = way === ".." || way.startsWith("../") || isAbsolute(way);
      expect(isInside(folder, inner)).toBe(!isUp);
    }),
    propertyRuns(2000),
  );
});
