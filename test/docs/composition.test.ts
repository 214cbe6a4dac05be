import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { runMain } from "../support/in-process.ts";
import { outcomes, parseRunJson } from "../support/json-output.ts";
import { printResponse } from "../support/shell.ts";
import { workspace } from "../support/workspace.ts";

const text = readFileSync(new URL("../../docs/composition.md", import.meta.url), "utf8");

interface Chain {
  readonly title: string;
  readonly lines: readonly (readonly [word: string, rest: string])[];
}

/** Each chain with the heading above it. */
const chains = text.split(/^## /m).flatMap((section): Chain[] => {
  const title = section.split("\n")[0] ?? "";
  const blocks = [...section.matchAll(/^```chain\n([\s\S]*?)^```$/gm)];
  return blocks.map(([, body = ""]) => ({ title, lines: body.trim().split("\n").map(splitOnce) }));
});

function splitOnce(line: string): [string, string] {
  const at = line.indexOf(" ");
  return [line.slice(0, at), line.slice(at + 1)];
}

function hookOf(line: string): { name: string; says: string; body: string } {
  const [, name = "", says = "", said = ""] = /^(\S+) (.+?) -> (.+)$/.exec(line) ?? [];
  return { name, says, body: `cat >/dev/null; ${said.startsWith("exit ") ? said : printResponse(said)}` };
}

test("there is an example for the order and for each of the ten rules", () => {
  const titles = new Set(chains.map(({ title }) => title.split(".")[0]));
  expect([...titles]).toEqual(["Order", ..."1 2 3 4 5 6 7 8 9 10".split(" ")]);
});

describe.each(chains)("$title", ({ lines }) => {
  const all = (word: string): readonly string[] => lines.filter(([one]) => one === word).map(([, rest]) => rest);
  const [event = "", decision, wanted] = [all("event")[0], all("decision")[0], all("outcomes")[0]];

  test("comes out as the page says", async () => {
    await using place = await workspace();
    for (const { name, says, body } of all("hook").map(hookOf)) await place.hook(name, body, { says });
    for (const settings of all("settings")) await place.write("home/.kodelet/hooks.json", settings);
    const stdin = all("payload")[0] ?? (await runMain(place, ["payload", event])).stdout;

    const plain = await runMain(place, ["run", event], { stdin });
    expect(JSON.parse(plain.stdout)).toEqual(JSON.parse(all("answer")[0] ?? ""));
    expect(plain.code).toBe(Number(all("exit")[0]));

    const record = parseRunJson(await runMain(place, ["run", event, "--json", "-q"], { stdin }));
    if (decision !== undefined) expect(record.decision).toBe(decision);
    if (wanted !== undefined) expect(outcomes(record).map((pair) => pair.join(" "))).toEqual(wanted.split(", "));
  });
});
