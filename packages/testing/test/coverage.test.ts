import { join } from "node:path";
import { execa } from "execa";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { aHook } from "../../../test/chain/builders.ts";
import { runInProcess } from "../../../test/support/in-process.ts";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { workspace } from "../../../test/support/workspace.ts";
import { coverageProbe } from "../coverage/hook-coverage.ts";
import { missingRanges } from "../coverage/line-coverage.ts";

const BASH = `#!/usr/bin/env bash
call=$(cat)
check() {
  if [[ $1 == *danger* ]]; then
    echo blocked
  elif grep -q ask <<< "$1"; then
    echo asked
  else
    echo fine
  fi
}
check "$call" # the last line
`;

const PYTHON = `#!/usr/bin/env python3
import sys

def check(call):
    if "danger" in call:
        return "blocked"
    if "ask" in call:
        return "asked"
    return "fine"

print(check(sys.stdin.read()))
`;

const NODE = `#!/usr/bin/env node
const { readFileSync } = require("node:fs");
function check(call) {
  if (call.includes("danger")) {
    return "blocked";
  }
  if (call.includes("ask")) {
    // a comment
    return "asked";
  }
  return "fine";
}
console.log(check(readFileSync(0, "utf8")));
`;

const languages: readonly (readonly [
  name: string,
  program: string,
  missing: Readonly<Record<string, readonly string[]>>,
])[] = [
  ["bash", BASH, { danger: ["6-9"], ask: ["5", "9"], "": ["5", "7"] }],
  ["python", PYTHON, { danger: ["7-9"], ask: ["6", "9"], "": ["6", "8"] }],
  [
    "python, isolated",
    PYTHON.replace("/usr/bin/env python3", "/usr/bin/env -S python3 -I"),
    { danger: ["7-9"], ask: ["6", "9"] },
  ],
  ["node", NODE, { danger: ["7-11"], ask: ["5", "11"], "": ["5", "9"] }],
];

describe.each(languages)("lines of a hook in %s", (_, program, missing) => {
  test.each(Object.entries(missing))("with the input %j", async (input, lines) => {
    await using place = await workspace();
    const path = await place.write("a guard", program, 0o755);
    const probe = coverageProbe(aHook("guard", { path }), join(place.dir, "coverage"));
    const { stdout, stderr } = await execa(probe.program?.startedAs ?? path, { input, env: probe.variables });
    expect({ stdout, stderr }).toEqual({ stdout: { danger: "blocked", ask: "asked" }[input] ?? "fine", stderr: "" });
    expect(probe.read([])).toEqual({
      unit: "lines",
      missing: lines,
      reached: expect.any(Number),
      total: expect.any(Number),
    });
  });

  test("two processes reach what each of them reaches", { tags: "slow" }, async () => {
    await using place = await workspace();
    const path = await place.write("a guard", program, 0o755);
    const probe = coverageProbe(aHook("guard", { path }), join(place.dir, "coverage"));
    for (const input of ["danger", "ask", ""])
      await execa(probe.program?.startedAs ?? path, { input, env: probe.variables });
    const { reached, total, missing: left } = probe.read([]);
    expect({ left, isWhole: reached === total && total > 3 }).toEqual({ left: [], isWhole: true });
  });
});

test.each([
  ["a shell that cannot tell", "#!/bin/sh\necho\n", /only bash, python and node/],
  ["a hook that no case starts", BASH, /wrote nothing/],
  ["an interpreter without its environment", "#!/usr/bin/env -S -i bash\necho\n", /wrote nothing/],
])("%s says so", async (_, program, words) => {
  await using place = await workspace();
  const path = await place.write("a guard", program, 0o755);
  const probe = coverageProbe(aHook("guard", { path }), join(place.dir, "coverage"));
  expect(probe.read([]).unknownBecause).toMatch(words);
});

test("a python hook in its probe is started as in a run: name, arguments, folder of its modules, exit code", async () => {
  await using place = await workspace();
  await place.write("helper.py", "SAYS = 'helped'\n");
  const body = "import helper, sys\nif __name__ == '__main__': print(sys.argv, __file__, helper.SAYS)\nsys.exit(3)\n";
  const path = await place.write("guard", `#!/usr/bin/env python3\n${body}`, 0o755);
  const start = coverageProbe(aHook("guard", { path }), join(place.dir, "coverage")).program?.startedAs ?? "";
  const [plain, probed] = await Promise.all([path, start].map((file) => execa(file, ["run"], { reject: false })));
  expect(probed).toMatchObject({ exitCode: 3, stdout: plain?.stdout, stderr: "" });
  expect(plain?.stdout).toContain("helped");
});

test("what a hook writes in the place of the record is no coverage", async () => {
  await using place = await workspace();
  const path = await place.write("guard", PYTHON, 0o755);
  const probe = coverageProbe(aHook("guard", { path }), join(place.dir, "coverage"));
  await place.write("coverage/lines", "no JSON");
  expect(probe.read([]).unknownBecause).toMatch(/wrote nothing/);
});

test("hookctl test --coverage names the lines of a hook, and the rules of a guard, that no case reached", async () => {
  await using place = await workspace();
  await place.write(
    "home/.kodelet/hooks/guard",
    `#!/usr/bin/env bash
if [[ $1 == hook ]]; then
  echo before_tool_call
  exit
fi
if [[ $(cat) == *danger* ]]; then
  echo '{"blocked":true,"reason":"no"}'
fi
`,
    0o755,
  );
  const allow = { name: "allows", payload: { tool_input: { command: "git status" } }, expect: { decision: "allow" } };
  const block = {
    ...allow,
    name: "blocks",
    payload: { tool_input: { command: "git reset --hard" } },
    expect: { decision: "block" },
  };
  await place.write("home/.kodelet/tests/guard.json", JSON.stringify({ hook: "guard", cases: [allow] }));
  await place.write("home/.kodelet/tests/git.json", JSON.stringify({ guard: "git", cases: [allow, block] }));
  const text = await runInProcess(place, "test --coverage");
  expect(text).toMatchObject({ code: 0, stderr: "" });
  expect(text.stdout).toMatch(/▲ \d of \d lines reached by its cases, not 7\n/);
  expect(text.stdout).toMatch(/▲ 1 of \d+ rules reached by its cases, not /);
  const json = JSON.parse((await runInProcess(place, "test guard --coverage --json")).stdout);
  expect(json.hooks).toMatchObject([{ name: "guard", coverage: { unit: "lines", missing: ["7"] } }]);
  expect((await runInProcess(place, "test")).stdout).not.toContain("reached");
});

test("ranges name each line that could run and did not, and no other", () => {
  const lines = fc.uniqueArray(fc.integer({ min: 1, max: 40 }));
  fc.assert(
    fc.property(lines, lines, (all, reached) => {
      const ranges = missingRanges({ all: new Set(all), reached: new Set(reached) });
      const named = ranges.flatMap((range) => {
        const [first = 0, last = first] = range.split("-").map(Number);
        return Array.from({ length: last - first + 1 }, (_, index) => first + index);
      });
      expect(all.filter((line) => named.includes(line)).toSorted()).toEqual(
        all.filter((line) => !reached.includes(line)).toSorted(),
      );
    }),
    propertyRuns(500),
  );
});
