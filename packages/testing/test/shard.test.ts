import fc from "fast-check";
import { expect, test } from "vitest";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { isInShard, parseShard, type Shard } from "../select/shard.ts";

const shardsOf = (count: number): readonly Shard[] =>
  Array.from({ length: count }, (_, place) => ({ index: place + 1, count }));
const keys = fc.array(fc.string(), { minLength: 1, maxLength: 3 });

test("each key is in exactly one of the shards", () => {
  fc.assert(
    fc.property(keys, fc.integer({ min: 1, max: 30 }), (key, count) => {
      expect(shardsOf(count).filter((shard) => isInShard(key, shard))).toHaveLength(1);
    }),
    propertyRuns(300),
  );
});

test("many keys are spread over all shards", () => {
  const all = Array.from({ length: 1000 }, (_, index) => [`guard-${index % 40}`, `case ${index}`]);
  for (const count of [2, 3, 4, 8]) {
    const sizes = shardsOf(count).map((shard) => all.filter((key) => isInShard(key, shard)).length);
    expect(Math.min(...sizes), sizes.join()).toBeGreaterThan((0.6 * all.length) / count);
  }
});

test.each([
  ["1/1", { index: 1, count: 1 }],
  ["2/5", { index: 2, count: 5 }],
  ["9999/9999", { index: 9999, count: 9999 }],
  ...["0/5", "6/5", "-1/5", "1/0", "01/5", "1/5/6", "1 /5", "1/5\n", "", "/", "a/b", "1/99999"].map(
    (text) => [text, null] as const,
  ),
] as const)("%j is the shard %j", (text, shard) => expect(parseShard(text)).toEqual(shard));
