import fc from "fast-check";
import { expect, test } from "vitest";
import { propertyRuns, sampledRows } from "../../../../test/support/property-runs.ts";
import { EXAMPLES } from "../../examples.ts";
import { GUARDS } from "../../guards.ts";
import { findingOf } from "./examples-of.ts";
import { decisionOf, judge } from "./judge.ts";

/** Programs that the guards know, and some that feed or start them. */
const SIMPLE = fc.constantFrom(
  ...["a", "cat f", "kill", "kill -9 1", "fuser -k 1/tcp", "pkill x", "pgrep hookctl", "xargs kill", "xargs -r rm -rf"],
  ...[
    "git reset --hard",
    "rm -rf x",
    "sh",
    "eval",
    "tee f",
    "terraform destroy",
    "env",
    "source f",
    "base64 -d",
    "ssh h",
  ],
  ...["hookctl trust --yes", "python3 -", "find . -delete", "npm publish", "dd of=f", "time a", "systemctl stop x"],
);

/** Ways to put commands together, each inside of each. */
const { script } = fc.letrec<{ script: string }>((tie) => {
  const inner = tie("script");
  const pair = fc.tuple(inner, inner);
  return {
    script: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      SIMPLE,
      fc.tuple(inner, SIMPLE).map(([from, to]) => `${from} | ${to}`),
      inner.map((one) => `x=$(${one})`),
      inner.map((one) => `echo "\`${one}\`"`),
      inner.map((one) => `kill $(${one})`),
      inner.map((one) => `f() { ${one}; }; f`),
      inner.map((one) => `( ${one} )`),
      inner.map((one) => `while ${one}; do ${one}; done < <(${one})`),
      inner.map((one) => `xargs sh -c '${one.replaceAll("'", "")}'`),
      pair.map(([one, two]) => `${one}; ${two}`),
      pair.map(([one, two]) => `if ${one}; then ${two}; fi | xargs kill`),
    ),
  };
});

test("every guard judges every composition, and does not fail", () => {
  fc.assert(
    fc.property(script, (command) => {
      for (const guard of Object.values(GUARDS)) judge(guard, { command });
    }),
    propertyRuns(1000),
  );
});

test.each([
  ["x=$(a | xargs kill)", "allow"],
  ["stop() { lsof -ti :3000 | xargs kill -9; }; stop", "allow"],
  ["hookctl trust --yes; x=$(a | xargs kill)", "block"],
  ["x=$(pgrep hookctl | xargs kill)", "block"],
  ["f() { pgrep -f 'hookctl serve' | xargs kill; }; f", "block"],
])("%s: %s", (command, decision) => {
  expect(decisionOf(GUARDS["self-protection"], command)).toBe(decision);
});

test.each(Object.values(GUARDS))("$name judges names that every object has in the place of each word", (guard) => {
  const { blocked, asked, allowed, gaps } = EXAMPLES[guard.name];
  for (const { command } of sampledRows([...blocked, ...asked, ...allowed, ...gaps])) {
    const words = command.split(/(\s+|[;|&()'"=])/);
    for (let at = 0; at < words.length; at += 2) {
      const name = at % 4 === 0 ? "constructor" : "__proto__";
      expect(() => findingOf(guard, { command: words.with(at, name).join("") })).not.toThrow();
    }
  }
});

test("constructor=1 git push: a variable of any name", () => {
  expect(decisionOf(GUARDS.git, "constructor=1 git push")).toBe("allow");
  expect(decisionOf(GUARDS.git, "constructor=1 HUSKY=0 git push")).toBe("block");
});
