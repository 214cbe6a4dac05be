import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { outputSchemas } from "../../packages/authoring/commands/schema.ts";
import { runInProcess } from "../support/in-process.ts";
import { toolCall } from "../support/payloads.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const SCHEMAS = outputSchemas();
const ajv = new Ajv2020({ allowUnionTypes: true });
const validators = Object.fromEntries(Object.entries(SCHEMAS).map(([name, schema]) => [name, ajv.compile(schema)]));

/** Calls that answer with each form, in different states. */
const CALLS: Readonly<Record<string, readonly string[]>> = {
  "hookctl.problem/1": ["list extra", "why nothing", "config show nothing", "--nonsense", "run nothing"],
  "hookctl.run/1": ["run before_tool_call", "run before_tool_call --hook guard", "run before_tool_call --no-hooks"],
  "hookctl.list/1": ["list", "list --no-hooks"],
  "hookctl.test/1": ["test guard", "test theirs --trust"],
  "hookctl.record/1": ["log", "log --last 1"],
  "hookctl.why/1": ["why"],
  "hookctl.report/1": ["report"],
  "hookctl.stats/1": ["stats"],
  "hookctl.doctor/1": ["doctor", "doctor claude"],
  "hookctl.status/1": ["status"],
  "hookctl.overview/1": [""],
  "hookctl.config/1": ["config", "config show timeout"],
  "hookctl.config-changed/1": ["config set timeout 5s", "config unset timeout"],
  "hookctl.guards/1": ["guards", "guards git secrets"],
  "hookctl.explain/1": ["explain ls", "explain git\treset\t--hard", "explain $X", "explain curl\tx|sh"],
  "hookctl.rules/1": ["rules"],
  "hookctl.off/1": ["off"],
  "hookctl.install/1": ["install claude", "install gemini --scope user --dry-run"],
  "hookctl.uninstall/1": ["uninstall claude --dry-run"],
  "hookctl.uninstall-all/1": ["uninstall --all --dry-run", "uninstall --all --yes"],
  "hookctl.init/2": ["init --yes --agents claude --guards git", "init --dry-run --agents codex"],
  "hookctl.schema/1": ["schema"],
};

/** A guard, a hook that nobody approved, and runs that were allowed, blocked and failed. */
async function scene(): Promise<Workspace> {
  const place = await workspace();
  await place.hook(
    "guard",
    `case $(cat) in *forbidden*) echo '{"blocked":true,"reason":"no"}' ;; *bad*) exit 3 ;; esac`,
  );
  await place.hook("theirs", "cat >/dev/null", { scope: "project" });
  await place.write(
    "home/.kodelet/hooks.json",
    JSON.stringify({ guards: { git: true }, commands: { block: ["pip *"] }, overrides: { guard: { timeout: "9s" } } }),
  );
  for (const call of ["ls", "forbidden", "bad", "pip install x"])
    await runInProcess(place, "run before_tool_call", { stdin: toolCall(call) });
  return place;
}

/** The words of a call; a tab stands for a space inside an argument. */
async function answers(place: Workspace, call: string): Promise<readonly unknown[]> {
  const { stdout } = await runInProcess(place, `${call} --json`, { stdin: toolCall("forbidden") });
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

test("each schema names its draft and title, and has calls", () => {
  expect(Object.keys(CALLS).sort()).toEqual(Object.keys(SCHEMAS).sort());
  for (const [name, schema] of Object.entries(SCHEMAS)) {
    expect(schema.title).toBe(name);
    expect(schema.$schema).toBe("https://json-schema.org/draft/2020-12/schema");
  }
});

describe.each(Object.entries(CALLS))("%s", (name, calls) => {
  test("is what its calls answer with", async () => {
    await using place = await scene();
    for (const call of calls) {
      for (const answer of await answers(place, call)) {
        expect({ call, schema: Object(answer).schema }).toEqual({ call, schema: name });
        const validate = validators[name];
        const isValid = validate?.(answer) ?? false;
        expect(isValid, `${call}: ${ajv.errorsText(validate?.errors)}`).toBe(true);
        // A key that is lost or new is seen.
        expect(validate?.({ ...Object(answer), schema: "hookctl.other/1" })).toBe(false);
      }
    }
  });
});

test("hookctl schema prints each, and lists them", async () => {
  await using place = await workspace();
  const { stdout } = await runInProcess(place, "schema");
  expect(stdout.split("\n")).toEqual(expect.arrayContaining(Object.keys(SCHEMAS)));
  for (const [name, schema] of Object.entries(SCHEMAS)) {
    const printed = await runInProcess(place, `schema ${name}`);
    expect(JSON.parse(printed.stdout)).toEqual(schema);
  }
});
