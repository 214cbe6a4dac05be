import { describe, expect, test } from "vitest";
import { runInProcess } from "../support/in-process.ts";
import { parseRunJson } from "../support/json-output.ts";
import { withoutSandbox } from "../support/without-sandbox.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

withoutSandbox();

const USER = "home/.kodelet/hooks.json";
const PROJECT = "project/.kodelet/hooks.json";
const PUSH = `printf '%s' '{"push_when":true,"wake":true,"message":"m"}'`;
const SCHEMES = ["shell_exec", "shell_push"];

const entry = (place: Workspace, scheme: string, more: object = {}) => ({
  ...{ on: "turn_end", name: "log", [scheme]: `: > ${place.dir}/ran; ${PUSH}` },
  ...more,
});
const turnEnd = async (place: Workspace, flags = "") =>
  parseRunJson(
    await runInProcess(place, `run turn_end -q --json ${flags}`, { stdin: '{"conv_id":"s1","response":"r"}' }),
  );
const REFUSED = { name: "log", outcome: "refused", failure: { code: "HOOK_REFUSED_SANDBOX" } };

describe.each(SCHEMES)("%s", (scheme) => {
  test("needs the sandbox, and is refused where there is none: it never runs bare", async () => {
    await using place = await workspace();
    await place.write(USER, JSON.stringify({ hooks: [entry(place, scheme)] }));
    const result = await turnEnd(place);
    expect(result).toMatchObject({ decision: "continue", hooks: [REFUSED] });
    expect(result.hooks[0]?.failure?.hint).toContain('"overrides": {"log": {"sandbox": "off"}}');
    expect(await place.read("ran")).toBeNull();
  });

  test("runs without it when the user's entry says so", async () => {
    await using place = await workspace();
    await place.write(USER, JSON.stringify({ hooks: [entry(place, scheme, { sandbox: "off" })] }));
    expect(await turnEnd(place)).toMatchObject({ hooks: [{ name: "log", outcome: "continue" }], warnings: [] });
    expect(await place.read("ran")).toBe("");
  });

  test("of a project runs without it when the user types what the refusal says", async () => {
    await using place = await workspace();
    await place.write(PROJECT, JSON.stringify({ hooks: [entry(place, scheme)] }));
    expect(await runInProcess(place, "trust --yes")).toMatchObject({ code: 0 });
    expect(await turnEnd(place)).toMatchObject({ hooks: [REFUSED] });
    await place.write(USER, JSON.stringify({ overrides: { log: { sandbox: "off" } } }));
    expect(await turnEnd(place)).toMatchObject({ hooks: [{ outcome: "continue" }] });
  });

  test("of a project runs without it when its entry says so, and only once that is approved", async () => {
    await using place = await workspace();
    await place.write(PROJECT, JSON.stringify({ hooks: [entry(place, scheme)] }));
    await runInProcess(place, "trust --yes");
    await place.write(PROJECT, JSON.stringify({ hooks: [entry(place, scheme, { sandbox: "off" })] }));
    // The approved version still applies, and that one needs the sandbox.
    expect(await turnEnd(place)).toMatchObject({ hooks: [REFUSED] });
    expect(await place.read("ran")).toBeNull();
    await runInProcess(place, "trust --yes");
    expect(await turnEnd(place)).toMatchObject({ hooks: [{ outcome: "continue" }] });
  });

  test.each(["off", "auto"])("of a project is not let out by an override of the project: %s", async (sandbox) => {
    await using place = await workspace();
    const overrides = { log: { sandbox } };
    await place.write(PROJECT, JSON.stringify({ overrides, hooks: [entry(place, scheme)] }));
    await runInProcess(place, "trust --yes");
    expect(await turnEnd(place)).toMatchObject({ hooks: [REFUSED] });
    expect(await turnEnd(place, "--trust")).toMatchObject({ hooks: [REFUSED] });
    expect(await place.read("ran")).toBeNull();
  });
});

describe("the hint of a refused command names the settings file that is read", () => {
  const entries =
    'hooks:\n  - { on: turn_end, name: log, shell_exec: ":" }\n  - { on: turn_end, inject: still here }\n';
  const json = JSON.stringify({ hooks: [{ on: "turn_end", name: "log", shell_exec: ":" }] });
  const files: { path: string; text: string; flags?: string }[] = [
    { path: "home/.kodelet/hooks.yaml", text: entries },
    { path: "home/.kodelet/hooks.json", text: json },
    { path: "home/.config/hookctl/config.json", text: json },
    { path: "own.yaml", text: entries, flags: "--config ../own.yaml" },
  ];

  test.each(files)("$path, and what it says to write there works", async ({ path, text, flags = "" }) => {
    await using place = await workspace();
    await place.write(path, text);
    const hint = (await turnEnd(place, flags)).hooks[0]?.failure?.hint ?? "";
    const [, named = "", line = ""] = /add to (\S+): (.*)$/.exec(hint) ?? [];
    expect(named).toBe(`DIR/${path}`);
    await place.write(path, path.endsWith("json") ? text.replace("{", `{${line},`) : `${text}${line}\n`);
    expect(await turnEnd(place, flags)).toMatchObject({ decision: "continue", warnings: [] });
  });

  test("and the usual one where there is none yet", async () => {
    await using place = await workspace();
    await place.write(PROJECT, json);
    await runInProcess(place, "trust --yes");
    expect((await turnEnd(place)).hooks[0]?.failure?.hint).toContain("add to ~/.kodelet/hooks.json: ");
  });
});

test("a project may box in what the user let out, and a template needs no sandbox", async () => {
  await using place = await workspace();
  const overrides = { log: { sandbox: "require" } };
  const template = { on: "turn_end", name: "t", template_push: { message: "m" } };
  const hooks = [entry(place, "shell_exec", { sandbox: "off" }), template];
  await place.write(PROJECT, JSON.stringify({ overrides, hooks }));
  await runInProcess(place, "trust --yes");
  expect(await turnEnd(place)).toMatchObject({ hooks: [REFUSED, { name: "t", outcome: "continue" }] });
});
