import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mayMatch } from "../../../../src/shell/globs.ts";
import type { FileAccess } from "../../command/files/file-access.ts";
import { protectedPaths } from "../../rules/protected-paths.ts";
import { decisionOf, PLACE, testExamples } from "./examples-of.ts";
import { KNOWN } from "./known.ts";

testExamples(protectedPaths, KNOWN);

describe("a path and a glob", () => {
  test.each([
    ["/p/infra/a/b.tf", "/p/infra/**", true],
    ["/p/infra", "/p/infra/**", true],
    ["/p/infra2/a", "/p/infra/**", false],
    ["/p/a/b/c.lock", "/p/**/*.lock", true],
    ["/p/c.lock", "/p/**/*.lock", true],
    ["/p/c.locks", "/p/**/*.lock", false],
    ["/p/a/x", "/p/*/x", true],
    ["/p/a/b/x", "/p/*/x", false],
    ["/p/v1.txt", "/p/v[0-9].txt", true],
    ["/p/vx.txt", "/p/v[!0-9].txt", true],
    ["/p/a.json", "/p/*.{json,yml}", true],
    ["/p/*.lock", "/p/yarn.lock", true],
    ["/p/*.txt", "/p/yarn.lock", false],
    ["/p/ya?n.lock", "/p/yarn.lock", true],
    ["/p/a+b", "/p/a+b", true],
    ["/p/x", "/p/[z-a]", false],
  ])("%s and %s: %s", (path, glob, expected) => expect(mayMatch(path, glob)).toBe(expected));

  test("hostile globs take no exponential time", () => {
    expect(mayMatch(`/${"a".repeat(200)}/${"b/".repeat(90)}`, `/${"*a".repeat(60)}c/${"**/".repeat(90)}x`)).toBe(false);
  });

  test("each path fits itself and `**`", () => {
    const name = fc.stringMatching(/^[\w.-]{1,12}$/);
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 8 }), (names) => {
        const path = `/${names.join("/")}`;
        expect(mayMatch(path, path)).toBe(true);
        expect(mayMatch(path, "/**")).toBe(true);
        expect(mayMatch(path, `/${names[0]}/**`)).toBe(true);
        expect(mayMatch(path, `${path}/x`)).toBe(false);
      }),
    );
  });
});

test.each([
  ["write", "block"],
  ["delete", "block"],
  ["read", "allow"],
  ["use", "allow"],
] as const)("a file tool that does %s", (kind, expected) => {
  const path = "/home/dev/shop/infra/a.tf";
  const access: FileAccess = { kind, path, isGlob: false, source: path, call: null, edit: null };
  const found = protectedPaths.judgeFile?.(access, { place: PLACE, commands: [], paths: ["infra/**"], ownFiles: [] });
  expect(found?.decision ?? "allow").toBe(expected);
});

test("without globs nothing is protected", () => {
  expect(decisionOf(protectedPaths, "rm -rf infra")).toBe("allow");
});
