import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { ADDITIONS, type AdditionKind, type Additions } from "../../src/protocol/additions.ts";
import { pluralize } from "../../src/protocol/text/count.ts";
import { runMain } from "../support/in-process.ts";
import { parseRunJson } from "../support/json-output.ts";
import { printResponse } from "../support/shell.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

type Texts = Readonly<Partial<Record<AdditionKind, readonly string[]>>>;

/** A response or an entry that adds something, in each dialect and scheme that can. */
const ADDING: readonly {
  title: string;
  event: string;
  says?: object;
  prints?: object;
  entry?: object;
  texts: Texts;
}[] = [
  {
    title: "kodelet",
    event: "agent_stop",
    prints: {
      additional_context: ["a", "bé"],
      follow_up_messages: ["run the tests"],
      pushes: [{ message: "m", wake: false }],
      system_message: "for the user",
      state: { set: { k: 1 }, increment: { n: 2 }, delete: "d" },
    },
    texts: {
      context: ["a", "bé"],
      follow_ups: ["run the tests"],
      pushes: ['{"message":"m","wake":false}'],
      system_message: ["for the user"],
      state: ["k=1", "-d", "n+=2"],
    },
  },
  {
    title: "basecoat",
    event: "user_message_send",
    says: { dialect: "basecoat" },
    prints: { action: "injectContext", additionalContext: "rules" },
    texts: { context: ["rules"] },
  },
  {
    title: "claude",
    event: "user_message_send",
    says: { dialect: "claude" },
    prints: {
      hookSpecificOutput: { hookEventName: "UserPromptSubmit", additionalContext: "rules" },
      systemMessage: "seen",
    },
    texts: { context: ["rules"], system_message: ["seen"] },
  },
  {
    title: "copilot",
    event: "session_start",
    says: { dialect: "copilot" },
    prints: { additionalContext: "rules" },
    texts: { context: ["rules"] },
  },
  {
    title: "inject",
    event: "user_message_send",
    entry: { inject: "remember" },
    texts: { context: ["remember"] },
  },
  {
    title: "template_push",
    event: "turn_end",
    entry: { template_push: { message: "over", wake: false } },
    texts: { pushes: ['{"push_when":true,"wake":false,"message":"over","session":null}'] },
  },
];

const NOTHING: readonly { title: string; says: object; prints: object }[] = [
  { title: "an observer", says: { observe: true }, prints: { additional_context: ["a"] } },
  { title: "a failed hook", says: { fail_open: false }, prints: { blocked: "perhaps", additional_context: ["a"] } },
  { title: "a silent hook", says: {}, prints: {} },
];

const payloadFor = (event: string): string =>
  JSON.stringify({ conv_id: "s1", message: "hi", messages: [{ role: "user", content: "hi" }], response: "r", event });

async function ran(
  place: Workspace,
  event: string,
  says: object | undefined,
  prints: object | undefined,
  entry?: object,
) {
  if (entry !== undefined)
    await place.write("home/.kodelet/hooks.json", JSON.stringify({ hooks: [{ name: "h", on: event, ...entry }] }));
  else await place.hook("h", printResponse(prints ?? {}), { says: JSON.stringify({ event, ...says }) });
  const stdin = payloadFor(event);
  const json = parseRunJson(await runMain(place, ["run", event, "--json", "-q"], { stdin }));
  const line = (await place.read("home/.local/state/hookctl/audit.jsonl"))
    ?.split("\n")
    .find((one) => one.includes('"hooks"'));
  const recorded = JSON.parse(line ?? "{}") as { readonly hooks?: readonly { readonly added?: Additions }[] };
  const [why, log] = [await runMain(place, ["why"]), await runMain(place, ["log"])];
  return { shown: json.hooks[0]?.added, recorded: recorded.hooks?.[0]?.added, why: why.stdout, log: log.stdout };
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

test.each(ADDING)("what a hook adds is in the record, run --json, why and log: $title", async (row) => {
  await using place = await workspace();
  const { shown, recorded, why, log } = await ran(place, row.event, row.says, row.prints, row.entry);
  const entries = Object.entries(row.texts) as [AdditionKind, readonly string[]][];
  const expected = entries.map(([kind, texts]) => {
    const all = texts.join("\n");
    return [kind, { count: texts.length, bytes: Buffer.byteLength(all), hash: sha256(all) }] as const;
  });
  expect(shown).toEqual(Object.fromEntries(expected));
  expect(recorded).toEqual(shown);
  for (const [kind, { count, bytes, hash }] of expected)
    expect(why).toContain(
      `${ADDITIONS[kind]} (${pluralize(count, "text")}, ${pluralize(bytes, "byte")}, ${hash.slice(0, 4)}…)`,
    );
  expect(log).toContain(`h added ${entries.map(([kind]) => ADDITIONS[kind]).join(", ")}`);
});

test.each(NOTHING)("$title adds nothing, and no record says that it did", async ({ says, prints }) => {
  await using place = await workspace();
  const { shown, recorded, why, log } = await ran(place, "user_message_send", says, prints);
  expect({ shown, recorded }).toEqual({ shown: undefined, recorded: undefined });
  expect(why + log).not.toMatch(/added/);
});

test("log marks a run in which a hook failed, and not one whose hook is not approved", async () => {
  await using place = await workspace();
  await place.hook("lint", "exit 1", { says: "agent_stop" });
  await place.hook("notes", printResponse({}), { says: "agent_stop" });
  await place.hook("theirs", printResponse({}), { scope: "project", says: "user_message_send" });
  for (const event of ["agent_stop", "user_message_send"])
    await runMain(place, ["run", event, "-q"], { stdin: payloadFor(event) });
  const [failed = "", refused = ""] = (await runMain(place, ["log"])).stdout.split("\n");
  expect(failed).toMatch(/ {2}allow ▲ +agent_stop +lint failed /);
  expect(refused).toMatch(/ {2}allow +user_message_send /);
  expect(refused).not.toContain("failed");
});
