import { describe, expect, test } from "vitest";
import { says } from "../../../../test/commands/off.ts";
import { runInProcess, runMain } from "../../../../test/support/in-process.ts";
import { toolCall } from "../../../../test/support/payloads.ts";
import { sampledRows } from "../../../../test/support/property-runs.ts";
import { type Workspace, workspace } from "../../../../test/support/workspace.ts";

const SETTINGS = "home/.kodelet/hooks.json";
const settingsOf = async (place: Workspace) => JSON.parse((await place.read(SETTINGS)) ?? "{}");
const calls = (place: Workspace) => (text: string, env?: Record<string, string>) =>
  runMain(place, text.match(/'[^']*'|\S+/g)?.map((word) => word.replace(/^'|'$/g, "")) ?? [], { ...(env && { env }) });

interface Written {
  readonly line: string;
  /** The first line, without the file. */
  readonly says: string;
  readonly settings: (project: string) => object;
}

const WRITTEN: readonly Written[] = [
  {
    line: "block 'npm publish *' --reason 'ask a person'",
    says: "✔ block npm publish *, for you everywhere",
    settings: () => ({ commands: { block: [{ match: "npm publish *", reason: "ask a person" }] } }),
  },
  {
    line: "ask terraform apply *",
    says: "✔ ask about terraform apply *, for you everywhere",
    settings: () => ({ commands: { ask: ["terraform apply *"] } }),
  },
  {
    line: "allow 'git push --force origin my-branch'",
    says: "✔ allow git push --force origin my-branch, for you in this project",
    settings: (project) => ({
      projects: { [project]: { commands: { allow: ["git push --force origin my-branch"] } } },
    }),
  },
  {
    line: "block infra/** --unless 'infra/dev/**' --here",
    says: "✔ block infra/**, for you in this project",
    settings: (project) => ({
      projects: { [project]: { files: { block: [{ match: "infra/**", unless: ["infra/dev/**"] }] } } },
    }),
  },
  {
    line: "ask '*.example.org'",
    says: "✔ ask about *.example.org, for you everywhere",
    settings: () => ({ hosts: { ask: ["*.example.org"] } }),
  },
  {
    line: "block https://me@api.example.org:8443/v1?x=1",
    says: "✔ block api.example.org:8443, for you everywhere",
    settings: () => ({ hosts: { block: ["api.example.org:8443"] } }),
  },
  {
    line: "allow --file package.json --global --until 2999-01-01T00:00:00Z",
    says: "✔ allow package.json, for you everywhere",
    settings: () => ({ files: { allow: [{ match: "package.json", until: "2999-01-01T00:00:00.999Z" }] } }),
  },
];

describe("a rule is written by one command", () => {
  test.each(sampledRows(WRITTEN))("$line", async ({ line, says: first, settings }) => {
    await using place = await workspace();
    const before = '{\n  "settings": { "timeout": "5s" }\n}\n';
    await place.write(SETTINGS, before);
    const run = calls(place);
    const added = await run(line);
    expect(added).toMatchObject({ stderr: "", code: 0 });
    expect(added.stdout.split(/ \((?=[~.])/)[0]).toBe(first);
    expect(added.stdout).toContain("▲ No agent calls hookctl here: hookctl init\nRemove it: hookctl rules remove ");
    expect(await settingsOf(place)).toMatchObject({ ...settings(place.project), settings: { timeout: "5s" } });
    const written = await place.read(SETTINGS);
    const again = await run(line);
    expect(again).toMatchObject({ stdout: expect.stringMatching(/^Already there: /), stderr: "", code: 0 });
    expect(await place.read(SETTINGS)).toBe(written);
    const json = JSON.parse((await run(`${line} --json`)).stdout);
    expect(json).toMatchObject({ schema: "hookctl.rule/1", changed: false, effective: true, connected: false });
    const removed = await run(`rules remove '${json.match}'`);
    expect(removed).toMatchObject({ stdout: expect.stringMatching(/^✔ removed: /), stderr: "", code: 0 });
    expect((await settingsOf(place))[json.subject]?.[json.decision]).toBeUndefined();
  });

  test("of one text the last decision counts", async () => {
    await using place = await workspace();
    const run = calls(place);
    for (const decision of ["block", "ask", "block --reason no"]) await run(`${decision} 'npm publish *'`);
    expect((await settingsOf(place)).commands).toEqual({ block: [{ match: "npm publish *", reason: "no" }] });
  });

  test("a project's rule is shared, and needs approval", async () => {
    await using place = await workspace();
    const run = calls(place);
    const added = await run("ask 'make deploy' --project");
    expect(added).toMatchObject({ stderr: "", code: 0 });
    expect(added.stdout).toContain("The change has no effect until you approve it: hookctl trust\n");
    expect(JSON.parse((await place.read("project/.kodelet/hooks.json")) ?? "")).toEqual({
      commands: { ask: ["make deploy"] },
    });
    const listed = await run("rules");
    expect(listed.stdout).toMatch(/^ask +make deploy +no effect: not approved: hookctl trust, in this project /);
    expect(JSON.parse((await run("rules --json")).stdout).rules[0]).toMatchObject({
      effective: false,
      scope: "project",
    });
    await run("trust --yes");
    expect((await run("rules")).stdout).toMatch(/^ask +make deploy +in this project /);
  });
});

const REFUSED: readonly (readonly [line: string, problem: string])[] = [
  ["block 'a | b'", '"a | b" is not one simple command'],
  ["allow '*'", '"*" would allow every program'],
  ["allow 'rm $X'", "has a part without a value: $X"],
  ["block ''", "The text of the rule is empty."],
  ["block example.org", "example.org may be a file or a host. Say which: --file or --host."],
  ["block --host 'not a host'", "is not a host"],
  ["block --host --file x.y", "A rule is about a command, a file or a host."],
  ["ask pip --here --global", "A rule goes into one settings file: --here, --global or --project."],
  ["ask pip --until 2020-01-01", "it is in the past"],
  ["rules add pip", "rules takes nothing or `remove RULE`, not add."],
];

test.each(REFUSED)("%s is refused, and nothing is written", async (line, problem) => {
  await using place = await workspace();
  const refused = await calls(place)(line);
  expect(refused).toMatchObject({ stdout: "", stderr: expect.stringContaining(problem), code: 64 });
  expect(await place.read(SETTINGS)).toBeNull();
});

test("an agent writes and removes no rule", async () => {
  await using place = await workspace();
  await place.write(SETTINGS, '{"commands":{"block":["pip"]}}');
  for (const line of ["block curl", "ask curl", "allow curl", "rules remove pip"]) {
    const refused = await runInProcess(place, line, { env: { CLAUDECODE: "1" }, host: says(null) });
    expect(refused).toMatchObject({ stdout: "", stderr: expect.stringContaining("TRUST_NEEDS_PERSON"), code: 77 });
  }
  expect(await place.read(SETTINGS)).toBe('{"commands":{"block":["pip"]}}');
});

test("YAML is not edited; the line to add is shown", async () => {
  await using place = await workspace();
  await place.write("home/.kodelet/hooks.yaml", "settings: { timeout: 5s } # mine\n");
  const refused = await calls(place)("block 'npm publish *' --here");
  expect(refused).toMatchObject({ stdout: "", code: 64 });
  expect(refused.stderr).toContain(`projects: { ${place.project}: { commands: { block: [ "npm publish *" ] } } }`);
});

test("rules that have no effect say why", async () => {
  await using place = await workspace();
  const rule = { match: "make x", until: "2020-01-01T00:00:00Z" };
  await place.write(SETTINGS, JSON.stringify({ commands: { block: [rule, "pip"] }, guards: { rules: false } }));
  const run = calls(place);
  const listed = await run("rules");
  expect(listed).toMatchObject({ stderr: "", code: 0 });
  expect(listed.stdout).toMatch(/^block +make x +no effect: ended 2020-01-01T00:00:00Z, for you everywhere /);
  expect(listed.stdout).toMatch(/\nblock +pip +no effect: the guard `rules` is off: hookctl on rules, /);
  const added = await run("ask curl");
  expect(added).toMatchObject({
    code: 1,
    stdout: expect.stringContaining("✖ It has no effect: the guard `rules` is off"),
  });
});

test("rules that were used up, and the lists of single guards, are listed and removed", async () => {
  await using place = await workspace();
  await place.write(SETTINGS, '{"guards":{"git":true}}');
  const run = calls(place);
  await run("allow 'git reset --hard' --once");
  const judge = () => runMain(place, ["run", "before_tool_call", "-q"], { stdin: toolCall("git reset --hard") });
  expect((await judge()).code).toBe(0);
  expect((await judge()).code).toBe(2);
  expect((await run("rules")).stdout).toMatch(/^allow +git reset --hard +no effect: used up, once, for you in this /);
  await place.write(
    SETTINGS,
    '{"guards":{"git":{"allow":["git reset --hard"]},"cloud":{"enabled":false,"allow":["x y"]}}}',
  );
  const listed = await run("rules");
  expect(listed.stdout).toMatch(/^allow +git reset --hard +the guard git, for you everywhere /);
  expect(listed.stdout).toMatch(
    /\nallow +x y +no effect: the guard cloud is off, the guard cloud, for you everywhere /,
  );
  expect(JSON.parse((await run("rules --json")).stdout).rules[0]).toEqual(
    expect.objectContaining({ decision: "allow", guard: "git", match: "git reset --hard", effective: true }),
  );
  const removed = await run("rules remove 'git reset --hard'");
  expect(removed).toMatchObject({
    stdout: expect.stringMatching(/^✔ removed: allow .* by the guard git, for you /),
    code: 0,
  });
  expect((await judge()).code).toBe(2);
});

test("a misspelt rule is answered with the nearest", async () => {
  await using place = await workspace();
  await place.write(SETTINGS, '{"commands":{"block":["npm publish *"]}}');
  const refused = await calls(place)("rules remove 'npm publsh *'");
  expect(refused).toEqual({
    ...{ stdout: "", signal: null, code: 64 },
    stderr:
      '✖ Unknown rule "npm publsh *". Did you mean npm publish *? (USAGE_UNKNOWN_RULE)\n  All rules: hookctl rules\n',
  });
});
