import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Those that ask for no more than their notice. */
const ALLOWED = ["MIT", "ISC", "BSD-2-Clause", "BSD-3-Clause", "Apache-2.0", "0BSD", "BlueOak-1.0.0", "Python-2.0"];

interface LockedPackage {
  readonly license?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
}

const { packages }: { readonly packages: Readonly<Record<string, LockedPackage>> } = JSON.parse(
  readFileSync(join(root, "package-lock.json"), "utf8"),
);

const forUsers = Object.entries(packages).filter(([path, { dev }]) => path !== "" && dev !== true);

test("a user gets dependencies of allowed licences alone", () => {
  expect(forUsers.length).toBeGreaterThan(50);
  const others = forUsers.filter(([, { license = "none" }]) => !ALLOWED.includes(license));
  expect(others.map(([path, { license }]) => `${path}: ${license}`)).toEqual([]);
});

test("each dependency says in its own package.json what the lock file says", () => {
  const installed = forUsers.filter(([path]) => existsSync(join(root, path)));
  expect(installed.length).toBeGreaterThan(50);
  const differing = installed.filter(([path, { license }]) => {
    const own: { readonly license?: string } = JSON.parse(readFileSync(join(root, path, "package.json"), "utf8"));
    return own.license !== license;
  });
  expect(differing.map(([path]) => path)).toEqual([]);
});

test("every library in a bundle has its licence beside it", () => {
  const bundles = [
    { licences: "dist/cold/LICENSE", libraries: ["zod", "diff"] },
    { licences: "dist/hot-parser.LICENSE", libraries: ["unbash"] },
    { licences: "dist/library/remove-types.LICENSE", libraries: ["sucrase"] },
  ];
  const missing = bundles.flatMap(({ licences, libraries }) => {
    const text = readFileSync(join(root, licences), "utf8");
    return libraries.filter((name) => !text.includes(`${name}\n\n`) || !/copyright/i.test(text));
  });
  expect(missing).toEqual([]);
});

test("no other library is bundled", () => {
  const notices = readdirSync(join(root, "dist"), { recursive: true, encoding: "utf8" }).filter((name) =>
    /LICENSE$/.test(name),
  );
  expect(notices.toSorted()).toEqual(["cold/LICENSE", "hot-parser.LICENSE", "library/remove-types.LICENSE"]);
});
