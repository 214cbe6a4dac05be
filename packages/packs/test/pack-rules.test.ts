import { expect, test } from "vitest";
import { runMain } from "../../../test/support/in-process.ts";
import { toolCall } from "../../../test/support/payloads.ts";
import { type Workspace, workspace } from "../../../test/support/workspace.ts";

const DEPLOY = {
  about: "a release goes to production: acme deploy",
  decision: "block",
  effect: "changes production",
  instead: "Ask in the channel of the team.",
  forms: { acme: ["deploy --to=production"] },
  examples: { stopped: ["acme deploy --to=production"], allowed: ["acme deploy --to=staging"] },
};
const rulesOf = (deploy: object): string =>
  JSON.stringify({ guard_rules: [{ name: "cloud", rules: { "acme-deploy": deploy } }] });
const SETTINGS = "project/.kodelet/plugins/acme/hooks.json";

async function setUp(): Promise<Workspace> {
  const place = await workspace();
  await place.write("home/.kodelet/hooks.json", '{"guards":{"cloud":true}}');
  await place.write("project/acme/hooks.json", rulesOf(DEPLOY));
  await place.write("project/.kodelet/hooks/.keep", "");
  return place;
}

const exitCode = async (place: Workspace, command: string): Promise<number | null> =>
  (await runMain(place, ["run", "before_tool_call", "-q"], { stdin: toolCall(command) })).code;

test("a pack adds rules to a guard, which apply once the pack is approved, and then as approved", async () => {
  await using place = await setUp();
  await place.write(SETTINGS, rulesOf(DEPLOY));
  expect(await exitCode(place, "acme deploy --to=production")).toBe(0);
  await runMain(place, ["trust", "--yes"]);
  const codes = [
    await exitCode(place, "acme --to=production deploy"),
    await exitCode(place, "acme deploy --to=staging"),
  ];
  expect(codes).toEqual([2, 0]);
  const listed = await runMain(place, ["guards", "cloud"]);
  expect(listed.stdout).toMatch(/\n {2}block +acme-deploy +a release goes .* \(\S+\/\.kodelet\/plugins\/acme\)\n/);
  expect(await runMain(place, ["off", "cloud/acme-deploys"])).toMatchObject({
    stderr: expect.stringContaining("Did you mean cloud/acme-deploy?"),
    code: 64,
  });
  await place.write(SETTINGS, rulesOf({ ...DEPLOY, forms: { acme: ["undeploy"] } }));
  expect(await exitCode(place, "acme deploy --to=production")).toBe(2);
  expect(await exitCode(place, "terraform destroy")).toBe(2);
});

test("`add` approves the rules with the pack, and refuses a rule whose example does not hold", async () => {
  await using place = await setUp();
  const added = await runMain(place, ["add", "./acme", "--yes"]);
  expect(added).toMatchObject({ code: 0, stdout: expect.stringContaining("acme") });
  expect(await exitCode(place, "acme deploy --to=production")).toBe(2);
  const wrong = { ...DEPLOY, examples: { stopped: ["acme rollout"], allowed: ["acme deploy"] } };
  await place.write("project/acme/hooks.json", rulesOf(wrong));
  const refused = await runMain(place, ["add", "./acme", "--name", "other", "--yes"]);
  expect(refused.code).not.toBe(0);
  expect(refused.stderr).toContain("its example `acme rollout` is not stopped by it");
  await place.write("project/acme/hooks.json", rulesOf({ ...DEPLOY, decision: "allow" }));
  const loose = await runMain(place, ["add", "./acme", "--name", "other", "--yes"]);
  expect(loose.stderr).toContain("guard_rules.0.rules.acme-deploy.decision");
});

test("`check` and `doctor` run the examples of the rules that settings add", async () => {
  await using place = await setUp();
  const table = { name: "cloud", rules: { "acme-deploy": { ...DEPLOY, forms: { acme: ["publish"] } } } };
  await place.write("home/.kodelet/hooks.json", JSON.stringify({ guards: { cloud: true }, guard_rules: [table] }));
  await place.write("project/.kodelet/hooks.json", JSON.stringify({ guards: { cloud: {} }, guard_rules: [table] }));
  const fault = "cloud/acme-deploy";
  const detail = "its example `acme deploy --to=production` is not stopped by it";
  const checked = await runMain(place, ["check", "."]);
  expect(checked).toMatchObject({ code: 1, stdout: expect.stringContaining(`${fault}: ${detail}`) });
  expect((await runMain(place, ["doctor"])).stdout).toContain(detail);
});
