import { mkdir, readdir } from "node:fs/promises";
import { expect, test } from "vitest";
import { runInProcess } from "../../../test/support/in-process.ts";
import { type Workspace, workspace } from "../../../test/support/workspace.ts";

const payload = (command: string): string =>
  JSON.stringify({ hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command } });

const USER = "home/.kodelet/hooks.json";
const USED = "home/.local/state/hookctl/used-rules";

async function withRules(settings: object): Promise<Workspace> {
  const place = await workspace();
  await mkdir(`${place.project}/.git`);
  await place.write(USER, JSON.stringify(settings));
  return place;
}

const decided = async (place: Workspace, command: string): Promise<string> => {
  const { stdout, code } = await runInProcess(place, "bridge claude", { stdin: payload(command) });
  return /"permissionDecision":"(\w+)"/.exec(stdout)?.[1] ?? `none ${code}`;
};

const ONCE = { match: "git push --force origin main", once: "a1" };
const guards = { git: true, filesystem: true };
const commands = { block: ["git push --force *", "npm publish *"], allow: [ONCE] };

test("of calls at the same time exactly one uses a rule up", async () => {
  await using place = await withRules({ guards, commands });
  const all = await Promise.all([1, 2, 3].map(() => decided(place, ONCE.match)));
  expect(all.toSorted()).toEqual(["deny", "deny", "none 0"]);
  expect(await decided(place, ONCE.match)).toBe("deny");
});

test("a rule that did not decide is not used up", async () => {
  await using place = await withRules({ guards, commands });
  expect(await decided(place, "git push origin main")).toBe("none 0");
  expect(await decided(place, `${ONCE.match}; git push --force origin other`)).toBe("deny");
  // The guard `git` lets the push pass, and a later one blocks the call.
  expect(await decided(place, `${ONCE.match}; npm publish`)).toBe("deny");
  await runInProcess(place, `explain '${ONCE.match}'`);
  expect(await readdir(`${place.dir}/${USED}`).catch(() => [])).toEqual([]);
  expect(await decided(place, ONCE.match)).toBe("none 0");
});

test("a rule that has ended does nothing", async () => {
  const rule = (until: string) => [{ match: "npm publish", until }];
  for (const [until, expected] of [
    ["2001-01-01", "none 0"],
    ["2999-01-01", "deny"],
  ] as const) {
    await using place = await withRules({ commands: { block: rule(until) } });
    expect(await decided(place, "npm publish")).toBe(expected);
  }
});

test("what a person says for one project counts there alone", async () => {
  const allow = { commands: { allow: ["npm publish"] } };
  await using place = await withRules({ commands: { block: ["npm publish"] } });
  const settings = (folder: string) => ({ commands: { block: ["npm publish"] }, projects: { [folder]: allow } });
  expect(await decided(place, "npm publish")).toBe("deny");
  await place.write(USER, JSON.stringify(settings(place.project)));
  expect(await decided(place, "npm publish")).toBe("none 0");
  await place.write(USER, JSON.stringify(settings("/elsewhere")));
  expect(await decided(place, "npm publish")).toBe("deny");
});

test("a web tool and a tool of an MCP server connect to hosts", async () => {
  await using place = await withRules({ hosts: { block: ["*.example.org"] } });
  const call = async (tool_name: string, tool_input: object): Promise<string> => {
    const stdin = JSON.stringify({ hook_event_name: "PreToolUse", tool_name, tool_input });
    const { stdout } = await runInProcess(place, "bridge claude", { stdin });
    return /"permissionDecision":"(\w+)"/.exec(stdout)?.[1] ?? "none";
  };
  expect([
    await call("WebFetch", { url: "https://a.example.org/x", prompt: "p" }),
    await call("mcp__x__open", { page: { link: "https://a.example.org" } }),
    await call("mcp__x__open", { start: "https://a.example.org/x" }),
    await call("WebFetch", { url: "https://example.com/?u=a.example.org", prompt: "p" }),
  ]).toEqual(["deny", "deny", "deny", "none"]);
});
