import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { beforeAll, describe, expect, test } from "vitest";

interface Case {
  readonly id: string;
  readonly class: "list" | "run" | "test";
  readonly title: string;
}

/** What this version cannot do yet, each with the reason. A case that passes all the same fails here. */
const NOT_YET: Readonly<Record<string, string>> = {};

const PASSED = /^(ok|skip)/;

/**
 * The corpus expects these responses to fail the hook. A block in them can be read, and a block that can be read counts
 * (docs/composition.md), so what is expected here is just that block.
 */
const BLOCKS: Readonly<Record<string, string>> = {
  P14: "bytes that are not UTF-8 become U+FFFD",
  P17: "the block stands before the other text",
  P18: "of two objects the more restrictive one counts",
  P19: "the block stands on a line of its own",
  P20: "no depth beside it hides a block",
  P21: "of a key that stands twice the blocking value counts",
  P23: "the key before the fault counts",
  P26: "the key before the end counts",
};
const ONLY_BLOCKED =
  /^FAIL .*\n\s+- exit class blocked \(code 2 \), wanted ok\n\s+- decision block, wanted pass\n\s+- hook status \[block\], wanted error$/;

const root = fileURLToPath(new URL("../..", import.meta.url));
const corpus = resolve(process.env.HOOKCTL_HOSTILE_CORPUS ?? join(root, "..", "shared", "hostile"));
const adapter = join(root, "test", "hostile", "adapter.mjs");
const whyNot = reasonToSkip();
const cases = whyNot === null ? readCases(join(corpus, "public", "cases.json")) : [];

describe.skipIf(whyNot !== null)(`hostile hooks${whyNot === null ? "" : `: skipped, ${whyNot}`}`, () => {
  let lines: ReadonlyMap<string, string>;

  beforeAll(async () => {
    const first = await resultsOf([]);
    const failed = cases.map(({ id }) => id).filter((id) => !(id in NOT_YET) && !hasEnded(id, first));
    // A hook with a limit of one second misses it when a busy machine needs as long to start its interpreter. A fault
    // of ours fails twice.
    const second = failed.length === 0 ? [] : await resultsOf(failed);
    lines = new Map([...first, ...second]);
  }, 300_000);

  test.each(cases.map((one) => ({ ...one, fate: fateOf(one) })))("$id $title $fate", ({ id }) => {
    const result = lines.get(id) ?? "no line of the harness";
    if (id in NOT_YET) expect(result).toMatch(/^FAIL/);
    else if (id in BLOCKS) expect(result).toMatch(ONLY_BLOCKED);
    else expect(result).toMatch(PASSED);
  });

  test("the list of what cannot pass yet names only cases that exist", () => {
    const known = cases.map(({ id }) => id);
    expect([...Object.keys(NOT_YET), ...Object.keys(BLOCKS)].filter((id) => !known.includes(id))).toEqual([]);
  });
});

test.runIf(whyNot !== null)(`the corpus of hostile hooks is not used: ${whyNot}`, (context) => {
  context.skip(whyNot ?? "");
});

function reasonToSkip(): string | null {
  if (process.platform !== "linux") return "it needs Linux";
  if (!existsSync(join(corpus, "harness.mjs"))) {
    return `there is none at ${join("…", basename(dirname(corpus)), basename(corpus))}; name it in HOOKCTL_HOSTILE_CORPUS`;
  }
  return null;
}

function readCases(file: string): readonly Case[] {
  const { cases: found } = JSON.parse(readFileSync(file, "utf8")) as { cases: readonly Case[] };
  return found;
}

function fateOf({ id }: Case): string {
  if (id in BLOCKS) return `(blocks: ${BLOCKS[id]})`;
  return id in NOT_YET ? `(cannot pass yet: ${NOT_YET[id]})` : "";
}

const hasEnded = (id: string, results: ReadonlyMap<string, string>): boolean =>
  (id in BLOCKS ? ONLY_BLOCKED : PASSED).test(results.get(id) ?? "");

/** Starts the harness on some cases, on all when none is named. */
async function resultsOf(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const { stdout } = await execa(process.execPath, [join(corpus, "harness.mjs"), adapter, "public", ...ids], {
    reject: false,
    stripFinalNewline: true,
  });
  console.log(stdout);
  return resultsById(stdout);
}

/** Id -> the rest of its line, with the indented lines below it. */
function resultsById(stdout: string): ReadonlyMap<string, string> {
  const parts = stdout.split(/\n(?=[A-Z]\d+ |\{)/);
  return new Map(
    parts.flatMap((part): [string, string][] => {
      const [, id, rest] = /^([A-Z]\d+) +([\s\S]*)$/.exec(part) ?? [];
      return id === undefined || rest === undefined ? [] : [[id, rest]];
    }),
  );
}
