import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const textOf = (path: string): string =>
  readFileSync(fileURLToPath(new URL(`../../../../${path}`, import.meta.url)), "utf8");

test.each(["index", "hook", "testing"])(
  "the gate of types compiles a consumer of every export of packages/sdk/%s.ts",
  (entry) => {
    const lists = [...textOf(`packages/sdk/${entry}.ts`).matchAll(/^export (?:type )?\{([^}]*)\}/gm)];
    const names = lists.flatMap(([, list = ""]) =>
      list.split(",").flatMap((one) => one.trim().split(" ").at(-1) || []),
    );
    expect(names.length).toBeGreaterThan(4);
    const consumer = textOf("gates/fixtures/types/exports.ts").split("export type Types")[1] ?? "";
    expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(consumer))).toEqual([]);
  },
);
