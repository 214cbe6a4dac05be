import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FILE_SCHEMAS } from "../../authoring/commands/schema.ts";
import { compareFiles, lockText, parseLock } from "../lock.ts";

const hash = "0".repeat(64);
const commit = "1".repeat(40);
const pack = {
  source: "https://git.example/a/b.git",
  commit,
  files: { "hooks/guard": { sha256: hash, executable: true } },
};
const lockOf = (packs: object): string => JSON.stringify({ version: 1, packs });
const parsed = (packs: object) => parseLock(lockOf(packs), "hooks.lock");

describe("a lock file", () => {
  test("is written in one order, whatever the order of its packs and files", () => {
    const files = { "hooks/b": { sha256: hash }, "hooks/a": { sha256: hash, executable: true } };
    const [one, other] = [
      parsed({ b: pack, "a@b": { ...pack, files } }),
      parsed({ "a@b": { ...pack, files }, b: pack }),
    ];
    if (!one.ok || !other.ok) throw new Error("not parsed");
    expect(lockText(one.value)).toBe(lockText(other.value));
    expect(JSON.parse(lockText(one.value))).toEqual({ version: 1, packs: { "a@b": { ...pack, files }, b: pack } });
    expect(parseLock(lockText(one.value), "hooks.lock")).toEqual(one);
  });

  const refused: readonly (readonly [title: string, text: string])[] = [
    ["is not JSON", "{"],
    ["names a pack twice", `{"version":1,"packs":{"b":${JSON.stringify(pack)},"b":${JSON.stringify(pack)}}}`],
    ["has another version", JSON.stringify({ version: 2, packs: {} })],
    ["has an unknown key", JSON.stringify({ version: 1, packs: {}, run: "x" })],
    ["has a name that leads out", lockOf({ "../../x": pack })],
    ["has a hidden name", lockOf({ ".git": pack })],
    ["has a file that leads out", lockOf({ b: { ...pack, files: { "../../.bashrc": { sha256: hash } } } })],
    ["has a hidden file", lockOf({ b: { ...pack, files: { "hooks/.envrc": { sha256: hash } } } })],
    ["has a hash that is none", lockOf({ b: { ...pack, files: { "hooks/x": { sha256: "x" } } } })],
    ["has a source that starts a program", lockOf({ b: { ...pack, source: "ext::sh -c x" } })],
    ["has a revision that is an option", lockOf({ b: { ...pack, revision: "--upload-pack=x" } })],
    ["has a commit that is none", lockOf({ b: { ...pack, commit: "--output=x" } })],
    ["pins no commit", lockOf({ b: { source: pack.source, files: {} } })],
    ["pins no integrity", lockOf({ b: { source: "npm:x", version: "1.0.0", files: {} } })],
    [
      "has a version that is another source",
      lockOf({ b: { source: "npm:x", version: "file:/x", integrity: `sha512-${"a".repeat(86)}==`, files: {} } }),
    ],
  ];
  test.each(refused)("%s and is refused", (_title, text) => {
    expect(parseLock(text, "hooks.lock")).toMatchObject({ ok: false, error: { code: "PACK_LOCK_INVALID" } });
  });

  test("has a JSON Schema that accepts what is written", () => {
    const isValid = new Ajv2020({ strict: false }).compile(FILE_SCHEMAS.lock());
    expect(isValid(JSON.parse(lockOf({ b: pack })))).toBe(true);
    expect(isValid({ version: 1, packs: { b: { ...pack, scripts: [] } } })).toBe(false);
  });
});

test("two states of files are the same only if each hash and each execute bit is", () => {
  const marks = fc.dictionary(
    fc.constantFrom("a", "b", "c"),
    fc.record({ sha256: fc.constantFrom("0", "1"), executable: fc.constantFrom(true as const, undefined) }),
  );
  fc.assert(
    fc.property(marks, marks, (before, now) => {
      const states = compareFiles(new Map(Object.entries(before)), new Map(Object.entries(now)));
      expect(states.map(({ path }) => path)).toEqual(
        [...new Set([...Object.keys(before), ...Object.keys(now)])].sort(),
      );
      for (const { path, state } of states) {
        const [was, is] = [before[path], now[path]];
        const expected = was === undefined ? "new" : is === undefined ? "gone" : null;
        const isSame = was?.sha256 === is?.sha256 && was?.executable === is?.executable;
        expect(state).toBe(expected ?? (isSame ? "same" : "changed"));
      }
    }),
  );
});
