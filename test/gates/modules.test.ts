import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const at = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

test("every module that a gate loads is built", () => {
  const names = [...readFileSync(at("gates/gate.mjs"), "utf8").matchAll(/"([\w/-]+\.js)": typeof import/g)];
  const modules = names.map(([, name = ""]) => name);
  expect(modules).toContain("src/main.js");
  expect(modules.filter((name) => !existsSync(at(`dist/${name}`)))).toEqual([]);
});
